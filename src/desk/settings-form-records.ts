// What templates and rules share: found by the id in the address, and locked where nobody else was quicker.
import { type Queryable, raw, sql } from '../db/database.ts'
import { ApiError, notFound } from '../operations/errors.ts'
import type { DeskRequest } from './router.ts'

export function findRecord<T extends { readonly id: string }>(
  records: readonly T[],
  { params }: DeskRequest,
  noun: string,
): T {
  const record = records.find(({ id }) => id === params.id)
  if (!record) throw notFound(noun)
  return record
}

interface Locked {
  readonly table: 'form_templates' | 'form_rules'
  /** The version that the form was made from. */
  readonly seen: string | undefined
  readonly read: () => Promise<string | undefined>
}

/** Under the lock the version that is read is the one that would be written over. */
export async function lockUnlessStale(
  transaction: Queryable,
  { orgId, params }: DeskRequest,
  { table, seen, read }: Locked,
): Promise<void> {
  await transaction.query(sql`select from ${raw(table)} where org_id = ${orgId} and id = ${params.id!} for update`)
  if (seen !== undefined && seen !== (await read()))
    throw new ApiError(
      412,
      'Somebody changed this while you were writing. What is there now stands below; what you typed is kept, and saved if you save again',
      { code: 'PRECONDITION_FAILED' },
    )
}
