// What an e-invoice says of a trader, whether that is the shop or its customer.
import { optional, text } from '../operations/fields.ts'
import { t } from '../operations/schemas.ts'

const electronicAddress = t.Object(
  {
    scheme: t.String({
      format: 'electronic-address-scheme',
      maxLength: 4,
      examples: ['0088'],
      description: 'Such as 0088 (GLN) or EM (email).',
    }),
    value: text(100, { examples: ['7300010000001'] }),
  },
  {
    title: 'ElectronicAddress',
    additionalProperties: false,
    description: 'Where e-invoices go, as on Peppol.',
  },
)

export interface ElectronicAddress {
  readonly scheme: string
  readonly value: string
}

/** Of the shop and of its customers alike. */
export const tradingFields = {
  countryCode: optional(
    t.String({ format: 'country', maxLength: 2, examples: ['GB'], description: 'ISO 3166, two letters.' }),
  ),
  vatId: optional(
    t.String({ format: 'vat-id', maxLength: 20, examples: ['GB123456789'], description: 'Begins with the country.' }),
  ),
  electronicAddress: optional(electronicAddress),
}
