// Finds the job that an address means, by its id or its number, and says what stands in its way.
import { sql } from '../db/database.ts'
import { notFound } from '../operations/errors.ts'
import type { Performed } from './perform.ts'
import type { DeskRequest } from './router.ts'

export interface JobName {
  readonly id: string
  readonly number: number
  readonly title: string
}

export interface JobInvoice {
  readonly id: string
  readonly number: string
  readonly status: string
  readonly isPaid: boolean
  readonly total: number
  readonly currency: string
}

/** The parameter `job` of the address. */
export async function findJob({ orgId, database, params }: DeskRequest): Promise<JobName> {
  const given = params.job!
  const number = /^\d{1,9}$/.test(given) ? Number(given) : null
  const [job] = await database.read<JobName>(
    orgId,
    sql`select id, ticket_number as number, coalesce(service_required, 'Job without a title') as title from tickets
      where org_id = ${orgId} and ${number === null ? sql`id = ${given}` : sql`ticket_number = ${number}::int`}`,
  )
  if (!job) throw notFound('job')
  return job
}

/** The invoices that ask for the money of the job already: those that are not void, the newest first. */
export const findInvoices = ({ orgId, database }: DeskRequest, { id }: JobName): Promise<JobInvoice[]> =>
  database.read<JobInvoice>(
    orgId,
    sql`select id, invoice_number as number, status, paid as "isPaid", total::float8 as total, currency from invoices
      where org_id = ${orgId} and ticket_id = ${id} and status <> 'void' order by created_at desc, id desc limit 20`,
  )

/** Which forms are open, by name, where the service says only that some are; and where the first of them is. */
export async function explainGate<T>(
  { orgId, database, href }: DeskRequest,
  { id, number }: JobName,
  status: string,
  performed: Performed<T>,
): Promise<Performed<T>> {
  if (performed.isDone || performed.refusal.code !== 'FORM_GATE_TRANSITION') return performed
  const { submissionIds = [] } = (performed.refusal.data ?? {}) as { submissionIds?: string[] }
  const forms = await database.read<{ id: string; name: string }>(
    orgId,
    sql`select id, template_name as name from form_submissions
      where org_id = ${orgId} and ticket_id = ${id} and id = any(${submissionIds}) order by created_at, id`,
  )
  if (forms.length === 0) return performed
  const names = forms.map(({ name }) => name)
  const message = `#${number} cannot move to ${status} yet: ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} still open.`
  const formPath = href(`/forms/${forms[0]!.id}`)
  return { isDone: false, refusal: { ...performed.refusal, message, data: { formPath } } }
}

/** The same for an invoice of the job. */
export async function explainInvoiceGate<T>(
  { orgId, database, href }: DeskRequest,
  jobId: string | null,
  performed: Performed<T>,
): Promise<Performed<T>> {
  if (performed.isDone || performed.refusal.code !== 'FORM_GATE_INVOICE') return performed
  const forms = await database.read<{ id: string; name: string }>(
    orgId,
    sql`select id, template_name as name from form_submissions
      where org_id = ${orgId} and ticket_id = ${jobId} and gate = 'invoice' and status in ('open', 'inProgress')
      order by created_at, id limit 20`,
  )
  if (forms.length === 0) return performed
  const names = forms.map(({ name }) => name)
  const message = `The job cannot be invoiced yet: ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} still open.`
  const formPath = href(`/forms/${forms[0]!.id}`)
  return { isDone: false, refusal: { ...performed.refusal, message, data: { formPath } } }
}
