// E-invoices by worked examples, by what they lack, and by what must hold for any invoice.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { anySource, sourceInvoice, sourceLine } from '../../../test/e-invoices.ts'
import { decimalsOf, toScaled } from '../money.ts'
import { postalAddress } from './address.ts'
import { ciiXml } from './cii.ts'
import { type EInvoice, judgeEInvoice } from './e-invoice.ts'
import { eInvoiceFormats } from './formats.ts'
import type { SourceInvoice } from './source.ts'
import { ublXml } from './ubl.ts'

const judged = (source: SourceInvoice, format: EInvoice['format'] = 'ubl'): EInvoice => {
  const found = judgeEInvoice(source, format)
  assert.ok('eInvoice' in found, JSON.stringify(found))
  return found.eInvoice
}
const problems = (source: SourceInvoice, format: EInvoice['format'] = 'ubl') => {
  const found = judgeEInvoice(source, format)
  return 'problems' in found ? found.problems : []
}
const missing = (source: SourceInvoice, format?: EInvoice['format']) =>
  problems(source, format).map(({ field }) => field)
const at = (rate: number, isInclusive = false) => ({ taxRate: { name: 'VAT', rate, isInclusive } })
const untaxed = (category: string) => ({ taxRateId: `tax_${category}`, ...at(0) })

describe('worked examples', () => {
  test('prices without tax: the lines are as they stand, and what was paid is taken off', () => {
    const { lines, sums, vatSums } = judged(
      sourceInvoice({
        lines: [sourceLine({ quantity: 3, unitPrice: 0.3333 }), sourceLine({ unitPrice: 100 })],
        discount: { type: 'percent', value: 10 },
        amountPaid: 20,
      }),
    )
    assert.deepEqual(
      lines.map(({ price, quantity, net }) => [price, quantity, net]),
      [
        ['0.3333', '3', '1.00'],
        ['100', '1', '100.00'],
      ],
    )
    assert.deepEqual(sums, {
      ...{ lines: '101.00', allowances: '10.10', net: '90.90', tax: '18.18', total: '109.08' },
      ...{ paid: '20.00', payable: '89.08' },
    })
    assert.deepEqual(
      vatSums.map(({ vat, allowance, taxable, tax }) => [vat.category, vat.rate, allowance, taxable, tax]),
      [['S', 20, '10.10', '90.90', '18.18']],
    )
  })

  test('prices that hold the tax: no cent is lost between the lines and the sum', () => {
    const line = sourceLine({ unitPrice: 99.99, ...at(20, true) })
    const { lines, sums } = judged(sourceInvoice({ lines: [line, line, line] }))
    assert.deepEqual(
      lines.map(({ net }) => net),
      ['83.33', '83.32', '83.32'],
    )
    assert.deepEqual([sums.lines, sums.net, sums.tax, sums.total], ['249.97', '249.97', '50.00', '299.97'])
  })

  test('equal rates with different names are one group, prices with and without tax too', () => {
    const { vatSums } = judged(
      sourceInvoice({ lines: [sourceLine({ unitPrice: 10 }), sourceLine({ unitPrice: 12, ...at(20, true) })] }),
    )
    assert.deepEqual(
      vatSums.map(({ taxable, tax }) => [taxable, tax]),
      [['20.00', '4.00']],
    )
  })

  test('what is not taxed says why, by the rate it was sold at', () => {
    const lines = [sourceLine(untaxed('E')), sourceLine(untaxed('Z')), sourceLine(untaxed('AE'))]
    const { vatSums } = judged(sourceInvoice({ lines, discount: { type: 'fixed', value: 30 } }))
    assert.deepEqual(
      vatSums.map(({ vat, allowance, taxable, tax }) => [vat.category, vat.reason, allowance, taxable, tax]),
      [
        ['E', 'Because of E', '10.00', '90.00', '0.00'],
        ['Z', null, '10.00', '90.00', '0.00'],
        ['AE', 'Because of AE', '10.00', '90.00', '0.00'],
      ],
    )
  })

  test('a shop outside VAT gives no VAT id, and is known by something else', () => {
    const { organisation } = sourceInvoice()
    const untouched = sourceLine({ taxRateId: null, taxRate: null })
    const { seller, buyer, vatSums } = judged(
      sourceInvoice({ lines: [untouched], organisation: { ...organisation, vatId: null } }),
    )
    assert.deepEqual([seller.vatId, buyer.vatId, seller.identifier], [null, null, 'DE123456789'])
    assert.deepEqual(vatSums[0]!.vat, { category: 'O', rate: 0, reason: 'Not subject to VAT' })
  })

  test('names are escaped, and what is empty is left out', () => {
    const eInvoice = judged(sourceInvoice({ title: null, lines: [sourceLine({ name: 'Nut & <Bolt>\u0007' })] }))
    for (const xml of [ublXml(eInvoice), ciiXml(eInvoice)]) {
      assert.ok(xml.includes('Nut &amp; &lt;Bolt&gt;<'), xml)
      assert.doesNotMatch(xml, /<\w+:\w+><\/(?!ram:ApplicableHeaderTradeDelivery)/)
    }
  })
})

describe('what is missing', () => {
  const bare = (): SourceInvoice => {
    const { organisation, customer } = sourceInvoice()
    const nothing = <T extends object>(of: T) => Object.fromEntries(Object.keys(of).map((key) => [key, null]))
    return sourceInvoice({
      organisation: { ...organisation, ...nothing(organisation), name: 'Shop' } as SourceInvoice['organisation'],
      customer: { ...customer, ...nothing(customer) } as SourceInvoice['customer'],
    })
  }

  test('is named by its path, for each format', () => {
    const both = ['organisation.countryCode', 'organisation.vatId']
    assert.deepEqual(missing(bare(), 'factur-x'), [...both, 'customer.name', 'customer.countryCode'])
    assert.deepEqual(missing(bare(), 'ubl'), [
      ...[...both, 'organisation.electronicAddress', 'customer.name', 'customer.countryCode'],
      ...['customer.electronicAddress', 'customer.buyerReference'],
    ])
    assert.deepEqual(missing(bare(), 'xrechnung'), [
      ...[...both, 'organisation.electronicAddress', 'organisation.iban', 'organisation.address'],
      ...['organisation.phone', 'organisation.email', 'customer.name', 'customer.countryCode'],
      ...['customer.electronicAddress', 'customer.buyerReference', 'customer.address'],
    ])
  })

  test('says what is wrong with each: whether nothing is there, or something that would be refused', () => {
    const { organisation, customer } = sourceInvoice()
    const reasons = (seller: object, buyer: object, format: EInvoice['format']) =>
      problems(
        sourceInvoice({ organisation: { ...organisation, ...seller }, customer: { ...customer, ...buyer } }),
        format,
      ).map(({ field, reason }) => `${field} ${reason}`)
    assert.deepEqual(reasons({ electronicAddress: null }, { electronicAddress: null }, 'ubl'), [
      'organisation.electronicAddress is missing',
      'customer.electronicAddress is missing',
    ])
    const byEmail = { electronicAddress: { scheme: 'EM', value: 'ann@quay.example' } }
    const mistyped = { electronicAddress: { scheme: '0208', value: '0123456789' } }
    assert.deepEqual(reasons(byEmail, mistyped, 'ubl'), [
      'organisation.electronicAddress has the scheme EM, to which Peppol does not deliver',
      'customer.electronicAddress is no number of the scheme 0208: its form or a check digit is wrong',
    ])
    assert.deepEqual(
      reasons({ phone: '12', email: 'ann@quay', address: '3 Quay Street' }, { address: null }, 'xrechnung'),
      [
        'organisation.address shows no post code and no city on its lines',
        'organisation.phone has fewer than three digits',
        'organisation.email has letters beyond a to z, or no full domain',
        'customer.address is missing',
      ],
    )
    assert.deepEqual(reasons({ phone: null }, {}, 'xrechnung'), ['organisation.phone is missing'])
  })

  test('is told at once: sums beside settings, and what a country asks though only the VAT id says which it is', () => {
    const { organisation, customer } = sourceInvoice()
    const bare = { ...sourceInvoice({ organisation: { ...organisation, countryCode: null } }), total: 121 }
    assert.deepEqual(missing(bare), ['organisation.countryCode', 'lineItems'])
    const free = sourceLine({ taxRateId: null, taxRate: null })
    assert.deepEqual(missing({ ...sourceInvoice({ lines: [sourceLine(), free] }), netTotal: 1 }), [
      'lineItems',
      'lineItems[1].taxRateId',
    ])
    const german = { ...organisation, countryCode: null, iban: null }
    const buyer = { ...customer, countryCode: null, vatId: 'DE123456789', address: null }
    assert.deepEqual(missing(sourceInvoice({ organisation: german, customer: buyer }), 'ubl'), [
      ...['organisation.countryCode', 'organisation.iban', 'customer.countryCode', 'customer.address'],
    ])
    const greek = { ...organisation, vatId: 'EL123456789', countryCode: null }
    assert.deepEqual(missing(sourceInvoice({ organisation: greek }), 'ubl'), ['organisation.countryCode'])
  })

  test('a reverse charge names the customer, and a line without tax its reason', () => {
    const { customer } = sourceInvoice()
    const reverse = sourceInvoice({ lines: [sourceLine(untaxed('AE'))], customer: { ...customer, vatId: null } })
    assert.deepEqual(missing(reverse), ['customer.vatId'])
    const withoutReason = sourceInvoice({ lines: [sourceLine(), sourceLine({ taxRateId: null, taxRate: null })] })
    assert.deepEqual(missing(withoutReason), ['lineItems[1].taxRateId'])
    const gone = sourceInvoice({ lines: [sourceLine({ taxRateId: 'tax_gone', ...at(0) })] })
    assert.deepEqual(missing(gone), ['lineItems[0].taxRateId'])
    const mixed = sourceInvoice({ lines: [sourceLine(untaxed('O')), sourceLine()] })
    assert.deepEqual(missing(mixed), ['lineItems[0].taxRateId'])
  })

  test('an invoice has lines, which come to its total, in a currency of two decimal places at most', () => {
    assert.deepEqual(missing(sourceInvoice({ lines: [] })), ['lineItems'])
    assert.deepEqual(missing({ ...sourceInvoice(), total: 121 }), ['lineItems'])
    assert.deepEqual(missing(sourceInvoice({ currency: 'KWD' })), ['organisation.currency'])
    // Half a yen rounded under each of two names is no longer what one rate of their sum would be.
    const named = (name: string) => sourceLine({ unitPrice: 3, taxRate: { name, rate: 50, isInclusive: false } })
    const yen = (...names: string[]) => missing(sourceInvoice({ currency: 'JPY', lines: names.map(named) }))
    assert.deepEqual([yen('A'), yen('A', 'B')], [[], ['lineItems']])
  })
})

test('an address is read off its lines', () => {
  const read = (text: string) => {
    const { street, more, postCode, city } = postalAddress(text)
    return [street, more, postCode, city]
  }
  assert.deepEqual(read('3 Hafenstraße\n20457 Hamburg\nDeutschland'), ['3 Hafenstraße', null, '20457', 'Hamburg'])
  assert.deepEqual(read('Unit 4\n3 Quay Street\nBristol BS1 4DB'), ['Unit 4', '3 Quay Street', 'BS1 4DB', 'Bristol'])
  assert.deepEqual(read('3 Quay Street\nBristol\nBS1 4DB'), ['3 Quay Street', null, 'BS1 4DB', 'Bristol'])
  assert.deepEqual(read('Damrak 1, 1012 LG Amsterdam'), ['Damrak 1', null, '1012 LG', 'Amsterdam'])
  assert.deepEqual(read('742 Evergreen Terrace\nSpringfield, IL 62704'), [
    ...['742 Evergreen Terrace', null, '62704', 'Springfield'],
  ])
  assert.deepEqual(read('Somewhere'), ['Somewhere', null, null, null])
})

test('for any invoice the sums are its own to the cent, and add up as BR-CO-10 to BR-CO-17 want it', () => {
  fc.assert(
    fc.property(anySource, fc.constantFrom(...eInvoiceFormats), (source, format) => {
      const { lines, sums, vatSums } = judged(source, format)
      const minor = (amount: string | null) => toScaled(Number(amount ?? 0), decimalsOf(source.currency))!
      const sum = (amounts: readonly (string | null)[]) => amounts.reduce((all, one) => all + minor(one), 0n)
      assert.equal(sum(lines.map(({ net }) => net)), minor(sums.lines)) // BR-CO-10
      assert.equal(sum(vatSums.map(({ allowance }) => allowance)), minor(sums.allowances)) // BR-CO-11
      assert.equal(minor(sums.lines) - minor(sums.allowances), minor(sums.net)) // BR-CO-13
      assert.equal(sum(vatSums.map(({ tax }) => tax)), minor(sums.tax)) // BR-CO-14
      assert.equal(minor(sums.net) + minor(sums.tax), minor(sums.total)) // BR-CO-15
      assert.equal(minor(sums.total) - minor(sums.paid), minor(sums.payable)) // BR-CO-16
      assert.deepEqual([sums.net, sums.tax, sums.total, sums.paid ?? 0].map(Number), [
        source.netTotal,
        source.taxTotal,
        source.total,
        source.amountPaid,
      ])
      for (const { allowance, taxable } of vatSums) assert.ok(minor(allowance) >= 0n && minor(taxable) >= 0n)
      // Peppol's R120: quantity times price is the line, within two cents.
      for (const { quantity, price, net } of lines)
        assert.ok(Math.abs(Number(quantity) * Number(price) - Number(net)) <= 0.02, `${quantity} × ${price} ≠ ${net}`)
    }),
    { numRuns: 300 },
  )
})

test('for any invoice both syntaxes say the same sums', () => {
  fc.assert(
    fc.property(anySource, (source) => {
      const eInvoice = judged(source, 'factur-x')
      const amounts = (xml: string, names: readonly string[]) =>
        names.map((name) => [...xml.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^<]*)<`, 'g'))].map(([, text]) => text))
      const cii = ['LineTotalAmount', 'ActualAmount', 'BasisAmount', 'CalculatedAmount', 'GrandTotalAmount']
      const ubl = ['LineExtensionAmount', 'Amount', 'TaxableAmount', 'TaxAmount', 'TaxInclusiveAmount']
      const ciiAmounts = amounts(
        ciiXml(eInvoice),
        [...cii, 'TotalPrepaidAmount', 'DuePayableAmount'].map((name) => `ram:${name}`),
      )
      const ublAmounts = amounts(
        ublXml(eInvoice),
        [...ubl, 'PrepaidAmount', 'PayableAmount'].map((name) => `cbc:${name}`),
      )
      // The sum of the tax stands before its parts in one, and apart from them in the other.
      ublAmounts[3]!.shift()
      for (const [index, some] of ublAmounts.entries())
        assert.deepEqual(some.toSorted(), ciiAmounts[index]!.toSorted(), ubl[index])
    }),
    { numRuns: 100 },
  )
})
