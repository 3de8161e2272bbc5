// Who cost connections of a kind that everybody shares more than they should: it is remembered as a debt, which time pays off.
import type { Tenant } from './tenant.ts'

/** What an occasional slow statement may cost. */
const allowanceMs = 50
/** Paid off in each second: nobody keeps the others waiting for a larger part of the time than this. */
const paidOffPerSecond = 5
/** More than a busy minute brings; the oldest is forgiven. */
const maxDebtors = 10_000

export interface Debts {
  charge(tenant: Tenant, ms: number): void
  /** Whoever is in debt uses connections where turns are taken instead of those, until it is paid off. */
  isInDebt(tenant: Tenant): boolean
  /** For operators. */
  debtors(): Tenant[]
}

export function createDebts(now: () => number = () => performance.now()): Debts {
  const debts = new Map<Tenant, { readonly ms: number; readonly at: number }>()
  const outstanding = (tenant: Tenant): number => {
    const debt = debts.get(tenant)
    if (!debt) return 0
    const left = debt.ms - ((now() - debt.at) / 1000) * paidOffPerSecond
    if (left <= 0) debts.delete(tenant)
    return Math.max(0, left)
  }
  return {
    charge(tenant, ms) {
      const total = outstanding(tenant) + ms
      debts.delete(tenant)
      if (debts.size >= maxDebtors) debts.delete(debts.keys().next().value!)
      debts.set(tenant, { ms: total, at: now() })
    },
    isInDebt: (tenant) => debts.size > 0 && outstanding(tenant) > allowanceMs,
    debtors: () => [...debts.keys()].filter((tenant) => outstanding(tenant) > allowanceMs),
  }
}
