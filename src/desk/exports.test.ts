// Money out at the desk: files for the bookkeeper, how the books are kept, e-invoices, and the fields that these need.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { signIntoDesk } from '../../test/desk-user.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'

const here = await startTestService({ PORT: await freePort() })
const shop = await here.organisation({ name: 'Harbour Repairs' })
const [admin, manager] = [await signIntoDesk(here, shop.orgId), await signIntoDesk(here, shop.orgId, 'manager')]
const made = async (path: string, body: object) => {
  const answer = await shop.post(path, body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.data
}
const tax = await made('/tax-rates', { name: 'VAT', rate: 20 })
const customer = await made('/customers', { firstName: 'Amara', businessName: 'Okafor Bakery' })
const invoice = await made('/invoices', {
  ...{ customerId: customer.id, issuedAt: '2026-10-10T12:00:00Z', status: 'sent' },
  lineItems: [{ name: 'Oven', unitPrice: 100, taxRateId: tax.id }],
})
const october = { kind: 'invoices', from: '2026-10-01', to: '2026-10-31' }

describe('files for the bookkeeper', () => {
  test('what a file needs is said in words, with the way there, and filled in on the page of settings', async () => {
    const asked = { ...october, format: 'xero' }
    const refused = await admin.submit(await admin.open('/exports'), '/exports', asked)
    assert.equal(refused.status, 409)
    assert.match(refused.text, /needs to know: account of sales\..*href="[^"]*\/settings\/accounting"/s)
    assert.match((await manager.submit(await manager.open('/exports'), '/exports', asked)).text, /An admin fills it in/)

    const [page, stale] = [await admin.open('/settings/accounting'), await admin.open('/settings/accounting')]
    const action = '/settings/accounting'
    const wrong = await admin.submit(page, action, { salesAccount: '200', consultant: 'x' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /id="consultant-wrong"[^>]*>Consultant \(Berater\) must be digits alone/)
    assert.match(wrong.text, /value="200"/)
    const fields = {
      salesAccount: '200',
      dateFormat: 'DD.MM.YYYY',
      client: '7',
      [`tax.${tax.id}`]: '20% (VAT on Income)',
    }
    assert.match((await admin.submit(page, action, fields)).text, /Saved\./)
    const late = await admin.submit(stale, action, { salesAccount: '999' })
    assert.equal(late.status, 412)
    assert.match(late.text, /What you typed is kept/)
    assert.deepEqual((await shop.get('')).body.data.accounting, {
      ...{ salesAccount: '200', dateFormat: 'DD.MM.YYYY', datev: { client: '7' } },
      taxNames: { [tax.id]: '20% (VAT on Income)' },
    })
    const gone = { tax_gone: 'Old', [tax.id]: '20% (VAT on Income)' }
    await shop.put('', { accounting: { salesAccount: '200', taxNames: gone } })
    const cleared = await admin.submit(await admin.open(action), action, { client: '', dateFormat: '' })
    assert.match(cleared.text, /value="20% \(VAT on Income\)"/)
    assert.deepEqual((await shop.get('')).body.data.accounting, { salesAccount: '200', taxNames: gone })
  })

  test('a file is made once, stays in the list, and is downloaded as it was', async () => {
    const asked = { ...october, format: 'xero' }
    const first = await manager.submit(await manager.open('/exports'), '/exports', asked)
    assert.match(first.text, /The file is made/)
    const [, path] = /href="\/desk\/[^/]+(\/exports\/exp_[^"]+\/file)"/.exec(first.text) ?? []
    const file = await manager.open(path!)
    assert.match(file.headers.get('content-type')!, /^text\/csv/)
    assert.match(file.text, new RegExp(`${invoice.invoiceNumber},.*,200,20% \\(VAT on Income\\),`))
    const second = await manager.submit(await manager.open('/exports'), '/exports', asked)
    assert.match(second.text, /nothing on these days is new/)
    const { exports } = (await shop.get('/exports')).body.data
    assert.deepEqual(
      exports.map(({ count }: { count: number }) => count),
      [0, 1],
    )
    // What holds nothing is not offered as something to book.
    const rowOf = ({ id }: { id: string }) => new RegExp(`<li id="${id}">.*?</li>`, 's').exec(second.text)![0]
    assert.match(rowOf(exports[0]), /nothing new/)
    assert.doesNotMatch(rowOf(exports[0]), /Download|href/)
    assert.match(rowOf(exports[1]), /1 record.*Download/s)
    const wrong = await manager.submit(await manager.open('/exports'), '/exports', { ...asked, from: '2026-12-01' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /role="alert".*value="2026-12-01"/s)
  })
})

test('the days and the system stay chosen for the next file', async () => {
  const spring = { kind: 'payments', format: 'quickbooks', from: '2026-03-01', to: '2026-04-30' }
  const { text } = await manager.submit(await manager.open('/exports'), '/exports', spring)
  for (const kept of [
    'value="2026-03-01"',
    'value="2026-04-30"',
    'value="payments" selected',
    'value="quickbooks" selected',
  ])
    assert.ok(text.includes(kept), kept)
  // An address that somebody made up chooses nothing.
  const odd = await manager.open('/exports?from=%22%3E%3Cb%3E&to=2026-3-1&kind=x&kind=y')
  assert.equal(odd.status, 200)
  assert.doesNotMatch(odd.text, /<b>|2026-3-1/)
})

test('who may not read payments sees no files, and nothing that was told beside them', async () => {
  const technician = await signIntoDesk(here, shop.orgId, 'technician')
  const { id } = await made('/exports', { ...october, kind: 'payments', format: 'csv' })
  for (const path of ['/exports', `/exports/${id}/file`]) {
    const { status, text } = await technician.open(path)
    assert.deepEqual([status, text.includes(id)], [403, false], path)
  }
})

test('an invoice that is void since a file held it is named beside the next file', async () => {
  const other = await here.organisation()
  const clerk = await signIntoDesk(here, other.orgId)
  const issued = { customerName: 'Amara', issuedAt: '2026-10-10T12:00:00Z', status: 'sent' }
  const { id, invoiceNumber } = (await other.post('/invoices', issued)).body.data
  const asked = { ...october, format: 'csv' }
  const make = async () => clerk.submit(await clerk.open('/exports'), '/exports', asked)
  await make()
  await other.put(`/invoices/${id}`, { status: 'void' })
  const told = `1 invoice that was booked before was voided, deleted or set back to draft since: ${invoiceNumber}: take it out of the books.`
  const alone = (await make()).text
  assert.ok(alone.includes('Below stands what else the books need') && alone.includes(told), alone)
  const again = (await other.post('/invoices', issued)).body.data
  await make()
  await other.put(`/invoices/${again.id}`, { status: 'void' })
  await other.post('/invoices', issued)
  assert.match((await make()).text, /The file is made: download it below\. Beside it stands/)
})

test('the taxes that DATEV needs a key for are called what the shop calls them', async () => {
  const other = await here.organisation()
  const clerk = await signIntoDesk(here, other.orgId)
  const datev = { consultant: '1001', client: '7', debtorAccount: '10000', revenueAccount: '8400' }
  await other.put('', { accounting: { datev } })
  const lineItems = []
  for (const rate of [19, 7]) {
    const { id } = (await other.post('/tax-rates', { name: `USt ${rate} %`, rate })).body.data
    lineItems.push({ name: 'Oven', unitPrice: 100, taxRateId: id })
  }
  await other.post('/invoices', { customerName: 'Amara', issuedAt: '2026-10-10T12:00:00Z', status: 'sent', lineItems })
  const asked = { ...october, format: 'datev' }
  const refused = await clerk.submit(await clerk.open('/exports'), '/exports', asked)
  assert.match(refused.text, /tax key \(BU-Schlüssel\) for each of these taxes but the one .*: USt 19 %, USt 7 %\./)
  const action = '/settings/accounting'
  const wrong = await clerk.submit(await clerk.open(action), action, { debtorAccount: '100' })
  assert.match(
    wrong.text,
    /Account of customers \(Debitor\) must have as many digits as account of sales \(Erlöse\), or one more/,
  )
})

describe('an e-invoice', () => {
  const path = `/invoices/${invoice.id}/e-invoice/ubl`

  test('says in words what is missing or wrong and where that is corrected, and is a file once nothing is', async () => {
    const lacking = await admin.open(path)
    assert.equal(lacking.status, 409)
    assert.match(lacking.text, /\/settings\/organisation"><span class="grow">Your country is missing</)
    assert.match(
      lacking.text,
      new RegExp(`/customers/${customer.id}/edit"><span class="grow">The customer’s electronic address is missing<`),
    )
    assert.match(
      (await manager.open(path)).text,
      /<span class="line"><span class="grow">Your country is missing<.*an admin corrects/s,
    )

    const page = await admin.open('/settings/organisation')
    const wrong = await admin.submit(page, '/settings/organisation', { electronicAddress: 'somewhere' })
    assert.match(wrong.text, /id="electronicAddress-wrong"[^>]*>Electronic address must be a code/)
    await admin.submit(page, '/settings/organisation', {
      ...{ countryCode: 'DE', vatId: 'DE123456789', electronicAddress: '9930:DE123456789' },
    })
    const setAddress = async (electronicAddress: string) => {
      const edit = await admin.open(`/customers/${customer.id}/edit`)
      const fields = { countryCode: 'BE', electronicAddress, buyerReference: 'PO 7' }
      await admin.submit(edit, `/customers/${customer.id}`, fields)
    }
    await setAddress('0208:0123456789')
    assert.match(
      (await admin.open(path)).text,
      /The customer’s electronic address is no number of the scheme 0208: its form/,
    )
    await setAddress('0208:0123456749')
    const file = await admin.open(path)
    assert.deepEqual([file.status, file.headers.get('content-type')], [200, 'application/xml; charset=utf-8'])
    assert.match(file.text, /<cbc:EndpointID schemeID="0208">0123456749</)
    assert.match((await admin.open(`/invoices/${invoice.id}`)).text, /As an e-invoice.*e-invoice\/factur-x"/s)
  })

  test('its fields stay when others are changed', async () => {
    const settings = await admin.open('/settings/organisation')
    assert.match(settings.text, /name="electronicAddress"[^>]* value="9930:DE123456789"/)
    await admin.submit(settings, '/settings/organisation', { phone: '020 7946 0001' })
    const edit = await admin.open(`/customers/${customer.id}/edit`)
    assert.match(edit.text, /name="electronicAddress" value="0208:0123456749"/)
    await admin.submit(edit, `/customers/${customer.id}`, { phone: '020 7946 0002', countryCode: '' })
    const { data: organisation } = (await shop.get('')).body
    const { data: changed } = (await shop.get(`/customers/${customer.id}`)).body
    assert.deepEqual(
      [
        organisation.phone,
        organisation.electronicAddress,
        changed.phone,
        changed.countryCode,
        changed.electronicAddress,
      ],
      [
        ...['020 7946 0001', { scheme: '9930', value: 'DE123456789' }, '020 7946 0002', null],
        { scheme: '0208', value: '0123456749' },
      ],
    )
  })
})
