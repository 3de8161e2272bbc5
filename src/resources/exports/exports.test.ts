// Files for the bookkeeper over HTTP: previews, what is given out once, two at the same time, settings, scopes and days.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { untilWaiting } from '../../../test/lock-waits.ts'
import { type Client, startTestService } from '../../../test/test-service.ts'
import { sql } from '../../db/database.ts'
import { lockOrganisationFor } from '../../db/organisation-lock.ts'

const { organisation, client, origin, database } = await startTestService()

const made = async (shop: Client, path: string, body: object) => {
  const { status, body: answer } = await shop.post(path, body)
  assert.equal(status, 201, JSON.stringify(answer))
  return answer.data
}
const read = async (shop: Client, path: string) => {
  const answer = await fetch(path.startsWith('http') ? path : `${origin}/api/v1/organisations/${shop.orgId}${path}`, {
    headers: { 'x-api-key': shop.key },
  })
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    rows: (await answer.text()).trimEnd().split('\r\n'),
  }
}
const november = 'from=2026-11-01&to=2026-11-30'
const period = { from: '2026-11-01', to: '2026-11-30' }
const invoiceOf = (shop: Client, body: object = {}) =>
  made(shop, '/invoices', {
    customerName: 'Amara Okafor',
    issuedAt: '2026-11-10T12:00:00Z',
    status: 'sent',
    lineItems: [{ name: 'Oven', unitPrice: 100 }],
    ...body,
  })

/** A shop that keeps its books, with two invoices of November. */
async function bookShop() {
  const shop = await organisation()
  const datev = { consultant: '1001', client: '7', debtorAccount: '10000', revenueAccount: '8400' }
  await shop.put('', { accounting: { salesAccount: '200', datev } })
  return { shop, invoices: [await invoiceOf(shop), await invoiceOf(shop)] }
}

describe('a preview', () => {
  test('holds what was issued on those days where the shop is, without drafts and void ones', async () => {
    const { shop, invoices } = await bookShop()
    await shop.put('', { timeZone: 'Pacific/Auckland' })
    const first = await invoiceOf(shop, { issuedAt: '2026-10-31T12:00:00Z' }) // the first of November there
    await invoiceOf(shop, { issuedAt: '2026-11-30T12:00:00Z' }) // December there
    await invoiceOf(shop, { status: 'draft' })
    await invoiceOf(shop, { status: 'void' })
    for (let times = 0; times < 2; times++) {
      const { status, type, rows } = await read(shop, `/exports/invoices?${november}`)
      assert.deepEqual([status, type], [200, 'text/csv; charset=utf-8'])
      assert.deepEqual(
        rows.slice(1).map((row) => row.split(',')[0]),
        [first, ...invoices].map(({ invoiceNumber }) => invoiceNumber),
      )
    }
  })

  test('comes in every format', async () => {
    const { shop, invoices } = await bookShop()
    const begins = {
      csv: 'Invoice,',
      xero: '*ContactName,',
      quickbooks: '*InvoiceNo,',
      journal: 'Date,Reference,',
      datev: '"EXTF";',
    }
    for (const [format, start] of Object.entries(begins)) {
      const { status, type, rows } = await read(shop, `/exports/invoices?format=${format}&${november}`)
      assert.deepEqual([status, rows[0]!.slice(0, start.length)], [200, start], format)
      assert.equal(type, `text/csv; charset=${format === 'datev' ? 'windows-1252' : 'utf-8'}`)
      assert.ok(rows.join().includes(invoices[1].invoiceNumber), format)
    }
    await made(shop, '/payments', { invoiceId: invoices[0].id, amount: 40, paidAt: '2026-11-12T12:00:00Z' })
    for (const format of ['csv', 'xero', 'quickbooks']) {
      const { rows } = await read(shop, `/exports/payments?format=${format}&${november}`)
      assert.equal(rows.length, 2)
      assert.match(rows[1]!, /,40\.00,Amara Okafor,/)
    }
  })

  test('is refused where its lines are long together, before they are read', async () => {
    const shop = await organisation()
    const description = 'Oven, door and seal replaced. '.repeat(66)
    const lineItems = Array.from({ length: 60 }, (_, n) => ({
      name: `Line ${n}`,
      description,
      unitPrice: 1,
      taxRateId: null,
    }))
    for (let times = 0; times < 9; times++) await invoiceOf(shop, { lineItems })
    const { status, body } = await shop.get(`/exports/invoices?${november}`)
    assert.deepEqual(
      [status, body.error],
      [
        400,
        'from and to hold invoices whose lines have more text together than one file takes; choose a shorter period, and make several files',
      ],
    )
    assert.equal((await shop.post('/exports', { format: 'csv', ...period })).status, 400)
    assert.equal((await read(shop, '/exports/invoices?from=2026-10-01&to=2026-10-31')).rows.length, 1)
  })

  test('says what the settings lack, and what is wrong with the period', async () => {
    const { shop } = await bookShop()
    await shop.put('', { accounting: null })
    const { status, body } = await shop.get(`/exports/invoices?format=xero&${november}`)
    assert.deepEqual(
      [status, body.code, body.data],
      [409, 'EXPORT_INCOMPLETE', { missing: ['organisation.accounting.salesAccount'] }],
    )
    const wrong = async (query: string) => (await shop.get(`/exports/invoices?${query}`)).status
    assert.deepEqual(
      [
        await wrong('from=2026-12-01&to=2026-11-01'),
        await wrong('from=2024-01-01&to=2026-01-01'),
        await wrong('format=sage'),
      ],
      [400, 400, 400],
    )
    const datev = { consultant: '1001', client: '7', debtorAccount: '10000', revenueAccount: '8400' }
    await shop.put('', { accounting: { datev } })
    const wrongAccount = await shop.put('', { accounting: { datev: { ...datev, debtorAccount: '100000' } } })
    assert.deepEqual(
      [wrongAccount.status, wrongAccount.body.error],
      [
        400,
        'accounting.datev.debtorAccount must have as many digits as revenueAccount, or one more, such as 10000 where that is 8400',
      ],
    )
    for (const taxNames of [{ 'tax_\u0000': 'VAT' }, { tax_1: 'VA\u0000T' }]) {
      assert.equal((await shop.put('', { accounting: { datev, taxNames } })).status, 400)
    }
    const years = await shop.get('/exports/invoices?format=datev&from=2025-12-01&to=2026-01-31')
    assert.match(years.body.error, /one fiscal year.* one up to 2025-12-31 and one from 2026-01-01 on$/)
    const long = await shop.get('/exports/invoices?from=2024-01-01&to=2026-01-01')
    assert.equal(long.body.error, 'from must be at most 367 days before to; choose a shorter period')
  })
})

test('DATEV: rates that the account cannot know together need keys, and what was stored before is read and named', async () => {
  const { shop } = await bookShop()
  const rates = [
    await made(shop, '/tax-rates', { name: '19', rate: 19 }),
    await made(shop, '/tax-rates', { rate: 7, name: '7' }),
  ]
  const lineItems = rates.map(({ id }) => ({ name: 'Oven', unitPrice: 100, taxRateId: id }))
  await invoiceOf(shop, { lineItems, issuedAt: '2026-10-10T12:00:00Z' })
  const october = '/exports/invoices?format=datev&from=2026-10-01&to=2026-10-31'
  const { status, body } = await shop.get(october)
  const path = 'organisation.accounting.taxNames.'
  assert.deepEqual([status, body.code], [409, 'EXPORT_INCOMPLETE'])
  assert.deepEqual(body.data.missing.sort(), rates.map(({ id }) => `${path}${id}`).sort())
  const { accounting } = (await shop.get('')).body.data
  await shop.put('', { accounting: { ...accounting, taxNames: { [rates[1].id]: '2' } } })
  const { rows } = await read(shop, october)
  assert.deepEqual(
    rows.slice(2).map((row) => row.split(';').filter((_, cell) => [0, 8].includes(cell))),
    [
      ['119,00', '""'],
      ['107,00', '"2"'],
    ],
  )
  await database.query(sql`update organisations set accounting = jsonb_set(accounting, '{datev,debtorAccount}', '"100"')
    where org_id = ${shop.orgId}`)
  assert.equal((await shop.get('')).body.data.accounting.datev.debtorAccount, '100')
  assert.deepEqual((await shop.get(october)).body.data.missing, ['organisation.accounting.datev.debtorAccount'])
})

describe('what is given out', () => {
  test('is remembered: the next file leaves it out, unless it is asked for again', async () => {
    const { shop, invoices } = await bookShop()
    const first = await made(shop, '/exports', { kind: 'invoices', format: 'xero', ...period })
    assert.match(first.id, /^exp_/)
    assert.deepEqual([first.count, first.again, first.from, first.to], [2, false, '2026-11-01', '2026-11-30'])
    const late = await invoiceOf(shop)
    const second = await made(shop, '/exports', { kind: 'invoices', format: 'journal', ...period })
    const third = await made(shop, '/exports', { kind: 'invoices', format: 'xero', ...period })
    const again = await made(shop, '/exports', { kind: 'invoices', format: 'xero', ...period, again: true })
    assert.deepEqual([second.count, third.count, again.count], [1, 0, 3])
    const held = async ({ fileUrl }: { fileUrl: string }) => (await read(shop, fileUrl)).rows.join()
    assert.ok((await held(first)).includes(invoices[0].invoiceNumber))
    assert.ok((await held(second)).includes(late.invoiceNumber))
    // The file stays as it was.
    await shop.put(`/invoices/${invoices[0].id}`, { customerName: 'Somebody else' })
    assert.ok(!(await held(first)).includes('Somebody else'))
    const { exports } = (await shop.get('/exports')).body.data
    assert.deepEqual(
      exports.map(({ id }: { id: string }) => id),
      [again, third, second, first].map(({ id }) => id),
    )
    assert.deepEqual((await shop.get(`/exports/${first.id}`)).body.data, first)
  })

  test('payments are remembered apart from invoices', async () => {
    const { shop, invoices } = await bookShop()
    await made(shop, '/payments', { invoiceId: invoices[0].id, amount: 40, paidAt: '2026-11-12T12:00:00Z' })
    await made(shop, '/payments', { invoiceId: invoices[0].id, amount: -5, paidAt: '2026-11-13T12:00:00Z' })
    const counts = []
    for (const kind of ['payments', 'invoices', 'payments'])
      counts.push((await made(shop, '/exports', { kind, format: 'csv', ...period })).count)
    assert.deepEqual(counts, [2, 2, 0])
    const { status, body } = await shop.post('/exports', { kind: 'payments', format: 'datev', ...period })
    assert.deepEqual([status, body.error], [400, 'format must be one of csv, xero, quickbooks for payments'])
  })

  test('is in one file, however many are made at once', async () => {
    const { shop } = await bookShop()
    for (let more = 0; more < 5; more++) await invoiceOf(shop)
    const made_ = await Promise.all(
      Array.from({ length: 8 }, () => made(shop, '/exports', { kind: 'invoices', format: 'csv', ...period })),
    )
    assert.deepEqual(made_.map(({ count }) => count).sort(), [0, 0, 0, 0, 0, 0, 0, 7])
  })

  test('waits for a file that is being made, and is not in the next one', async () => {
    const { shop, invoices } = await bookShop()
    const { orgId } = shop
    const { next } = await database.transaction('test', async (transaction) => {
      await lockOrganisationFor(transaction, orgId, 'one judge')
      const asked = made(shop, '/exports', { kind: 'invoices', format: 'csv', ...period })
      await untilWaiting(database, '%organisation_locks%', asked)
      await transaction.query(sql`insert into exports (org_id, id, kind, format, first_day, last_day, count, content)
        values (${orgId}, 'exp_first', 'invoices', 'csv', '2026-11-01', '2026-11-30', 1, '\\x')`)
      await transaction.query(sql`insert into exported_records (org_id, export_id, record_id, kind, again)
        values (${orgId}, 'exp_first', ${invoices[0].id}, 'invoices', false)`)
      return { next: asked }
    })
    assert.equal((await next).count, 1)
    // The database holds it as well.
    const twice = sql`insert into exported_records (org_id, export_id, record_id, kind, again)
      values (${orgId}, 'exp_first', ${invoices[1].id}, 'invoices', false)`
    await assert.rejects(database.query(twice), /exported_records_held/)
  })

  test('is not remembered where it was refused', async () => {
    const { shop } = await bookShop()
    await shop.put('', { accounting: null })
    assert.equal((await shop.post('/exports', { format: 'xero', ...period })).status, 409)
    await shop.put('', { accounting: { salesAccount: '200' } })
    assert.equal((await made(shop, '/exports', { format: 'xero', ...period })).count, 2)
  })

  test('needs the scopes of what it holds, and stays in its organisation', async () => {
    const { shop, invoices } = await bookShop()
    await made(shop, '/payments', { invoiceId: invoices[0].id, amount: 40, paidAt: '2026-11-12T12:00:00Z' })
    const paid = await made(shop, '/exports', { kind: 'payments', format: 'csv', ...period })
    const billing = await client(shop.orgId, { name: 'b', scopes: ['invoices:write', 'invoices:read'] })
    const needed = async (answer: Promise<{ status: number; body: { requiredScopes?: string[] } }>) => {
      const { status, body } = await answer
      return [status, body.requiredScopes]
    }
    assert.deepEqual(await needed(billing.post('/exports', { kind: 'payments', format: 'csv' })), [
      403,
      ['invoices:write', 'payments:read'],
    ])
    assert.deepEqual(await needed(billing.get(`/exports/${paid.id}/file`)), [403, ['invoices:read', 'payments:read']])
    // What it tells beside the file is guarded as the file is, and a page is full without it.
    assert.deepEqual(await needed(billing.get(`/exports/${paid.id}`)), [403, ['invoices:read', 'payments:read']])
    const sold = await made(shop, '/exports', { kind: 'invoices', format: 'csv', ...period })
    await made(shop, '/exports', { kind: 'payments', format: 'csv', ...period })
    const listed = async (one: typeof shop, query: string) =>
      (await one.get(`/exports${query}`)).body.data.exports.map(({ id }: { id: string }) => id)
    assert.deepEqual(await listed(billing, '?limit=1'), [sold.id])
    assert.deepEqual(await listed(billing, ''), [sold.id])
    assert.equal((await listed(shop, '')).length, 3)
    assert.equal((await billing.get(`/exports/${sold.id}`)).status, 200)
    assert.equal((await billing.post('/exports', { kind: 'invoices', format: 'csv' })).status, 201)
    const reader = await client(shop.orgId, { name: 'r', scopes: ['invoices:read'] })
    assert.deepEqual(await needed(reader.post('/exports', { format: 'csv' })), [403, ['invoices:write']])
    const other = await organisation()
    assert.equal((await other.get(`/exports/${paid.id}/file`)).status, 404)
    assert.equal((await other.get(`/exports/${paid.id}`)).status, 404)
  })
})
