// What keeps an e-invoice from being written, by the paths under which callers find it: what is not there, and what is there
// and would be refused. Numbers of rules are those of EN 16931 (BR-…), Peppol (R…) and XRechnung (BR-DE-…).
import { isEInvoiceCurrency } from '../code-lists.ts'
import { decimalsOf } from '../money.ts'
import type { EInvoiceFormat } from './formats.ts'
import { nationalChecks } from './national.ts'
import { addressReason, type Check, lacks, missing, type Problem, peppolAddressReason } from './reasons.ts'
import { isGerman, type SourceInvoice, sellerIdentifier } from './source.ts'
import type { Vat } from './vat.ts'

/** Without letters that only some alphabets have (BR-DE-28). */
const plainEmail =
  /^[a-z\d!#$%&*+/=?^_`{|}~-]+(?:\.[a-z\d!#$%&*+/=?^_`{|}~-]+)*@(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z\d](?:[a-z\d-]*[a-z\d])?$/i

export function findProblems(
  source: SourceInvoice,
  format: EInvoiceFormat,
  vats: readonly (Vat | undefined)[],
  isReckoned: boolean,
): Problem[] {
  const { organisation, customer } = source
  const isPeppol = format === 'ubl'
  const presumed = { ...source, organisation: withCountry(organisation), customer: withCountry(customer) }
  const german = isGerman(presumed, format)
  // Where Peppol does not look, the email address stands in.
  const electronicReason = ({ electronicAddress, email }: typeof organisation | typeof customer) =>
    isPeppol
      ? peppolAddressReason(electronicAddress)
      : german && !electronicAddress && !email && 'is missing, and there is no email address in its place'
  const hasCategory = (...categories: string[]) => vats.some((vat) => vat && categories.includes(vat.category))
  const hasOthers = hasCategory('S', 'Z', 'E', 'AE')
  const lacksVatId = hasOthers && !organisation.vatId && !organisation.taxNumber
  const checks: readonly Check[] = [
    ['organisation.countryCode', lacks(organisation.countryCode)], // BR-09
    // BR-S-02, BR-Z-02, BR-E-02, BR-AE-02
    ['organisation.vatId', lacksVatId && 'is missing, and there is no tax number in its place'],
    // BR-CO-26
    [
      'organisation.taxNumber',
      !lacksVatId && sellerIdentifier(organisation) === null && 'is missing, and nothing else says who the seller is',
    ],
    ['organisation.electronicAddress', electronicReason(organisation)], // R020
    ['organisation.currency', currencyReason(source.currency)],
    // BR-DE-1 to BR-DE-7, BR-DE-27 and BR-DE-28: how to pay, and whom to ask.
    ['organisation.iban', german && lacks(organisation.iban)],
    ['organisation.address', german && addressReason(organisation.address, 'postCode', 'city')],
    ['organisation.phone', german && phoneReason(organisation.phone)],
    ['organisation.email', german && emailReason(organisation.email)],
    ['customer.name', lacks(customer.name)], // BR-07
    ['customer.countryCode', lacks(customer.countryCode)], // BR-11
    ['customer.vatId', hasCategory('AE') && !customer.vatId && 'is missing, and the customer owes the tax'], // BR-AE-02
    ['customer.electronicAddress', electronicReason(customer)], // R010
    ['customer.buyerReference', (isPeppol || german) && lacks(customer.buyerReference)], // R003, BR-DE-15
    ['customer.address', german && addressReason(customer.address, 'postCode', 'city')], // BR-DE-8, BR-DE-9
    ['lineItems', source.lines.length === 0 && 'has no line'], // BR-16
    ['lineItems', !isReckoned && 'does not come to the total of the invoice'],
    ...(isPeppol ? nationalChecks(presumed, vats) : []),
    ...vats.map((vat, index): Check => [`lineItems[${index}].taxRateId`, untaxedReason(vat, hasOthers)]),
  ]
  // One field may be wrong for several readers; the first reason is the plainest.
  const reasons = new Map<string, string>()
  for (const [field, reason] of checks) if (reason !== false && !reasons.has(field)) reasons.set(field, reason)
  return [...reasons].map(([field, reason]) => ({ field, reason }))
}

/** Where the country is missing the VAT id says it, so that what the country asks is told along with it. Greece is EL there. */
function withCountry<T extends { readonly countryCode: string | null; readonly vatId: string | null }>(trader: T): T {
  const countryCode = trader.countryCode ?? trader.vatId?.slice(0, 2).replace('EL', 'GR') ?? null
  return { ...trader, countryCode }
}

/** BR-CL-03; amounts have two decimal places at most (BR-DEC). */
function currencyReason(currency: string): string | false {
  if (decimalsOf(currency) > 2) return 'has more than two decimal places'
  return !isEInvoiceCurrency(currency) && 'is no currency of today'
}

function phoneReason(phone: string | null): string | false {
  if (!phone) return missing
  return !/\d.*\d.*\d/.test(phone) && 'has fewer than three digits'
}

function emailReason(email: string | null): string | false {
  if (!email) return missing
  return !plainEmail.test(email) && 'has letters beyond a to z, or no full domain'
}

/** What is outside VAT stands alone (BR-O-11), and what has no tax says why. */
function untaxedReason(vat: Vat | undefined, hasOthers: boolean): string | false {
  if (!vat) return 'does not say why no tax is charged'
  return vat.category === 'O' && hasOthers && 'is outside VAT, beside lines that are not'
}
