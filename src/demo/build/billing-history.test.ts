// Which papers the sample shop has, whatever hour of the week it is made at: agents and tests rely on them by name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../../test/test-service.ts'
import { regularCustomers } from '../data/customers.ts'
import { invoiceHistory, quoteHistory } from './billing-history.ts'
import { plansFor } from './plans.ts'
import { loadWeek } from './week.ts'

const { database } = await startTestService()

const hourMs = 3_600_000
const hoursOfAWeek = Array.from({ length: 7 * 24 }, (_, hour) => Date.UTC(2026, 10, 16, 0, 30) + hour * hourMs)

test('at every hour of a week Quinn owes an invoice that is overdue, and Sjöberg Ceramics has one', async () => {
  for (const now of hoursOfAWeek) {
    const week = await loadWeek(database, 'Europe/London', new Date(now))
    const records = regularCustomers.map(({ firstName }, index) => ({
      index,
      customer: { first_name: firstName, created_at: new Date(0) },
      devices: [],
    }))
    const invoices = plansFor(records, week).flatMap((plan) => {
      const history = invoiceHistory(plan, quoteHistory(plan, now), now)
      return history ? [{ name: plan.customer.first_name, ...history }] : []
    })
    const at = new Date(now).toISOString()
    const overdue = invoices.find(({ name }) => name === 'Quinn')
    const dueDays = overdue?.invoiceSpec.dueDays ?? Number.POSITIVE_INFINITY
    assert.ok(overdue?.sentAt && overdue.payments.length === 0 && overdue.madeAt + dueDays * 24 * hourMs < now, at)
    assert.ok(invoices.find(({ name }) => name === 'Elin')?.sentAt, at)
  }
})
