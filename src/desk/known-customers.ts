// Which customers a member sees: technicians know those of their own jobs, the others all.
import { type Sql, sql } from '../db/database.ts'
import type { DeskRequest } from './router.ts'

/** A condition on `customers`; none for those who see all. */
export const isKnownCustomer = ({ orgId, caller }: DeskRequest): Sql | undefined =>
  caller.onlyJobsOf === undefined
    ? undefined
    : sql`exists (select from tickets own where own.org_id = ${orgId} and own.customer_id = customers.id
        and own.assigned_technician = ${caller.onlyJobsOf})`
