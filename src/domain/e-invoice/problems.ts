// What an e-invoice lacks, by the paths under which callers find it: what is not there, and what is there and would be
// refused. Numbers of rules are those of EN 16931 (BR-…), Peppol (R…) and XRechnung (BR-DE-…).
import { isEInvoiceCurrency } from '../code-lists.ts'
import { decimalsOf } from '../money.ts'
import { postalAddress } from './address.ts'
import type { EInvoiceFormat } from './formats.ts'
import { isPeppolAddress } from './identifiers.ts'
import { nationalChecks } from './national.ts'
import { isGerman, type SourceInvoice, sellerIdentifier } from './source.ts'
import type { Vat } from './vat.ts'

/** Without letters that only some alphabets have (BR-DE-28). */
const plainEmail =
  /^[a-z\d!#$%&*+/=?^_`{|}~-]+(?:\.[a-z\d!#$%&*+/=?^_`{|}~-]+)*@(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z\d](?:[a-z\d-]*[a-z\d])?$/i

export function missingFields(
  source: SourceInvoice,
  format: EInvoiceFormat,
  vats: readonly (Vat | undefined)[],
): string[] {
  const { organisation, customer } = source
  const isPeppol = format === 'ubl'
  const german = isGerman(source, format)
  // Where Peppol does not look, the email address stands in.
  const lacksAddress = ({ electronicAddress, email }: typeof organisation | typeof customer) =>
    isPeppol ? !isPeppolAddress(electronicAddress) : german && !electronicAddress && !email
  const hasCategory = (...categories: string[]) => vats.some((vat) => vat && categories.includes(vat.category))
  const hasOthers = hasCategory('S', 'Z', 'E', 'AE')
  const lacksVatId = hasOthers && !organisation.vatId && !organisation.taxNumber
  const hasCity = (address: string | null) => {
    const { city, postCode } = postalAddress(address)
    return city !== null && postCode !== null
  }
  const checks: readonly (readonly [path: string, isMissing: boolean])[] = [
    ['organisation.countryCode', !organisation.countryCode], // BR-09
    // BR-S-02, BR-Z-02, BR-E-02, BR-AE-02
    ['organisation.vatId', lacksVatId],
    ['organisation.taxNumber', !lacksVatId && sellerIdentifier(organisation) === null], // BR-CO-26
    ['organisation.electronicAddress', lacksAddress(organisation)], // R020
    // BR-CL-03; amounts have two decimal places at most (BR-DEC).
    ['organisation.currency', !isEInvoiceCurrency(source.currency) || decimalsOf(source.currency) > 2],
    // BR-DE-1 to BR-DE-7, BR-DE-27 and BR-DE-28: how to pay, and whom to ask.
    ['organisation.iban', german && !organisation.iban],
    ['organisation.address', german && !hasCity(organisation.address)],
    ['organisation.phone', german && !/\d.*\d.*\d/.test(organisation.phone ?? '')],
    ['organisation.email', german && !plainEmail.test(organisation.email ?? '')],
    ['customer.name', !customer.name], // BR-07
    ['customer.countryCode', !customer.countryCode], // BR-11
    ['customer.vatId', hasCategory('AE') && !customer.vatId], // BR-AE-02
    ['customer.electronicAddress', lacksAddress(customer)], // R010
    ['customer.buyerReference', (isPeppol || german) && !customer.buyerReference], // R003, BR-DE-15
    ['customer.address', german && !hasCity(customer.address)], // BR-DE-8, BR-DE-9
    ['lineItems', source.lines.length === 0], // BR-16
    ...(isPeppol ? nationalChecks(source, vats) : []),
  ]
  // What is outside VAT stands alone (BR-O-11), and what has no tax says why.
  const lines = vats.flatMap((vat, index) =>
    !vat || (vat.category === 'O' && hasOthers) ? [`lineItems[${index}].taxRateId`] : [],
  )
  return [...new Set([...checks.flatMap(([path, isMissing]) => (isMissing ? [path] : [])), ...lines])]
}
