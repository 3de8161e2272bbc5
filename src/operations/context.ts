// The context of an operation, a page, a command or the worker: one organisation, one caller, one way to the database.
import type { Actor } from '../db/actor.ts'
import type { Database, Queryable } from '../db/database.ts'
import type { Tenant } from '../fairness/tenant.ts'
import type { Caller } from './caller.ts'
import { insufficientScope } from './errors.ts'
import type { Context, Dependencies, Statement } from './operation.ts'
import type { Scope } from './scopes.ts'

/** `requiredScopes` are those that the caller needed to come this far; a refusal names them beside the missing one. */
export function createContext(
  db: Queryable | Database,
  caller: Caller,
  { restOrigin, vault, pdf, webhookRules }: Dependencies,
  requiredScopes: readonly Scope[] = [],
): Context {
  return {
    orgId: caller.orgId,
    caller,
    restOrigin,
    vault,
    pdf,
    webhookRules,
    query: (statement) => runStatement(db, caller.orgId, statement),
    require(scope) {
      if (!caller.scopes.has(scope)) throw insufficientScope([...requiredScopes, scope])
    },
  }
}

/** Who is said to have made what a caller changes. Those who have no credential have no id either. */
export const actorFor = ({ kind, credentialId, name }: Caller): Actor => ({
  kind,
  id: kind === 'customer' || kind === 'operator' || kind === 'system' ? null : credentialId,
  name,
})

/** A transaction has one connection; only the database itself has others to choose from, and runs one statement. */
export async function runStatement<T>(
  db: Queryable | Database,
  tenant: Tenant,
  { sql, decode, connection, first }: Statement<T>,
): Promise<T> {
  if (first) await runStatement(db, tenant, first)
  return decode((await ('read' in db ? db.read(tenant, sql, connection) : db.query(sql))) as never[])
}

/** For work that keeps no secrets, names no address, renders no PDF and makes no webhook: whoever tries to gets an error. */
export const noDependencies: Dependencies = {
  restOrigin: 'https://nowhere.invalid',
  vault: { encrypt: notAvailable, decrypt: notAvailable, fingerprint: notAvailable },
  pdf: notAvailable,
  webhookRules: { urlProblem: notAvailable, typeProblem: notAvailable, toldEntities: [] },
}

function notAvailable(): never {
  throw new Error(
    'This context was created without what depends on the settings, such as a vault, an origin and a PDF renderer',
  )
}
