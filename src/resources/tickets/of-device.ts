// The copies of a device's type and name on the jobs that refer to it.
import { type Context, type Statement, statement } from '../../api/operation.ts'
import { sql } from '../../database.ts'

/** Jobs show a device by what it is called now. */
export const deviceCopied = ({ orgId }: Context, deviceId: string): Statement<void> =>
  statement(
    sql`update tickets set customer_device_type = devices.type, customer_device_name = devices.name, updated_at = now()
        from devices where devices.org_id = tickets.org_id and devices.id = tickets.device_id
          and tickets.org_id = ${orgId} and tickets.device_id = ${deviceId}
          and (customer_device_type, customer_device_name) is distinct from (devices.type, devices.name)`,
    () => {},
  )
