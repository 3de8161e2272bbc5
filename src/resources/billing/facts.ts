// What must be known before a quote or an invoice is written.
import { sql } from '../../db/database.ts'
import { organisationLock } from '../../db/organisation-lock.ts'
import { notFound } from '../../operations/errors.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import type { Discount } from '../tickets/discount-record.ts'
import { type CatalogueSources, type LineItem, type LineItemInput, referencedIds } from './line-items.ts'

export interface DocumentFacts extends CatalogueSources {
  /** The database's clock. */
  readonly now: Date
  readonly currency: string
  readonly documentTerms: string | null
  readonly paymentInstructions: string | null
  readonly quoteValidDays: number
  readonly invoiceDueDays: number
  readonly customer: { readonly name: string; readonly email: string | null } | null
  readonly ticket: {
    readonly customerId: string | null
    readonly customerName: string | null
    readonly customerEmail: string | null
    readonly discount: Discount | null
  } | null
  /** The job's services, then its parts. */
  readonly ticketLines: readonly LineItem[]
}

export interface DocumentReferences {
  readonly customerId?: string | null | undefined
  readonly ticketId?: string | null | undefined
  readonly lineItems?: readonly LineItemInput[] | undefined
}

/** The organisation is locked first, so that its currency stays what it is. The statements are sent at once. */
export async function loadDocumentFacts(ctx: Context, references: DocumentReferences): Promise<DocumentFacts> {
  const [, { now }, facts] = await Promise.all([
    ctx.query(statement(organisationLock(ctx.orgId, 'document writer'), () => {})),
    ctx.query(selectNow),
    ctx.query(selectDocumentFacts(ctx, references)),
  ])
  return { now, ...facts }
}

/** Asked for by itself: where tables are distributed, each machine has a moment of its own, and this is that of new rows. */
const selectNow = statement(sql`select now()::timestamptz(3) as now`, ([clock]: Pick<DocumentFacts, 'now'>[]) => clock!)

function selectDocumentFacts(
  { orgId }: Context,
  { customerId, ticketId, lineItems = [] }: DocumentReferences,
): Statement<Omit<DocumentFacts, 'now'>> {
  const { services, inventory, taxRates } = referencedIds(lineItems)
  return statement(
    sql`select currency, document_terms as "documentTerms", payment_instructions as "paymentInstructions",
        quote_valid_days as "quoteValidDays", invoice_due_days as "invoiceDueDays",
        (select to_json(c) from (
          select coalesce(business_name, concat_ws(' ', first_name, last_name)) as name, email
          from customers where org_id = ${orgId} and id = ${customerId ?? null}) c) as customer,
        (select to_json(t) from (
          select customer_id as "customerId", customer_name as "customerName", customer_email as "customerEmail", discount
          from tickets where org_id = ${orgId} and id = ${ticketId ?? null}) t) as ticket,
        (select coalesce(json_agg(line), '[]') from (
          (select 'service' as kind, service_id as "serviceId", null as "inventoryItemId", ${copiedColumns},
            null as "serialNumber", 'C62' as "unitCode", null as sku, ${taxColumns} from service_lines where org_id = ${orgId} and ticket_id = ${ticketId ?? null} order by created_at, id)
          union all
          (select 'inventory', null, inventory_item_id, ${copiedColumns}, serial_number, 'C62', sku, ${taxColumns} from inventory_lines where org_id = ${orgId} and ticket_id = ${ticketId ?? null} order by created_at, id)
          ) line) as "ticketLines",
        (select coalesce(json_agg(s), '[]') from (
          select id, ${catalogueColumns}, null as sku from services where org_id = ${orgId} and id = any(${services})) s) as services,
        (select coalesce(json_agg(i), '[]') from (
          select id, ${catalogueColumns}, sku from inventory where org_id = ${orgId} and id = any(${inventory})) i) as inventory,
        (select coalesce(json_agg(r), '[]') from (
          select id, name, rate, is_inclusive as "isInclusive", default_enabled as "isDefault" from tax_rates
          where org_id = ${orgId} and (default_enabled or id = any(${taxRates})
            or id in (select tax_rate_id from services where org_id = ${orgId} and id = any(${services}))
            or id in (select tax_rate_id from inventory where org_id = ${orgId} and id = any(${inventory})))) r) as "taxRates"
      from organisations where org_id = ${orgId}`,
    ([facts]: Omit<DocumentFacts, 'now'>[]) => {
      if (customerId && !facts!.customer) throw notFound('customer')
      if (ticketId && !facts!.ticket) throw notFound('job')
      return facts!
    },
  )
}

/** In the order in which a document's lines have them. */
const copiedColumns = sql`name, description, quantity, unit_price as "unitPrice", tax_rate_id as "taxRateId",
  warranty_days as "warrantyDays"`
const taxColumns = sql`tax_rate as "taxRate", line_total as "lineTotal"`

const catalogueColumns = sql`name, description, price, warranty_days as "warrantyDays", tax_rate_id as "taxRateId"`
