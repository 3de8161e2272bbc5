// What an operator does to keys, apps, people, feeds and payments stands in the audit log, beside what admins do in the portal.
import type { Queryable } from '../db/database.ts'
import { audit, type NewAuditEntry, operator } from '../identity/audit.ts'
import type { CommandContext } from './context.ts'
import { databaseWithOrganisation } from './organisations.ts'

/** Does it and writes it down: both, or neither. */
export async function runAudited<T>(
  org: string,
  ctx: CommandContext,
  work: (transaction: Queryable) => Promise<T>,
  toAuditEntry: (result: T) => NewAuditEntry,
): Promise<T> {
  const database = await databaseWithOrganisation(org, ctx)
  return database.transaction(org, async (transaction) => {
    const result = await work(transaction)
    await audit(transaction, org, operator, toAuditEntry(result))
    return result
  })
}
