// The fields of the organisation that its page changes, in groups: what people call them, and what is sent.
import { type SecondFactorRule, secondFactorRules } from '../domain/second-factor.ts'
import type { ElectronicAddress } from '../resources/trading-fields.ts'
import type { EditedField } from './changes.ts'
import { addressLength, addressText, typedAddress } from './electronic-address.ts'
import type { Labels } from './refusal-words.ts'

/** As `getOrganisation` answers it. */
export type Organisation = Readonly<Record<string, string | number | ElectronicAddress | null>>

export interface OrganisationField {
  readonly label: string
  readonly kind: 'line' | 'area' | 'number' | 'choice'
  readonly hint?: string
  /** What it must be, as the browser knows it. */
  readonly type?: 'email' | 'url' | 'tel'
  readonly maxLength?: number
  readonly isRequired?: boolean
  /** Values that a browser offers while one types. */
  readonly offers?: () => readonly string[]
  readonly choices?: readonly (readonly [value: string, words: string])[]
}

const secondFactorWords: Readonly<Record<SecondFactorRule, string>> = {
  admins: 'Admins only',
  managers: 'Admins and managers',
  everybody: 'Everybody',
}

/** In the order of the page, by what they are about. */
export const organisationGroups: readonly (readonly [
  title: string,
  fields: Readonly<Record<string, OrganisationField>>,
])[] = [
  [
    'What customers see',
    {
      name: { label: 'Name', kind: 'line', maxLength: 120, isRequired: true },
      address: { label: 'Address', kind: 'area', maxLength: 500 },
      phone: { label: 'Phone', kind: 'line', type: 'tel', maxLength: 40 },
      email: { label: 'Email', kind: 'line', type: 'email', maxLength: 254, hint: 'Answers to your mail go here.' },
      website: { label: 'Website', kind: 'line', type: 'url', maxLength: 300 },
      taxNumber: { label: 'Tax number', kind: 'line', maxLength: 60, hint: 'Printed on quotes and invoices.' },
      logoUrl: {
        label: 'Address of the logo',
        kind: 'line',
        type: 'url',
        maxLength: 500,
        hint: 'A picture on the web, whose address begins with https.',
      },
    },
  ],
  [
    'Quotes and invoices',
    {
      quoteNumberPrefix: { label: 'Quote numbers begin with', kind: 'line', maxLength: 10 },
      invoiceNumberPrefix: {
        label: 'Invoice numbers begin with',
        kind: 'line',
        maxLength: 10,
        hint: 'For new ones: numbers that were given stay.',
      },
      quoteValidDays: { label: 'Days a quote can be accepted', kind: 'number' },
      invoiceDueDays: { label: 'Days until an invoice is due', kind: 'number' },
      documentTerms: { label: 'Terms', kind: 'area', maxLength: 5_000, hint: 'Printed below the lines of new ones.' },
      paymentInstructions: { label: 'How to pay', kind: 'area', maxLength: 5_000 },
    },
  ],
  [
    'Bank and e-invoices',
    {
      legalName: { label: 'Registered name', kind: 'line', maxLength: 200, hint: 'Where it is not the name above.' },
      countryCode: {
        label: 'Country',
        kind: 'line',
        maxLength: 2,
        hint: 'Two letters, such as GB. E-invoices need it.',
      },
      vatId: { label: 'VAT id', kind: 'line', maxLength: 20, hint: 'With the country in front, such as DE123456789.' },
      iban: { label: 'IBAN', kind: 'line', maxLength: 42 },
      bic: { label: 'BIC', kind: 'line', maxLength: 11 },
      electronicAddress: {
        label: 'Electronic address',
        kind: 'line',
        maxLength: addressLength,
        hint: 'Where you are found on the Peppol network: the scheme, a colon and the number, such as 0208:0123456749.',
      },
      eInvoiceFormat: {
        label: 'E-invoice that goes along with mail',
        kind: 'choice',
        choices: [
          ['', 'None'],
          ['factur-x', 'Factur-X (ZUGFeRD), inside the PDF'],
          ['ubl', 'UBL (Peppol), a file beside the PDF'],
          ['xrechnung', 'XRechnung, a file beside the PDF'],
        ],
      },
    },
  ],
  [
    'Money, time and language',
    {
      currency: {
        label: 'Currency',
        kind: 'line',
        maxLength: 3,
        isRequired: true,
        offers: () => Intl.supportedValuesOf('currency'),
        hint: 'Three letters, such as GBP. It cannot change once there is a quote or an invoice.',
      },
      timeZone: {
        label: 'Time zone',
        kind: 'line',
        maxLength: 64,
        isRequired: true,
        offers: () => Intl.supportedValuesOf('timeZone'),
        hint: 'Days begin and end by it from now on. Visits that are planned keep their moment; agreements keep the zone they were made in.',
      },
      locale: { label: 'Language of documents', kind: 'line', maxLength: 35, isRequired: true, hint: 'Such as en-GB.' },
    },
  ],
  [
    'Signing in',
    {
      secondFactor: {
        label: 'Who needs a second factor',
        kind: 'choice',
        choices: secondFactorRules.map((rule) => [rule, secondFactorWords[rule]]),
        hint: 'Those who have none yet set it up when they sign in next.',
      },
    },
  ],
]

export const allFields = Object.fromEntries(organisationGroups.flatMap(([, fields]) => Object.entries(fields)))

export const organisationLabels: Labels = Object.fromEntries(
  Object.entries(allFields).map(([name, { label }]) => [name, `${label[0]!.toLowerCase()}${label.slice(1)}`]),
)

/** As its field shows it. */
export function organisationText(record: Organisation, name: string): string {
  const value = record[name] ?? ''
  return typeof value === 'object' ? addressText(value) : String(value)
}

/** What is empty is none, but for what a number begins with, which may be nothing. */
export const organisationFields: readonly EditedField<Organisation>[] = Object.entries(allFields).map(
  ([name, { label, kind }]) => ({
    name,
    label,
    textOf: (record) => organisationText(record, name),
    bodyOf(typed) {
      if (name === 'electronicAddress') return { [name]: typedAddress(typed) }
      if (kind === 'number') return { [name]: /^\d{1,4}$/.test(typed) ? Number(typed) : typed }
      return { [name]: typed === '' && !name.endsWith('Prefix') ? null : typed }
    },
  }),
)
