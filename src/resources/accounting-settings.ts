// How the shop's bookkeeper keeps the books: the accounts that files for accounting programs name, and what taxes are called there.
import type { Static } from 'typebox'
import { dateFormats } from '../domain/books/day-formats.ts'
import { oneOf, optional, text } from '../operations/fields.ts'
import { t } from '../operations/schemas.ts'

const digits = (most: number, example: string, description: string, least = 1) =>
  t.String({ format: 'digits', minLength: least, maxLength: most, examples: [example], description })
const account = (example: string, description: string) => optional(text(60, { examples: [example], description }))

const datev = t.Object(
  {
    consultant: optional(digits(7, '1001', 'The number of the tax consultant (Berater).')),
    client: optional(digits(5, '1', 'The number of the client (Mandant).')),
    fiscalYearStart: optional(
      t.String({
        format: 'month-day',
        maxLength: 10,
        examples: ['01-01'],
        description: 'Month and day on which fiscal years begin; 01-01 if left out.',
      }),
    ),
    debtorAccount: optional(
      digits(
        9,
        '10000',
        'The account of what customers owe (Debitor): as many digits as `revenueAccount`, or one more.',
      ),
    ),
    revenueAccount: optional(digits(8, '8400', 'The account of what was sold (Erlöse).', 4)),
  },
  { title: 'DatevSettings', additionalProperties: false },
)

export const accountingSettings = t.Object(
  {
    salesAccount: account('200', 'The account of work that was sold.'),
    partsAccount: account('210', 'The account of parts that were sold; the salesAccount if left out.'),
    taxNames: optional(
      t.Unsafe<Readonly<Record<string, string>>>({
        type: 'object',
        additionalProperties: { type: 'string', minLength: 1, maxLength: 100 },
        maxProperties: 200,
        examples: [{ tax_01kbx5v0000000000000000000: '20% (VAT on Income)' }],
        description:
          'What the accounting program calls each tax, by the id of the tax rate; `none` is for lines without tax. The name of the rate where it is not named here. For DATEV it is the tax key (BU-Schlüssel), 1 to 4 digits, which every tax needs but the one that `revenueAccount` knows by itself.',
      }),
    ),
    dateFormat: optional(
      oneOf(dateFormats, {
        examples: ['DD/MM/YYYY'],
        description: 'How files write days; as the program expects if left out.',
      }),
    ),
    datev: optional(datev),
  },
  {
    title: 'Accounting',
    additionalProperties: false,
    description: 'How the books are kept. It is changed as a whole.',
  },
)
export type AccountingSettings = Static<typeof accountingSettings>
