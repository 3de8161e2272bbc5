// What an operation, a page, a command or the worker acts through: one organisation, one caller, one way to the database.
import type { Database, Executor } from '../database.ts'
import { insufficientScope } from './errors.ts'
import type { Caller, Context, Statement, Surroundings } from './operation.ts'
import type { Scope } from './scopes.ts'

/** `needed` are the scopes the caller had to hold to come this far; a refusal names them beside the missing one. */
export function contextOf(
  executor: Executor | Database,
  caller: Caller,
  { restOrigin, vault, pdf }: Surroundings,
  needed: readonly Scope[] = [],
): Context {
  return {
    orgId: caller.orgId,
    caller,
    restOrigin,
    vault,
    pdf,
    ask: (statement) => ask(executor, statement),
    require(scope) {
      if (!caller.scopes.has(scope)) throw insufficientScope([...needed, scope])
    },
  }
}

export async function ask<T>(executor: Executor | Database, { sql, means, way }: Statement<T>): Promise<T> {
  const rows = way && 'search' in executor ? await executor[way](sql) : await executor.query(sql)
  return means(rows as never[])
}

/** For work that keeps no secrets, names no address and prints nothing: whoever tries to is told. */
export const plainSurroundings: Surroundings = {
  restOrigin: 'https://nowhere.invalid',
  vault: { seal: none, open: none, fingerprint: none },
  pdf: none,
}

function none(): never {
  throw new Error('This work was begun without the means to keep secrets, name addresses or print')
}
