// What Peppol asks of sellers in single countries besides. Numbers of rules are Peppol's, with the country in front; Germany's
// are those of XRechnung, and stand in `problems.ts`.
import { isDutchVatId, isNorwegianNumber } from './identifiers.ts'
import { addressReason, type Check, lacks } from './reasons.ts'
import type { SourceAddress, SourceInvoice } from './source.ts'
import type { Vat } from './vat.ts'

type Trader = SourceInvoice['organisation'] | SourceInvoice['customer']

/**
 * The entry in the register of companies, which Denmark and Iceland want: where it is the electronic address, too, and in
 * Denmark also in the VAT id.
 */
export function legalIdentifier({ countryCode, electronicAddress, vatId }: Trader): SourceAddress | null {
  if (countryCode === 'IS') return electronicAddress?.scheme === '0196' ? electronicAddress : null
  if (countryCode !== 'DK') return null
  if (electronicAddress?.scheme === '0184') return electronicAddress
  return /^DK\d{8}$/.test(vatId ?? '') ? { scheme: '0184', value: vatId! } : null
}

/** A transfer: within SEPA where it is in euro, and by a code that Danes give each other (DK-R-005). */
export function transferCode({ currency, organisation, customer }: SourceInvoice): '58' | '30' | '31' {
  if (currency === 'EUR') return '58'
  return organisation.countryCode === 'DK' && customer.countryCode === 'DK' ? '31' : '30'
}

const dutchVatId = 'is no VAT id such as NL123456789B01'

export function nationalChecks(source: SourceInvoice, vats: readonly (Vat | undefined)[]): Check[] {
  const { organisation, customer } = source
  const { countryCode, taxNumber, vatId } = organisation
  const isIn = (...countries: string[]) => countries.includes(countryCode ?? '')
  const isBothIn = (country: string) => isIn(country) && customer.countryCode === country
  // Whoever is outside VAT gives no VAT id.
  const hasVatIds = !vats.some((vat) => vat?.category === 'O')
  const swedishRates = [25, 12, 6]
  return [
    // GR-R-001 to GR-R-010: a number of the Greek tax office stands in each invoice, and none of ours.
    [
      'organisation.countryCode',
      (isIn('GR') || /^(?:EL|GR)/.test(vatId ?? '')) &&
        'is that of a Greek seller, who needs a number of the tax office in every invoice, which is not written',
    ],
    ['organisation.vatId', hasVatIds && countryReason(vatId)],
    // R056-2
    ['customer.vatId', hasVatIds && /^NL/.test(customer.vatId ?? '') && !isDutchVatId(customer.vatId!) && dutchVatId],
    // IT-R-001
    [
      'organisation.taxNumber',
      isIn('IT') &&
        taxNumber !== null &&
        !/^[A-Z0-9]{11,16}$/.test(taxNumber) &&
        'does not consist of 11 to 16 capital letters and digits',
    ],
    ['organisation.electronicAddress', registerReason(organisation)], // DK-R-002, DK-R-014, IS-R-002
    // NL-R-002, IT-R-002 to IT-R-004, IS-R-003
    ['organisation.address', isIn('NL', 'IT') && addressReason(organisation.address, 'street', 'postCode', 'city')],
    ['organisation.address', isIn('IS') && addressReason(organisation.address, 'street', 'postCode')],
    ['organisation.iban', isIn('NL') && source.total > source.amountPaid && lacks(organisation.iban)], // NL-R-007
    ['organisation.bic', Boolean(organisation.iban) && transferCode(source) === '31' && lacks(organisation.bic)], // DK-R-006
    ['customer.electronicAddress', isBothIn('IS') && registerReason(customer)], // IS-R-004
    // NL-R-004, IS-R-005
    ['customer.address', isBothIn('NL') && addressReason(customer.address, 'street', 'postCode', 'city')],
    ['customer.address', isBothIn('IS') && addressReason(customer.address, 'street', 'postCode')],
    // SE-R-006
    ...vats.map(
      (vat, index): Check => [
        `lineItems[${index}].taxRateId`,
        isIn('SE') &&
          /^SE/.test(vatId ?? '') &&
          vat?.category === 'S' &&
          !swedishRates.includes(vat.rate) &&
          'has another rate than 25, 12 or 6 %',
      ],
    ),
  ]
}

function registerReason(trader: Trader): string | false {
  if (!['DK', 'IS'].includes(trader.countryCode ?? '') || legalIdentifier(trader) !== null) return false
  return trader.countryCode === 'IS'
    ? 'is not the kennitala (scheme 0196)'
    : 'is not the CVR number (scheme 0184), and the VAT id does not hold it'
}

/** NO-R-001, SE-R-001, SE-R-002, R056-2. */
function countryReason(vatId: string | null): string | false {
  switch (vatId?.slice(0, 2)) {
    case 'NO':
      return (
        !(/^NO.{9}MVA$/.test(vatId!) && isNorwegianNumber(vatId!.slice(2, 11))) && 'is no VAT id such as NO974760673MVA'
      )
    case 'SE':
      return !/^SE\d{12}$/.test(vatId!) && 'is no VAT id such as SE556036079301'
    case 'NL':
      return !isDutchVatId(vatId!) && dutchVatId
    default:
      return false
  }
}
