// A job's discount as it is written and answered.
import type { Static } from 'typebox'
import { oneOf, optional, text } from '../../operations/fields.ts'
import { t } from '../../operations/schemas.ts'

/** Of a sum; a percentage goes to 100. */
export const maxDiscount = 100_000_000

const fields = {
  type: oneOf(['percent', 'fixed'], { examples: ['percent'] }),
  value: t.Number({
    minimum: 0,
    maximum: maxDiscount,
    examples: [10],
    description: 'Percent up to 100, or a sum.',
  }),
}
export const discount = t.Object(
  { ...fields, reason: optional(text(200, { examples: ['Loyal customer'] })) },
  { title: 'Discount', additionalProperties: false },
)
export type Discount = Static<typeof discount>
