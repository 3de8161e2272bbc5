// Reports reckoned the slow and obvious way: all records as REST lists them, one after the other.
import { decimalsOf, divideRounded, fromScaled, toScaled } from '../src/domain/money.ts'
import { type Grouping, groupStart, groupStarts } from '../src/domain/report-periods.ts'
import { daysBetween, wallOf } from '../src/domain/wall-clock.ts'
import type { Client } from './test-service.ts'

interface Asked {
  readonly timeZone: string
  readonly currency: string
  readonly from: string
  readonly to: string
  readonly groupBy: Grouping
}

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
type Any = any
interface Reckoned {
  readonly rows: readonly object[]
  readonly totals: readonly object[]
}

async function all(shop: Client, path: string, key: string): Promise<Any[]> {
  const records: Any[] = []
  for (let after = ''; ; ) {
    const { data } = (await shop.get(`${path}?limit=100${after}`)).body
    records.push(...data[key])
    if (!data.pagination?.hasMore) return records
    after = `&startAfter=${data.pagination.nextCursor}`
  }
}

const sum = (values: readonly number[]): number =>
  fromScaled(
    values.reduce((total, value) => total + toScaled(value, 4)!, 0n),
    4,
  )

/** Between the two nearest, in proportion. */
function percentile(values: readonly number[], part: number): number | null {
  if (values.length === 0) return null
  const sorted = [...values].sort((one, other) => one - other)
  const place = part * (sorted.length - 1)
  const [low, high] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!]
  const ms = low + (place - Math.floor(place)) * (high - low)
  return Math.round(ms / 36_000) / 100
}

export async function reckon(shop: Client, asked: Asked): Promise<Readonly<Record<string, Reckoned>>> {
  const { timeZone, from, to, groupBy } = asked
  const [tickets, invoices, payments, quotes, items, categories, members] = [
    await all(shop, '/tickets', 'tickets'),
    await all(shop, '/invoices', 'invoices'),
    await all(shop, '/payments', 'payments'),
    await all(shop, '/quotes', 'quotes'),
    await all(shop, '/inventory', 'inventory'),
    await all(shop, '/inventory-categories', 'inventoryCategories'),
    await all(shop, '/members', 'members'),
  ]
  const dayOf = (moment: string) => wallOf(new Date(moment), timeZone).day
  const isIn = (moment: string | null): boolean => moment !== null && dayOf(moment) >= from && dayOf(moment) <= to
  const groupOf = (moment: string) => groupStart(dayOf(moment), groupBy)
  const starts = groupStarts(from, to, groupBy)
  const currenciesOf = (records: readonly Any[]): string[] => {
    const found = [...new Set(records.map(({ currency }) => currency as string))].sort()
    return found.length > 0 ? found : [asked.currency]
  }

  const currencyOf = new Map(invoices.map(({ id, currency }) => [id, currency]))
  const paid = payments
    .filter(({ paidAt }) => isIn(paidAt))
    .map((one) => ({ ...one, currency: currencyOf.get(one.invoiceId) }))
  const moneyOf = (some: readonly Any[]) => {
    const [received, refunded] = [some.filter(({ amount }) => amount > 0), some.filter(({ amount }) => amount < 0)]
    return {
      received: sum(received.map(({ amount }) => amount)),
      refunded: sum(refunded.map(({ amount }) => -amount)),
      net: sum(some.map(({ amount }) => amount)),
      payments: received.length,
      refunds: refunded.length,
    }
  }

  const today = dayOf(new Date().toISOString())
  const owed = invoices
    .filter(({ status, balance }) => status === 'sent' && balance > 0)
    .map((invoice) => ({ ...invoice, late: daysBetween(dayOf(invoice.dueAt), today) }))
  const ages: readonly [string, (late: number) => boolean][] = [
    ['notDue', (late) => late <= 0],
    ['1-30', (late) => late >= 1 && late <= 30],
    ['31-60', (late) => late >= 31 && late <= 60],
    ['61-90', (late) => late >= 61 && late <= 90],
    ['over90', (late) => late > 90],
  ]
  const owedOf = (some: readonly Any[]) => ({ invoices: some.length, balance: sum(some.map(({ balance }) => balance)) })

  const closed = tickets.filter(({ closedAt }) => isIn(closedAt))
  const opened = tickets.filter(({ createdAt }) => isIn(createdAt))
  const turnaroundOf = (some: readonly Any[]) => {
    const times = some.map(({ createdAt, closedAt }) => Date.parse(closedAt) - Date.parse(createdAt))
    return { jobs: some.length, medianHours: percentile(times, 0.5), p90Hours: percentile(times, 0.9) }
  }

  const planned = tickets.filter(({ scheduledFrom, scheduledAllDay }) => isIn(scheduledFrom) && !scheduledAllDay)
  const technicianOf = new Map(tickets.map(({ id, assignedTechnician }) => [id, assignedTechnician]))
  const issued = invoices
    .filter(({ status, issuedAt }) => status === 'sent' && isIn(issuedAt))
    .map((invoice) => ({ ...invoice, who: technicianOf.get(invoice.ticketId) ?? null }))
  const workOf = (isTheirs: (who: string | null) => boolean) => {
    const theirs = issued.filter(({ who }) => isTheirs(who))
    const hours = planned
      .filter(({ assignedTechnician }) => isTheirs(assignedTechnician))
      .map(({ scheduledFrom, scheduledTo }) => Date.parse(scheduledTo) - Date.parse(scheduledFrom))
    return {
      jobsClosed: closed.filter(({ assignedTechnician }) => isTheirs(assignedTechnician)).length,
      hoursPlanned: Math.round(hours.reduce((total, ms) => total + ms, 0) / 36_000) / 100,
      invoiced: [...new Set(theirs.map(({ currency }) => currency as string))].sort().map((currency) => {
        const some = theirs.filter((one) => one.currency === currency)
        return { currency, invoices: some.length, total: sum(some.map(({ total }) => total)) }
      }),
    }
  }
  const workers = new Set([
    ...closed.map(({ assignedTechnician }) => assignedTechnician),
    ...planned.map(({ assignedTechnician }) => assignedTechnician),
    ...issued.map(({ who }) => who),
  ])
  const nameOf = new Map(
    members.map(({ id, firstName, lastName }) => [id, [firstName, lastName].filter(Boolean).join(' ')]),
  )
  const byName = ([one, other]: [string | null, string | null]) =>
    one === null ? 1 : other === null ? -1 : `${nameOf.get(one)} ${one}` < `${nameOf.get(other)} ${other}` ? -1 : 1

  const decimals = decimalsOf(asked.currency)
  const tracked = items.filter(({ trackStock }) => trackStock)
  const stockRow = (categoryId: string | null) => {
    const some = tracked.filter((item) => item.categoryId === categoryId)
    const worth = some.reduce(
      (total, { quantityOnHand, cost }) => total + toScaled(quantityOnHand, 4)! * toScaled(cost ?? 0, 4)!,
      0n,
    )
    return {
      categoryId,
      category: categories.find(({ id }) => id === categoryId)?.name ?? null,
      items: some.length,
      quantity: sum(some.map(({ quantityOnHand }) => quantityOnHand)),
      value: fromScaled(divideRounded(worth, 10n ** BigInt(8 - decimals)), decimals),
      itemsWithoutCost: some.filter(({ cost }) => cost === null).length,
    }
  }
  const stockRows = [...categories.map(({ id }) => id), null].map(stockRow).filter((row) => row.items > 0)
  const stockSum = (field: 'items' | 'quantity' | 'value' | 'itemsWithoutCost') =>
    sum(stockRows.map((row) => row[field]))

  const offered = quotes.filter(({ createdAt }) => isIn(createdAt))
  const quotesOf = (some: readonly Any[]) => {
    const accepted = some.filter(({ status }) => status === 'accepted' || status === 'invoiced')
    const declined = some.filter(({ status }) => status === 'declined').length
    const answered = accepted.length + declined
    return {
      made: some.length,
      accepted: accepted.length,
      declined,
      open: some.length - answered,
      rateWon: answered === 0 ? null : Math.round((accepted.length / answered) * 1_000) / 10,
      madeTotal: sum(some.map(({ total }) => total)),
      acceptedTotal: sum(accepted.map(({ total }) => total)),
    }
  }

  const byCurrency = (records: readonly Any[], of: (some: readonly Any[]) => object) =>
    currenciesOf(records).map((currency) => ({ currency, ...of(records.filter((one) => one.currency === currency)) }))
  const byGroupAndCurrency = (records: readonly Any[], moment: string, of: (some: readonly Any[]) => object) =>
    starts.flatMap((start) =>
      currenciesOf(records).map((currency) => {
        const some = records.filter((one) => one.currency === currency && groupOf(one[moment]) === start)
        return { start, currency, ...of(some) }
      }),
    )
  const inGroup = (records: readonly Any[], moment: string, start: string) =>
    records.filter((one) => groupOf(one[moment]) === start)

  return {
    'money-in': { rows: byGroupAndCurrency(paid, 'paidAt', moneyOf), totals: byCurrency(paid, moneyOf) },
    receivables: {
      rows: ages.flatMap(([age, isOf]) =>
        currenciesOf(owed).map((currency) => {
          const some = owed.filter((one) => one.currency === currency && isOf(one.late))
          return { age, currency, ...owedOf(some) }
        }),
      ),
      totals: byCurrency(owed, owedOf),
    },
    jobs: {
      rows: starts.map((start) => ({
        start,
        opened: inGroup(opened, 'createdAt', start).length,
        closed: inGroup(closed, 'closedAt', start).length,
      })),
      totals: [{ opened: opened.length, closed: closed.length }],
    },
    turnaround: {
      rows: starts.map((start) => ({ start, ...turnaroundOf(inGroup(closed, 'closedAt', start)) })),
      totals: [turnaroundOf(closed)],
    },
    technicians: {
      rows: [...workers]
        .sort((one, other) => byName([one, other]))
        .map((who) => ({
          technicianId: who,
          technician: who === null ? null : nameOf.get(who),
          ...workOf((assignee) => assignee === who),
        })),
      totals: [workOf(() => true)],
    },
    'stock-value': {
      rows: stockRows,
      totals: [
        {
          items: stockSum('items'),
          quantity: stockSum('quantity'),
          value: stockSum('value'),
          itemsWithoutCost: stockSum('itemsWithoutCost'),
        },
      ],
    },
    quotes: { rows: byGroupAndCurrency(offered, 'createdAt', quotesOf), totals: byCurrency(offered, quotesOf) },
  }
}
