// Reports against a slow, obvious reckoning over the records that REST lists; what is refused, and to whom; CSV.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { reckon } from '../../../test/reckoned-reports.ts'
import { type Client, startTestService } from '../../../test/test-service.ts'
import { person } from '../../../test/visitor.ts'
import { sql } from '../../db/database.ts'
import { dayMs } from '../../domain/durations.ts'
import { decimalsOf } from '../../domain/money.ts'
import { groupings } from '../../domain/report-periods.ts'
import { addDays, startOfDay } from '../../domain/wall-clock.ts'
import { createContext, noDependencies } from '../../operations/context.ts'
import type { ApiError } from '../../operations/errors.ts'
import type { Statement } from '../../operations/operation.ts'
import { memberCaller } from '../roles.ts'
import reports from './reports.ts'

const here = await startTestService()
const { organisation, database, client, origin } = here

const names = reports.operations.map(({ path }) => path.slice('/reports/'.length))
const grouped = ['money-in', 'jobs', 'turnaround', 'quotes']

const made = async (shop: Client, path: string, body: object) => {
  const { status, body: answer } = await shop.post(path, body)
  assert.equal(status, 201, `${path}: ${JSON.stringify(answer)}`)
  return answer.data
}
const changed = async (shop: Client, path: string, body: object) => {
  const { status, body: answer } = await shop.put(path, body)
  assert.equal(status, 200, `${path}: ${JSON.stringify(answer)}`)
  return answer.data
}

/** Clocks are put forward and back in each of these but the last, in some of them at midnight. */
const zones = [
  ...['Europe/London', 'America/New_York', 'America/Havana', 'Asia/Beirut', 'Australia/Lord_Howe', 'Pacific/Chatham'],
  'Asia/Tokyo',
] as const

const firstDay = '2025-10-25'
const period = 180

/** Half of the moments lie within two hours of a midnight, where days, clocks and months change. */
const moments = (timeZone: string) =>
  fc
    .tuple(fc.integer({ min: 0, max: period }), fc.boolean(), fc.integer({ min: -7_200, max: 7_200 }), fc.nat(86_399))
    .map(([days, isNear, near, second]) => {
      const midnight = startOfDay(addDays(firstDay, days), timeZone).getTime()
      return new Date(midnight + (isNear ? near : second) * 1_000).toISOString()
    })

const shopOf = (timeZone: string, currency: string) => {
  const moment = moments(timeZone)
  const unit = 10 ** -decimalsOf(currency)
  const amount = fc
    .integer({ min: 1, max: 900_000 })
    .map((units) => Number((units * unit).toFixed(decimalsOf(currency))))
  return fc.record({
    timeZone: fc.constant(timeZone),
    currency: fc.constant(currency),
    jobs: fc.array(
      fc.record({ at: moment, closed: fc.option(moment), visit: fc.option(moment), who: fc.constantFrom(0, 1, null) }),
      { maxLength: 7 },
    ),
    invoices: fc.array(
      fc.record({
        issued: moment,
        total: amount,
        fate: fc.constantFrom('sent', 'sent', 'sent', 'draft', 'void'),
        /** Days since the due date; those around the bounds of the ages among them. */
        late: fc.oneof(fc.constantFrom(-1, 0, 1, 30, 31, 60, 61, 90, 91), fc.integer({ min: -20, max: 120 })),
        job: fc.option(fc.nat(6)),
        payments: fc.array(fc.tuple(amount, fc.boolean(), moment), { maxLength: 3 }),
        foreign: fc.boolean(),
      }),
      { maxLength: 4 },
    ),
    quotes: fc.array(
      fc.record({ at: moment, total: amount, fate: fc.constantFrom('draft', 'sent', 'accepted', 'declined') }),
      { maxLength: 4 },
    ),
    items: fc.array(
      fc.record({
        category: fc.option(fc.nat(1)),
        cost: fc.option(fc.integer({ min: 0, max: 99_999_999 }).map((units) => units / 10_000)),
        quantityOnHand: fc.integer({ min: -50_000, max: 9_000_000 }).map((units) => units / 10_000),
        trackStock: fc.boolean(),
      }),
      { maxLength: 5 },
    ),
    from: fc.integer({ min: 0, max: period }).map((days) => addDays(firstDay, days)),
    length: fc.nat(period),
    groupBy: fc.constantFrom(...groupings),
  })
}
type Shop = ReturnType<typeof shopOf> extends fc.Arbitrary<infer T> ? T : never

async function build(plan: Shop): Promise<Client> {
  const { timeZone, currency } = plan
  const shop = await organisation()
  const { orgId } = shop
  await changed(shop, '', { timeZone, currency })
  const people = [await person(here, orgId, 'technician'), await person(here, orgId, 'technician')]
  const tickets: string[] = []
  for (const { at, closed, visit, who } of plan.jobs) {
    const { id } = await made(shop, '/tickets', { customerName: 'Ada' })
    tickets.push(id)
    // Times that nobody can set through the API, and a technician who may have left.
    await database.query(sql`update tickets set created_at = least(${at}::timestamptz, coalesce(${closed}::timestamptz, ${at}::timestamptz)),
      closed_at = greatest(${closed}::timestamptz, case when ${closed}::text is not null then ${at}::timestamptz end),
      scheduled_from = ${visit}::timestamptz, scheduled_to = ${visit}::timestamptz + interval '95 minutes',
      assigned_technician = ${who === null ? null : people[who]!.memberId} where org_id = ${orgId} and id = ${id}`)
  }
  for (const { issued, total, fate, late, job, payments, foreign } of plan.invoices) {
    const ticketId = job === null ? null : (tickets[job] ?? null)
    const { id } = await made(shop, '/invoices', {
      customerName: 'Ada',
      ...(ticketId && { ticketId }),
      issuedAt: issued,
      lineItems: [{ name: 'Work', unitPrice: total }],
      status: fate === 'draft' ? 'draft' : 'sent',
    })
    for (const [amount, isRefund, paidAt] of payments)
      await made(shop, '/payments', { invoiceId: id, amount: isRefund ? -amount : amount, paidAt })
    if (fate === 'void') {
      // What came in goes back before an invoice is voided.
      const { amountPaid } = (await shop.get(`/invoices/${id}`)).body.data
      const last = payments.at(-1)?.[2]
      if (amountPaid !== 0) await made(shop, '/payments', { invoiceId: id, amount: -amountPaid, paidAt: last })
      await changed(shop, `/invoices/${id}`, { status: 'void' })
    }
    const due = new Date(Date.now() - late * dayMs).toISOString()
    await database.query(sql`update invoices set due_at = greatest(issued_at, ${due}::timestamptz),
      currency = ${foreign ? 'USD' : currency} where org_id = ${orgId} and id = ${id}`)
  }
  for (const { at, total, fate } of plan.quotes) {
    const { id } = await made(shop, '/quotes', { customerName: 'Ada', lineItems: [{ name: 'Work', unitPrice: total }] })
    if (fate !== 'draft') await changed(shop, `/quotes/${id}`, { status: fate })
    await database.query(sql`update quotes set created_at = ${at}::timestamptz where org_id = ${orgId} and id = ${id}`)
  }
  const categories = [
    await made(shop, '/inventory-categories', { name: 'Screens' }),
    await made(shop, '/inventory-categories', { name: 'Bolts' }),
  ]
  for (const [index, { category, ...item }] of plan.items.entries())
    await made(shop, '/inventory', {
      ...item,
      name: `Item ${index}`,
      categoryId: category === null ? null : categories[category].id,
    })
  return shop
}

test('every report comes to what its records come to, by the shop’s own days', async () => {
  const plans = fc
    .tuple(fc.constantFrom(...zones), fc.constantFrom('JPY', 'EUR', 'KWD'))
    .chain(([timeZone, currency]) => shopOf(timeZone, currency))
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const shop = await build(plan)
      const { from, groupBy } = plan
      const to = addDays(from, groupBy === 'day' ? plan.length % 60 : plan.length)
      const reckoned = await reckon(shop, { ...plan, from, to, groupBy })
      for (const name of names) {
        const query = grouped.includes(name) ? `?from=${from}&to=${to}&groupBy=${groupBy}` : `?from=${from}&to=${to}`
        const { status, body } = await shop.get(`/reports/${name}${query}`)
        assert.equal(status, 200, JSON.stringify(body))
        const { rows, totals } = body.data
        assert.deepEqual({ rows, totals }, reckoned[name], `${name}${query} in ${plan.timeZone}`)
      }
    }),
    { numRuns: 15, endOnFailure: true },
  )
})

describe('what is counted', () => {
  const invoice = { customerName: 'Ada', lineItems: [{ name: 'Work', unitPrice: 100 }], status: 'sent' }

  test('what was invoiced goes to whoever has the job, also the first and the last of the period', async () => {
    const shop = await organisation()
    const { memberId } = await person(here, shop.orgId, 'technician')
    const job = () => made(shop, '/tickets', { customerName: 'Ada', assignedTechnician: memberId })
    const jobs = [await job(), await job(), await job()]
    for (const { id: ticketId } of jobs) await made(shop, '/invoices', { ...invoice, ticketId })
    await made(shop, '/invoices', invoice)
    const { rows } = (await shop.get('/reports/technicians')).body.data
    assert.deepEqual(
      rows.map(({ technicianId, invoiced }: { technicianId: string; invoiced: readonly { invoices: number }[] }) => [
        technicianId,
        invoiced[0]?.invoices,
      ]),
      [
        [memberId, 3],
        [null, 1],
      ],
    )
  })

  test('where midnight comes twice, the hour between belongs to the day that begins', async () => {
    const shop = await organisation()
    await changed(shop, '', { timeZone: 'America/Havana' })
    const { id: invoiceId } = await made(shop, '/invoices', invoice)
    // On 2 November 2025 at one o'clock clocks are put back to midnight: 04:00 and 05:00 in UTC.
    for (const [amount, paidAt] of [
      [1, '2025-11-02T03:59:59Z'],
      [10, '2025-11-02T04:30:00Z'],
      [20, '2025-11-02T05:30:00Z'],
      [2, '2025-11-03T05:00:00Z'],
    ])
      await made(shop, '/payments', { invoiceId, amount, paidAt })
    const { rows } = (await shop.get('/reports/money-in?from=2025-11-01&to=2025-11-03&groupBy=day')).body.data
    assert.deepEqual(
      rows.map(({ start, net }: { start: string; net: number }) => [start, net]),
      [
        ['2025-11-01', 1],
        ['2025-11-02', 30],
        ['2025-11-03', 2],
      ],
    )
  })

  test('what is due today is not late, and is from tomorrow on', async () => {
    const shop = await organisation()
    const today = (await shop.get('/reports/receivables')).body.data.on
    for (const days of [0, 1, 30, 31]) {
      const { id } = await made(shop, '/invoices', invoice)
      const due = new Date(startOfDay(addDays(today, -days), 'Europe/London').getTime() + 60_000).toISOString()
      await database.query(sql`update invoices set issued_at = ${due}::timestamptz, due_at = ${due}::timestamptz
        where org_id = ${shop.orgId} and id = ${id}`)
    }
    const { on, rows } = (await shop.get('/reports/receivables')).body.data
    if (on !== today) return // it was midnight meanwhile
    assert.deepEqual(
      rows.map(({ age, invoices }: { age: string; invoices: number }) => [age, invoices]),
      [
        ['notDue', 1],
        ['1-30', 2],
        ['31-60', 1],
        ['61-90', 0],
        ['over90', 0],
      ],
    )
  })

  test('the value of a category is rounded as money is, and rows add up to the total', async () => {
    const shop = await organisation()
    for (const [index, cost] of [0.005, 0.004].entries()) {
      const { id: categoryId } = await made(shop, '/inventory-categories', { name: `Category ${index}` })
      await made(shop, '/inventory', { name: 'A', categoryId, cost, quantityOnHand: 1 })
    }
    const { rows, totals } = (await shop.get('/reports/stock-value')).body.data
    assert.deepEqual(
      [...rows, ...totals].map(({ value }) => value),
      [0.01, 0, 0.01],
    )
  })
})

describe('a period', () => {
  test('is this month so far unless somebody says otherwise, by week', async () => {
    const shop = await organisation()
    await changed(shop, '', { timeZone: 'Pacific/Kiritimati' })
    const { from, to, timeZone, rows } = (await shop.get('/reports/jobs')).body.data
    const today = new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10)
    assert.deepEqual([from, to, timeZone], [`${to.slice(0, 7)}-01`, to, 'Pacific/Kiritimati'])
    assert.ok(to === today || addDays(to, 1) === today, 'it may be midnight there')
    assert.equal(new Date(rows[0].start).getUTCDay(), 1)
    const { from: month } = (await shop.get('/reports/jobs?to=2026-02-11')).body.data
    assert.equal(month, '2026-02-01')
  })

  test('that is wrong is refused by name', async () => {
    const shop = await organisation()
    const refusals: readonly [string, RegExp][] = [
      ['from=yesterday', /^from must be a day from 1970 on, such as 2026-11-16$/],
      ['from=2026-02-30', /^from must be a day/],
      ['from=2026-03-02&to=2026-03-01', /^from must not be after to: 2026-03-02 is after 2026-03-01/],
      ['from=9000-01-01', /^from must not be after to/],
      ['from=2020-01-01&to=2026-01-01&groupBy=month', /^from must be at most 1827 days before to/],
      ['from=1970-01-01&to=9999-12-31&groupBy=day', /^from must be at most 400 days before to/],
      [
        'from=2024-01-01&to=2026-01-01&groupBy=day',
        /^from must be at most 400 days before to; choose a shorter period, or group by week/,
      ],
      ['groupBy=year', /^groupBy must be one of day, week, month$/],
      ['format=xls', /^format must be one of json, csv$/],
    ]
    for (const [query, reason] of refusals) {
      const { status, body } = await shop.get(`/reports/jobs?${query}`)
      assert.equal(status, 400, query)
      assert.match(body.error, reason)
    }
    const year = await shop.get('/reports/technicians?from=2025-01-01&to=2026-12-31')
    assert.deepEqual([year.status, /^from must be at most 400 days/.test(year.body.error)], [400, true])
    assert.equal((await shop.get('/reports/jobs?from=2022-01-01&to=2026-12-31&groupBy=week')).status, 200)
  })
})

describe('who may read it', () => {
  test('whoever may read the records; a report that is none is not there', async () => {
    const { orgId } = await organisation()
    for (const operation of reports.operations) {
      const path = operation.path
      const allowed = await client(orgId, { scopes: [...operation.needs] })
      assert.equal((await allowed.get(path)).status, 200, path)
      for (const lacking of operation.needs) {
        const scopes = ['customers:read', ...operation.needs.filter((scope) => scope !== lacking)]
        const { status, body } = await (await client(orgId, { scopes })).get(path)
        assert.deepEqual([status, body.requiredScopes], [403, operation.needs], `${path} without ${lacking}`)
      }
    }
    const reader = await client(orgId, { scopes: ['customers:read'] })
    assert.equal((await reader.get('/reports/everything')).status, 404)
  })

  test('no technician, though they may read every job', async () => {
    const { orgId } = await organisation()
    for (const role of ['admin', 'manager', 'technician'] as const) {
      const caller = memberCaller({ orgId, memberId: 'mem_x', memberName: 'Tess', role })
      const ctx = createContext(database, caller, noDependencies)
      for (const name of ['jobs', 'turnaround', 'stock-value']) {
        const operation = reports.operations.find(({ path }) => path === `/reports/${name}`)!
        const run = async () =>
          ctx.query(operation.run({ params: {}, query: {}, body: {} } as never, ctx) as Statement<unknown>)
        if (role !== 'technician') await run()
        else
          await assert.rejects(run, (error: ApiError) => {
            return error.status === 403 && error.details.code === 'report_not_allowed' && /managers/.test(error.message)
          })
      }
    }
  })
})

describe('as CSV', () => {
  test('has the figures of the JSON, and no formula', async () => {
    const shop = await organisation()
    const { id: categoryId } = await made(shop, '/inventory-categories', { name: '=HYPERLINK("x"),1' })
    await made(shop, '/inventory', { name: 'A', categoryId, cost: 2.5, quantityOnHand: -3 })
    const { id: invoiceId } = await made(shop, '/invoices', {
      customerName: 'Ada',
      lineItems: [{ name: 'Work', unitPrice: 100 }],
      status: 'sent',
    })
    await made(shop, '/payments', { invoiceId, amount: 40.5 })
    for (const name of names) {
      const { rows, totals } = (await shop.get(`/reports/${name}`)).body.data
      const reply = await fetch(`${origin}/api/v1/organisations/${shop.orgId}/reports/${name}?format=csv`, {
        headers: { 'x-api-key': shop.key },
      })
      assert.equal(reply.status, 200)
      assert.match(reply.headers.get('content-type')!, /^text\/csv; charset=utf-8$/)
      assert.equal(reply.headers.get('content-disposition'), `attachment; filename="${name}.csv"`)
      const text = await reply.text()
      if (name === 'stock-value') {
        assert.equal(
          text,
          `categoryId,category,items,quantity,value,itemsWithoutCost\r\n${categoryId},"'=HYPERLINK(""x""),1",1,-3,-7.5,0\r\n`,
        )
        continue
      }
      const flat = (row: Record<string, unknown>) =>
        Object.entries(row).flatMap(([field, value]): [string, unknown][] =>
          field === 'invoiced'
            ? totals[0].invoiced.map(({ currency }: { currency: string }) => [
                `invoiced ${currency}`,
                (value as { currency: string; total: number }[]).find((one) => one.currency === currency)?.total ?? 0,
              ])
            : [[field, value]],
        )
      const lines = [
        flat(rows[0]).map(([field]) => field),
        ...rows.map((row: object) => flat({ ...row }).map(([, value]) => value ?? '')),
      ]
      assert.equal(text, lines.map((line) => `${line.join(',')}\r\n`).join(''), name)
    }
  })
})
