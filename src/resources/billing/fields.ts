// The fields that quotes and invoices have in common, as callers write them and as they are answered.
import type { Static, TObject, TProperties } from 'typebox'
import { dateTime, email, id, integer, nullable, oneOf, optional, text } from '../../operations/fields.ts'
import { createFields, recordSchema, updateSchema } from '../../operations/record-schemas.ts'
import { timestampJson } from '../../operations/row-codec.ts'
import { t } from '../../operations/schemas.ts'
import { externalFields } from '../external-ids.ts'
import { discount } from '../tickets/discount-record.ts'
import { taxTotal } from '../tickets/totals.ts'
import { type LineItem, lineItemInputs, lineItems } from './line-items.ts'
import { shareLinkTransform } from './share-link.ts'

const deposit = t.Object(discount.properties, { ...discount, title: 'Deposit' })

const plainFields = {
  customerId: optional(id({ description: "The job's customer if left out." })),
  ticketId: optional(id({ description: 'The job it is for.' })),
  customerName: optional(text(200, { examples: ['Amara Okafor'], description: "The customer's name if left out." })),
  customerEmail: optional(email({ examples: ['amara@okafor-bakery.example'] })),
  title: optional(text(200, { examples: ['Deck oven repair'] })),
  notes: optional(text(5_000, { description: 'For staff only.' })),
  terms: optional(text(5_000, { description: "Printed on the document; the organisation's if left out." })),
  ...externalFields,
}
const discountFields = { discount: optional(discount), deposit: optional(deposit) }

/** What enters bodies, with what only one kind of document has. */
export const writableFields = <Own extends TProperties>(ownFields: Own) => ({
  ...plainFields,
  lineItems: lineItemInputs,
  ...discountFields,
  ...ownFields,
})

export const bodySchemas = <Fields extends TProperties>(fields: Fields, title: string) => ({
  createBody: t.Object(createFields(fields), { title: `${title}Create` }),
  updateBody: updateSchema(fields, `${title}Update`),
})

const amount = (example: number) => t.Number({ decimals: 4, examples: [example] })

const shareLink = t.Object(
  {
    url: nullable(
      t.String({
        examples: ['https://jobs.harbour-repairs.example/s/4rJ0p2mXkq8sT6vYb1nZ3wE5uH7cL9aD'],
        description: 'Null for callers who may only read: whoever has it can answer a quote.',
      }),
    ),
    expiresAt: nullable(dateTime()),
    createdAt: dateTime(),
    lastViewedAt: nullable(dateTime()),
    viewCount: integer(0, 2_147_483_647),
  },
  { title: 'ShareLink' },
)
const delivery = t.Object(
  {
    id: id(),
    to: t.String({ examples: ['amara@okafor-bakery.example'] }),
    status: oneOf(['queued', 'sent', 'failed'], { examples: ['queued'] }),
    queuedAt: dateTime(),
    sentAt: nullable(dateTime()),
    failureReason: nullable(t.String()),
  },
  { title: 'Delivery' },
)

/** What is answered of every document, after its number. */
export const documentFields = {
  ...(recordSchema(plainFields, '').properties as unknown as typeof plainFields),
  lineItems: t.Unsafe<readonly LineItem[]>(lineItems),
  discount: nullable(discount),
  deposit: nullable(deposit),
  currency: t.String({ examples: ['GBP'] }),
  subtotal: amount(105),
  discountTotal: amount(0),
  netTotal: amount(105),
  taxTotal: amount(21),
  total: amount(126),
  taxes: t.Array(taxTotal),
  depositAmount: amount(0),
  sentAt: nullable(dateTime()),
  viewedAt: nullable(dateTime({ description: 'When the customer first opened the shared page.' })),
  shareLink: nullable(shareLink),
  delivery: nullable(delivery),
}

/** A document as a caller writes it; a change leaves out what stays. */
export type DocumentBody = Readonly<Static<TObject<ReturnType<typeof writableFields<Record<never, never>>>>>>

/** What it says once it is written: fields without a value are null. */
export type DocumentContent = Readonly<
  Pick<Required<Static<TObject<typeof documentFields>>>, keyof DocumentBody | 'currency'>
>

/** A document from another system has been there for a while, and keeps its number where that is free. */
export interface BroughtDocument {
  readonly id: string
  readonly number?: string | undefined
  readonly createdAt?: string | undefined
}

/** How those are read that are no column of the document. */
export const readExpressions = (documents: 'quotes' | 'invoices', column: 'quote_id' | 'invoice_id') => ({
  shareLink: `(select json_build_object('url', sealed_token, 'expiresAt', ${timestampJson('expires_at')},
      'createdAt', ${timestampJson('created_at')}, 'lastViewedAt', ${timestampJson('last_viewed_at')}, 'viewCount', view_count)
    from share_links where share_links.org_id = ${documents}.org_id and share_links.${column} = ${documents}.id
      and (expires_at is null or expires_at > now()))`,
  delivery: `(select json_build_object('id', id, 'to', to_address, 'status', outbox.status, 'queuedAt', ${timestampJson('created_at')},
      'sentAt', ${timestampJson('outbox.sent_at')}, 'failureReason', failure_reason)
    from outbox where outbox.org_id = ${documents}.org_id and outbox.${column} = ${documents}.id and reminder_id is null
    order by created_at desc, id desc limit 1)`,
})

/** A link is stored encrypted. */
export const transforms = (documents: 'quotes' | 'invoices') => ({
  shareLink: shareLinkTransform(`${documents}:write`),
})
