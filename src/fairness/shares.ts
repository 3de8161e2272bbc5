// What a tenant has of the connections that all share: more while it is alone, and of a kind that it kept others waiting for
// only its turns.
import { createDebts, type Debts } from './debts.ts'
import { createPresence } from './presence.ts'
import { isBackgroundWork, ownWork, type Tenant } from './tenant.ts'

/** How long after its last statement a tenant counts as being there: nobody else has what is given to one who is alone. */
const presenceMs = 60_000

export function createShares(now: () => number = () => performance.now()) {
  const presence = createPresence(presenceMs)
  /** Apart for each kind of shared connection: whoever keeps others waiting at one of them waits for turns there. */
  const debts = { read: createDebts(), slow: createDebts(), customPlan: createDebts(), write: createDebts() }
  const isAlone = (tenant: Tenant) => !presence.isBesideOthers(tenant, now())
  return {
    debts,
    isAlone,
    /** It asks for something. What the service does by itself keeps nobody from being alone. */
    note(tenant: Tenant): void {
      if (tenant !== ownWork && !isBackgroundWork(tenant)) presence.note(tenant, now())
    },
    /** Of connections where turns are taken whoever is alone has all but one, which whoever comes finds free. */
    ofTurns: ({ connections, perTenant }: { readonly connections: number; readonly perTenant: number }) => ({
      connections,
      perTenant: (tenant: Tenant) => (isAlone(tenant) ? connections - 1 : perTenant),
    }),
    /** For operators. */
    tenantsInDebt: (): number => new Set(Object.values(debts).flatMap((of) => of.debtors())).size,
  }
}

export function chargeExcess(debts: Debts, tenant: Tenant, ms: number): void {
  if (ms > 0) debts.charge(tenant, ms)
}
