// Statements of the queue run in the transaction of an operation, and nowhere else.
import type { Queryable } from '../../db/database.ts'
import { type Context, statement } from '../../operations/operation.ts'

export const queryableOf = (ctx: Context): Queryable => ({
  query: <R>(query: Parameters<Queryable['query']>[0]) => ctx.query(statement(query, (rows: R[]) => rows)),
})
