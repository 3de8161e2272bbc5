// E-invoices over HTTP: the fields they need, what is refused and named, and the files that come back.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { getDocumentProxy } from 'unpdf'
import { type Client, startTestService } from '../../../test/test-service.ts'

const { organisation, origin } = await startTestService()

const made = async (shop: Client, path: string, body: object) => {
  const { status, body: answer } = await shop.post(path, body)
  assert.equal(status, 201, JSON.stringify(answer))
  return answer.data
}
const seller = {
  legalName: 'Harbour Repairs & Sons Ltd',
  countryCode: 'DE',
  vatId: 'DE123456789',
  iban: 'DE89 3704 0044 0532 0130 00',
  bic: 'COBADEFFXXX',
  electronicAddress: { scheme: '9930', value: 'DE123456789' },
  email: 'hello@harbour.example',
  phone: '+49 40 123456',
  address: '3 Hafenstraße\n20457 Hamburg',
  currency: 'EUR',
}
const buyer = {
  countryCode: 'BE',
  vatId: 'BE0123456749',
  electronicAddress: { scheme: '0208', value: '0123456749' },
  buyerReference: 'PO 7',
  address: '12 Mill Lane\n1000 Brussels',
}
const outcome = async (shop: Client, invoiceId: string, format: string) => {
  const { status, body } = await shop.get(`/invoices/${invoiceId}/e-invoice?format=${format}`)
  return [status, body.code, body.data?.missing]
}
const fileOf = async (shop: Client, invoiceId: string, format: string) => {
  const path = `/api/v1/organisations/${shop.orgId}/invoices/${invoiceId}/e-invoice?format=${format}`
  return fetch(origin + path, { headers: { 'x-api-key': shop.key } })
}

/** A shop with everything, and an invoice over one line of 100 at 20 %, of which 20 is paid. */
async function furnished() {
  const shop = await organisation({ name: 'Harbour Repairs' })
  assert.equal((await shop.put('', seller)).status, 200)
  const customer = await made(shop, '/customers', { firstName: 'Amara', businessName: 'Okafor Bakery', ...buyer })
  const tax = await made(shop, '/tax-rates', { name: 'VAT', rate: 20 })
  const lineItems = [{ name: 'Oven', unitPrice: 50, quantity: 2, unitCode: 'HUR', taxRateId: tax.id }]
  const invoice = await made(shop, '/invoices', { customerId: customer.id, lineItems, status: 'sent' })
  await made(shop, '/payments', { invoiceId: invoice.id, amount: 20 })
  return { shop, customer, tax, invoice, lineItems }
}

describe('the fields', () => {
  test('are kept as they are written, and refused by name', async () => {
    const { shop, customer, invoice } = await furnished()
    const { body } = await shop.get('')
    for (const [field, value] of Object.entries(seller)) assert.deepEqual(body.data[field], value, field)
    for (const [field, value] of Object.entries(buyer)) assert.deepEqual(customer[field], value, field)
    assert.equal(invoice.lineItems[0].unitCode, 'HUR')
    const refusals: [object, string][] = [
      [{ countryCode: 'UK' }, 'countryCode must be an ISO 3166 country code such as GB'],
      [{ vatId: 'DE 123' }, 'vatId must be a VAT id that begins with its country, without spaces, such as DE123456789'],
      [
        { vatId: 'QQ123456' },
        'vatId must be a VAT id that begins with its country, without spaces, such as DE123456789',
      ],
      [
        { iban: 'DE89370400440532013001' },
        'iban must be an IBAN such as DE89370400440532013000; its check digits are looked at',
      ],
      [{ bic: 'COBA' }, 'bic must be a BIC of 8 or 11 characters such as COBADEFFXXX'],
      [{ electronicAddress: { scheme: '0208' } }, 'electronicAddress.value is required'],
      [{ electronicAddress: { scheme: '0208', value: '1', type: 'x' } }, 'electronicAddress.type is not allowed'],
      [{ eInvoiceFormat: 'pdf' }, 'eInvoiceFormat must be one of ubl, xrechnung, factur-x'],
      [
        { accounting: { dateFormat: 'D/M/Y' } },
        'accounting.dateFormat must be one of YYYY-MM-DD, DD/MM/YYYY, MM/DD/YYYY, DD.MM.YYYY',
      ],
      [{ accounting: { account: '1' } }, 'accounting.account is not allowed'],
      [{ accounting: { datev: { consultant: 'x' } } }, 'accounting.datev.consultant must be digits alone'],
    ]
    for (const [change, reason] of refusals) {
      const answer = await shop.put('', change)
      assert.deepEqual([answer.status, answer.body.error], [400, reason])
    }
    const scheme = await shop.put('', { electronicAddress: { scheme: '1234', value: '1' } })
    assert.match(scheme.body.error, /^electronicAddress\.scheme must be a code of the list EAS/)
    const accounting = { salesAccount: '200', taxNames: { none: 'No VAT' }, datev: { client: '7' } }
    assert.deepEqual((await shop.put('', { accounting })).body.data.accounting, accounting)
  })

  test('a line keeps its unit when the document is changed without naming it, and is counted in pieces by itself', async () => {
    const { shop, invoice, lineItems } = await furnished()
    const [{ unitCode: _, ...line }] = lineItems as [(typeof lineItems)[0]]
    const path = `/invoices/${invoice.id}`
    assert.equal((await shop.put(path, { lineItems: [line] })).body.data.lineItems[0].unitCode, 'HUR')
    const other = { name: 'Part', unitPrice: 1 }
    assert.equal((await shop.put(path, { lineItems: [line, other] })).body.data.lineItems[1].unitCode, 'C62')
    const wrong = await shop.put(path, { lineItems: [{ ...line, unitCode: 'hours' }] })
    assert.match(wrong.body.error, /^lineItems\[0\]\.unitCode must be one of C62, /)
    const ticket = await made(shop, '/tickets', { customerName: 'Amara' })
    await made(shop, `/tickets/${ticket.id}/services`, { name: 'Look', unitPrice: 5 })
    assert.equal((await made(shop, '/invoices', { ticketId: ticket.id })).lineItems[0].unitCode, 'C62')
  })

  test('a tax rate has the category that fits it', async () => {
    const shop = await organisation()
    const category = async (body: object) => (await made(shop, '/tax-rates', { name: 'T', ...body })).vatCategory
    assert.deepEqual([await category({ rate: 20 }), await category({ rate: 0 })], ['S', 'Z'])
    const exempt = await made(shop, '/tax-rates', {
      name: 'T',
      rate: 0,
      vatCategory: 'E',
      exemptionReason: 'Small business',
    })
    const refusals: [object, string][] = [
      [{ rate: 0, vatCategory: 'E' }, 'exemptionReason is required'],
      [{ rate: 20, vatCategory: 'E', exemptionReason: 'x' }, 'vatCategory E needs a rate of 0; send S, or a rate of 0'],
      [{ rate: 0, vatCategory: 'S' }, 'vatCategory S needs a rate above 0; send Z, E, AE or O'],
    ]
    for (const [body, reason] of refusals) {
      const answer = await shop.post('/tax-rates', { name: 'T', ...body })
      assert.deepEqual([answer.status, answer.body.error], [400, reason])
    }
    const raised = await shop.put(`/tax-rates/${exempt.id}`, { rate: 5 })
    assert.equal(raised.body.error, 'vatCategory E needs a rate of 0; send S, or a rate of 0')
    assert.equal(
      (await shop.put(`/tax-rates/${exempt.id}`, { exemptionReason: null })).body.error,
      'exemptionReason is required',
    )
    assert.equal((await shop.get(`/tax-rates/${exempt.id}`)).body.data.rate, 0)
    // What the rate says by itself follows it, also where it was sent.
    const taxed = await made(shop, '/tax-rates', { name: 'T', rate: 20, vatCategory: 'S' })
    assert.equal((await shop.put(`/tax-rates/${taxed.id}`, { rate: 0 })).body.data.vatCategory, 'Z')
  })
})

describe('an e-invoice', () => {
  test('comes as XML with its sums, what was paid among them', async () => {
    const { shop, invoice } = await furnished()
    const answer = await fileOf(shop, invoice.id, 'ubl')
    assert.deepEqual(
      [answer.status, answer.headers.get('content-type'), answer.headers.get('content-disposition')],
      [200, 'application/xml; charset=utf-8', `attachment; filename="${invoice.invoiceNumber}.xml"`],
    )
    const xml = await answer.text()
    assert.match(xml, /<cbc:RegistrationName>Harbour Repairs &amp; Sons Ltd</)
    assert.match(xml, /<cbc:PrepaidAmount currencyID="EUR">20\.00<.*<cbc:PayableAmount currencyID="EUR">100\.00</)
    assert.match(xml, /<cbc:InvoicedQuantity unitCode="HUR">2</)
    assert.match(await (await fileOf(shop, invoice.id, 'xrechnung')).text(), /xrechnung_3\.0/)
  })

  test('comes inside its PDF', async () => {
    const { shop, invoice } = await furnished()
    const answer = await fileOf(shop, invoice.id, 'factur-x')
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/pdf'])
    const document = await getDocumentProxy(new Uint8Array(await answer.arrayBuffer()))
    const files = (await document.getAttachments()) as Record<string, { content: Uint8Array }>
    assert.deepEqual(Object.keys(files), ['factur-x.xml'])
    assert.match(Buffer.from(files['factur-x.xml']!.content).toString(), /<ram:DuePayableAmount>100\.00</)
  })

  test('is refused while it is a draft, when it is void, and where something is missing', async () => {
    const { shop, invoice, customer, lineItems } = await furnished()
    const draft = await made(shop, '/invoices', { customerId: customer.id, lineItems })
    assert.deepEqual(await outcome(shop, draft.id, 'ubl'), [409, 'INVOICE_IS_DRAFT', undefined])
    await shop.put(`/invoices/${draft.id}`, { status: 'void' })
    assert.deepEqual(await outcome(shop, draft.id, 'ubl'), [409, 'INVOICE_IS_VOID', undefined])
    await shop.put('', { countryCode: null })
    await shop.put(`/customers/${customer.id}`, { buyerReference: null })
    const missing = ['organisation.countryCode', 'customer.buyerReference']
    assert.deepEqual(await outcome(shop, invoice.id, 'ubl'), [409, 'E_INVOICE_INCOMPLETE', missing])
    assert.deepEqual(await outcome(shop, invoice.id, 'factur-x'), [409, 'E_INVOICE_INCOMPLETE', missing.slice(0, 1)])
    assert.deepEqual(await outcome(shop, 'inv_none', 'ubl'), [404, undefined, undefined])
    const wrong = await shop.get(`/invoices/${invoice.id}/e-invoice?format=pdf`)
    assert.equal(wrong.body.error, 'format must be one of ubl, xrechnung, factur-x')
    assert.deepEqual((await shop.get(`/invoices/${invoice.id}/e-invoice`)).body.data, {
      missing,
      problems: missing.map((field) => ({ field, reason: 'is missing' })),
    })
    const other = await organisation()
    assert.deepEqual(await outcome(other, invoice.id, 'ubl'), [404, undefined, undefined])
  })

  test('says why nothing is taxed, as the rate of the line says today', async () => {
    const { shop, customer } = await furnished()
    const exempt = await made(shop, '/tax-rates', {
      name: 'None',
      rate: 0,
      vatCategory: 'E',
      exemptionReason: 'Small business',
    })
    const lineItems = [{ name: 'Oven', unitPrice: 50, taxRateId: exempt.id }]
    const { id } = await made(shop, '/invoices', { customerId: customer.id, lineItems, status: 'sent' })
    assert.match(await (await fileOf(shop, id, 'ubl')).text(), /<cbc:ID>E<.*<cbc:TaxExemptionReason>Small business</)
    await shop.delete(`/tax-rates/${exempt.id}`)
    assert.deepEqual(await outcome(shop, id, 'ubl'), [409, 'E_INVOICE_INCOMPLETE', ['lineItems[0].taxRateId']])
  })
})
