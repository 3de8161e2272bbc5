// What an operator does to keys, apps, people and feeds stands in the audit log, beside what admins do in the portal.
import type { Executor } from '../database.ts'
import { type NewLine, note, operator } from '../identity/audit.ts'
import type { Context } from './context.ts'
import { databaseWith } from './organisations.ts'

/** Does it and writes it down: both, or neither. */
export async function act<T>(
  org: string,
  ctx: Context,
  work: (transaction: Executor) => Promise<T>,
  told: (result: T) => NewLine,
): Promise<T> {
  const database = await databaseWith(org, ctx)
  return database.transaction(async (transaction) => {
    const result = await work(transaction)
    await note(transaction, org, operator, told(result))
    return result
  })
}
