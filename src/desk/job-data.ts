// What the page of a job shows: the job as callers read it, its lines, its timeline, and what stands around it.
import { type Sql, sql } from '../db/database.ts'
import { type FormAnswer, referredPhoto } from '../domain/form-answers.ts'
import type { FormGate } from '../domain/gates.ts'
import { mayWriteJob as isOwnOrNobodys } from '../domain/roles.ts'
import type { Discount, PricedLine } from '../domain/totals.ts'
import type { DeskRequest } from './router.ts'
import { loadSetup, type ShopSetup } from './shop-setup.ts'

/** As `getTicket` answers it. */
export interface Job {
  readonly id: string
  readonly ticketNumber: number
  readonly customerId: string | null
  readonly customerName: string | null
  readonly serviceRequired: string | null
  readonly description: string | null
  readonly statusId: string
  readonly status: string
  readonly assignedTechnician: string | null
  readonly deviceId: string | null
  readonly customerDeviceName: string | null
  readonly customerDeviceType: string | null
  readonly stationId: string | null
  readonly priority: string
  readonly address: string | null
  readonly scheduledFrom: string | null
  readonly scheduledTo: string | null
  readonly scheduledAllDay: boolean
  readonly recurringScheduleId: string | null
  readonly closedAt: string | null
}

export type LineKind = 'service' | 'inventory'

export interface JobLine extends PricedLine {
  readonly kind: LineKind
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly warrantyDays: number | null
  readonly lineTotal: number
}

/** A service or a part that can become a line. */
export interface CatalogueEntry {
  readonly kind: LineKind
  readonly id: string
  readonly name: string
  readonly detail: string | null
  readonly price: number
  /** Null where it is not counted. */
  readonly onHand: number | null
  readonly isLow: boolean
}

export interface Entry {
  readonly id: string
  readonly text: string
  readonly visibility: 'internal' | 'customer'
  readonly isSystem: boolean
  readonly authorId: string | null
  readonly authorName: string | null
  readonly at: Date
}

export interface JobForm {
  readonly id: string
  readonly name: string
  readonly gate: FormGate
  readonly status: 'open' | 'inProgress' | 'submitted' | 'voided'
  readonly questions: number
  readonly answers: readonly FormAnswer[]
}

export interface JobDocument {
  readonly kind: 'quote' | 'invoice'
  readonly id: string
  readonly number: string
  readonly status: string
  readonly total: number
  readonly isPaid: boolean
}

export interface JobCustomer {
  readonly id: string
  readonly name: string
  readonly businessName: string | null
  readonly phone: string | null
  readonly email: string | null
  readonly address: string | null
  readonly notes: string | null
}

export interface Surroundings {
  readonly discount: (Discount & { readonly reason: string | null }) | null
  readonly customer: JobCustomer | null
  readonly device: {
    readonly id: string
    readonly name: string
    readonly type: string | null
    readonly identifier: string | null
  } | null
  /** Earlier jobs of the same device, the newest first. */
  readonly before: readonly { readonly id: string; readonly number: number; readonly title: string }[]
  readonly forms: readonly JobForm[]
  readonly documents: readonly JobDocument[]
  readonly signature: {
    readonly picture: string
    readonly name: string | null
    readonly at: string
  } | null
}

export interface JobPage extends Surroundings {
  readonly job: Job
  /** The ETag of the job. */
  readonly version: string | undefined
  readonly setup: ShopSetup
  readonly lines: readonly JobLine[]
  readonly entries: readonly Entry[]
  /** How many came before those that are shown. */
  readonly earlierCount: number
}

/** How many entries of the timeline are shown at first, and when asked for more. */
const fewEntries = 50
const manyEntries = 1_000

export async function loadJobPage(request: DeskRequest, id: string): Promise<JobPage> {
  const { orgId, database, query } = request
  const shown = query.all === undefined ? fewEntries : manyEntries
  const [{ data: job, version }, setup, lines, entries, [around]] = await Promise.all([
    request.readRecord<Job>('getTicket', { ticketId: id }),
    loadSetup(request),
    database.read<JobLine>(orgId, selectLines(orgId, id)),
    database.read<Entry & { count: number }>(orgId, selectEntries(orgId, id, shown)),
    database.read<Surroundings>(orgId, selectSurroundings(request, id)),
  ])
  const earlierCount = Math.max(0, (entries[0]?.count ?? 0) - entries.length)
  return { job, version, setup, lines, entries, earlierCount, ...around! }
}

/** Services first, then parts, each in the order they were added. */
const selectLines = (orgId: string, id: string): Sql => {
  const columns = sql`id, name, description, quantity::float8 as quantity, unit_price::float8 as "unitPrice",
    line_total::float8 as "lineTotal", warranty_days as "warrantyDays",
    case when tax_rate is not null then tax_rate || jsonb_build_object('taxRateId', tax_rate_id) end as tax, created_at`
  return sql`
    select * from (
      select 'service' as kind, ${columns} from service_lines where org_id = ${orgId} and ticket_id = ${id}
      union all
      select 'inventory', ${columns} from inventory_lines where org_id = ${orgId} and ticket_id = ${id}) line
    order by kind desc, created_at, id`
}

/** The newest, in the order in which they happened. */
const selectEntries = (orgId: string, id: string, shown: number): Sql => sql`
  select * from (
    select id, text, visibility, is_system as "isSystem", author_id as "authorId", author_name as "authorName",
      created_at as at, (select count(*)::int from messages where org_id = ${orgId} and ticket_id = ${id}) as count
    from messages where org_id = ${orgId} and ticket_id = ${id} order by created_at desc, id desc limit ${shown}::int) newest
  order by at, id`

function selectSurroundings({ orgId, may }: DeskRequest, id: string): Sql {
  const documents = may('invoices:read')
    ? sql`(select coalesce(json_agg(one), '[]') from (
        select 'quote' as kind, id, quote_number as number, status, total::float8 as total, false as "isPaid", created_at
        from quotes where org_id = ${orgId} and ticket_id = ${id}
        union all
        select 'invoice', id, invoice_number, status, total::float8, paid, created_at
        from invoices where org_id = ${orgId} and ticket_id = ${id} order by created_at desc limit 20) one)`
    : sql`'[]'::json`
  return sql`
    select ticket.discount,
      (select to_json(one) from (
        select id, coalesce(nullif(concat_ws(' ', first_name, last_name), ''), business_name) as name,
          business_name as "businessName", phone, email, address, notes
        from customers where org_id = ${orgId} and id = ticket.customer_id) one) as customer,
      (select to_json(one) from (
        select id, name, type, identifier from devices where org_id = ${orgId} and id = ticket.device_id) one) as device,
      (select coalesce(json_agg(one), '[]') from (
        select id, ticket_number as number, coalesce(service_required, 'Job without a title') as title from tickets earlier
        where earlier.org_id = ${orgId} and earlier.device_id = ticket.device_id and earlier.id <> ticket.id
        order by earlier.created_at desc, earlier.id desc limit 5) one) as before,
      (select coalesce(json_agg(one), '[]') from (
        select id, template_name as name, gate, status, answers,
          (select count(*)::int from jsonb_array_elements(fields) field where field ->> 'type' <> 'section') as questions
        from form_submissions where org_id = ${orgId} and ticket_id = ${id} order by created_at, id limit 50) one) as forms,
      (select json_build_object('picture', signature, 'name', signed_by_name, 'at', signed_at)
        from ticket_signatures where org_id = ${orgId} and ticket_id = ${id}) as signature,
      ${documents} as documents
    from tickets ticket where ticket.org_id = ${orgId} and ticket.id = ${id}`
}

export const isOpenForm = ({ status }: Pick<JobForm, 'status'>): boolean => status === 'open' || status === 'inProgress'

/** Photos that the answers of a form refer to. */
export const photosOf = ({ answers }: JobForm): { readonly id: string; readonly label: string }[] =>
  answers.flatMap((answer) => {
    const id = referredPhoto(answer)
    return id === undefined ? [] : [{ id, label: answer.label }]
  })

export const jobTitle = ({ serviceRequired }: Pick<Job, 'serviceRequired'>): string =>
  serviceRequired ?? 'Job without a title'

/** Whether the member may write it: technicians have their own and those that nobody has. */
export const mayWriteJob = (
  { caller, may }: DeskRequest,
  { assignedTechnician }: Pick<Job, 'assignedTechnician'>,
): boolean => may('tickets:write') && isOwnOrNobodys(caller.onlyJobsOf, assignedTechnician)

/** Prices are for those who set them. */
export const seesPrices = ({ caller }: DeskRequest): boolean => caller.onlyJobsOf === undefined
