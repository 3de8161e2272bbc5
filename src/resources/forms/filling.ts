// Filling forms in: the hand that adds, starts, answers, signs, submits, voids and reopens them. Each function runs in
// a transaction of its caller's, holds the job and then the form, and answers the form as callers of the API see it.
import { badRequest, notFound } from '../../api/errors.ts'
import { newId } from '../../api/ids.ts'
import { type Json, type Statement, statement } from '../../api/operation.ts'
import { type Sql, sql } from '../../database.ts'
import {
  type Answer,
  answersWith,
  type Given,
  lacking,
  mostAnswered,
  mostSignature,
  unfitText,
  wrongAnswer,
} from '../../domain/form-answers.ts'
import { type Field, type FormAct, type FormStatus, refusedAct, type SignatureRole } from '../../domain/forms.ts'
import type { FormGate } from '../../domain/gates.ts'
import { ticketTouched } from '../tickets/touch.ts'
import { announce, type NewForm, notedBy } from './asking.ts'
import { submissionRecord } from './submissions.ts'
import { type Actor, type Asking, type FormEvent, recorded } from './trail.ts'

export interface Wanted {
  readonly ticketId: string
  readonly templateId: string
  readonly gate: FormGate
}

/** A form that a person asks a job for, whatever the rules say. */
export async function addSubmission(ctx: Asking, actor: Actor, { ticketId, templateId, gate }: Wanted): Promise<Json> {
  await ctx.ask(ticketTouched(ctx, ticketId))
  const form = await ctx.ask(formAdded(ctx, { ticketId, templateId, gate }))
  if (!form) throw badRequest('templateId is not a published form template')
  await announce(ctx, actor, ticketId, [{ ...form, detail: null }])
  return ctx.ask(submissionRecord(ctx, form.id))
}

/** To start a form that was started already changes nothing. */
export async function startSubmission(ctx: Asking, actor: Actor, submissionId: string): Promise<Json> {
  await begin(ctx, actor, await held(ctx, submissionId, 'start'))
  return ctx.ask(submissionRecord(ctx, submissionId))
}

/** Adds to the answers there are; null takes one back. Signatures given before are for other answers, and go. */
export async function answerSubmission(ctx: Asking, actor: Actor, submissionId: string, given: Given): Promise<Json> {
  const form = await held(ctx, submissionId, 'answer')
  const problem = wrongAnswer(form.fields, given)
  if (problem) throw badRequest(problem)
  const answers = answersWith(form.fields, form.answers, given)
  const fieldIds = form.fields.map(({ id }) => id).filter((id) => shownFor(answers, id) !== shownFor(form.answers, id))
  if (fieldIds.length > 0) {
    const stored = JSON.stringify(answers)
    if (stored.length > mostAnswered) throw badRequest(`answers must be at most ${mostAnswered} characters in all`)
    await begin(ctx, actor, form)
    await ctx.ask(changed(ctx, form, sql`answers = ${stored}::jsonb`))
    await happened(ctx, actor, form, 'answered', { fieldIds, ...(await unsigned(ctx, form)) })
  }
  return ctx.ask(submissionRecord(ctx, submissionId))
}

export interface NewSignature {
  readonly role: SignatureRole
  readonly signerName: string
  /** A typed name, or a drawing as a data URL. */
  readonly signature: string
}

/** Whoever signs again for the same role replaces what they signed before. */
export async function signSubmission(
  ctx: Asking,
  actor: Actor,
  submissionId: string,
  { role, signerName, signature }: NewSignature,
): Promise<Json> {
  const form = await held(ctx, submissionId, 'sign')
  if (!form.signatureRoles.includes(role)) throw badRequest(`signatures.${role} is not asked for by this form`)
  refuseUnfitText(`signatures.${role}.signerName`, signerName, 120)
  refuseUnfitText(`signatures.${role}.signature`, signature, mostSignature)
  await begin(ctx, actor, form)
  await ctx.ask(changed(ctx, form, sql`status = 'inProgress'`))
  await ctx.ask(signatureRemoved(ctx, submissionId, role))
  await ctx.ask(
    statement(
      sql`insert into form_signatures (org_id, id, submission_id, role, signer_name, signature)
          values (${ctx.orgId}, ${newId('fsg')}, ${submissionId}, ${role}, ${signerName}, ${signature})`,
      () => {},
    ),
  )
  await happened(ctx, actor, form, 'signed', { role, signerName })
  return ctx.ask(submissionRecord(ctx, submissionId))
}

/** Refuses by name whatever is still missing. */
export async function submitSubmission(ctx: Asking, actor: Actor, submissionId: string): Promise<Json> {
  const form = await held(ctx, submissionId, 'submit')
  const missing = lacking(form.fields, form.answers, form.signatureRoles, form.signed)
  if (missing) throw badRequest(missing)
  await begin(ctx, actor, form)
  await ctx.ask(
    changed(ctx, form, sql`status = 'submitted', submitted_at = clock_timestamp(), submitted_by_id = ${actor.id}`),
  )
  await happened(ctx, actor, form, 'submitted')
  const data = { submissionId, templateName: form.templateName }
  await ctx.ask(notedBy(ctx, actor, form.ticketId, [{ event: 'formSubmitted', data }]))
  return ctx.ask(submissionRecord(ctx, submissionId))
}

export async function voidSubmission(
  ctx: Asking,
  actor: Actor,
  submissionId: string,
  reason: string | null,
): Promise<Json> {
  const form = await held(ctx, submissionId, 'void')
  if (reason !== null) refuseUnfitText('voidReason', reason, 500)
  await ctx.ask(changed(ctx, form, sql`status = 'voided', void_reason = ${reason}`))
  await happened(ctx, actor, form, 'voided', { reason })
  const data = { submissionId, templateName: form.templateName, reason }
  await ctx.ask(notedBy(ctx, actor, form.ticketId, [{ event: 'formVoided', data }]))
  return ctx.ask(submissionRecord(ctx, submissionId))
}

/** To be corrected: it must be signed and submitted again, and holds its gate until then. */
export async function reopenSubmission(
  ctx: Asking,
  actor: Actor,
  submissionId: string,
  reason: string | null,
): Promise<Json> {
  const form = await held(ctx, submissionId, 'reopen')
  if (!form.hasTicket) throw badRequest('The job of the form is gone; the form stays as it was submitted')
  if (reason !== null) refuseUnfitText('reason', reason, 500)
  await ctx.ask(changed(ctx, form, sql`status = 'inProgress', submitted_at = null, submitted_by_id = null`))
  await happened(ctx, actor, form, 'reopened', { reason, ...(await unsigned(ctx, form)) })
  return ctx.ask(submissionRecord(ctx, submissionId))
}

interface Held {
  readonly id: string
  readonly ticketId: string
  readonly hasTicket: boolean
  readonly templateName: string
  readonly status: FormStatus
  readonly fields: readonly Field[]
  readonly signatureRoles: readonly SignatureRole[]
  readonly signed: readonly SignatureRole[]
  readonly answers: readonly Answer[]
  readonly eventCount: number
}

/** The trail is listed whole, so it has an end; there is always room left to submit or void. */
const mostEvents = 490

/** The job first and then the form, as everybody does who holds both. */
async function held(ctx: Asking, submissionId: string, act: FormAct): Promise<Held> {
  const { orgId } = ctx
  const ticketId = await ctx.ask(
    statement(
      sql`select ticket_id as id from form_submissions where org_id = ${orgId} and id = ${submissionId}`,
      ([form]: { id: string }[]) => form?.id,
    ),
  )
  if (ticketId === undefined) throw notFound('form submission')
  const hasTicket = await ctx.ask(
    statement(
      sql`select 1 from tickets where org_id = ${orgId} and id = ${ticketId} for no key update`,
      (rows) => rows.length > 0,
    ),
  )
  const form = await ctx.ask(formHeld(ctx, submissionId))
  const refused = refusedAct(act, form.status)
  if (refused) throw badRequest(refused)
  if (form.eventCount >= mostEvents && (act === 'answer' || act === 'sign' || act === 'reopen')) {
    throw badRequest('The form was changed too often; submit or void it')
  }
  return { ...form, hasTicket }
}

const formHeld = ({ orgId }: Asking, submissionId: string): Statement<Omit<Held, 'hasTicket'>> =>
  statement(
    sql`select id, ticket_id as "ticketId", template_name as "templateName", status, fields,
          signature_roles as "signatureRoles", answers,
          array(select role from form_signatures where org_id = ${orgId} and submission_id = ${submissionId}) as signed,
          (select count(*) from form_events where org_id = ${orgId} and submission_id = ${submissionId}) as "eventCount"
        from form_submissions where org_id = ${orgId} and id = ${submissionId} for update`,
    ([form]: Omit<Held, 'hasTicket'>[]) => {
      if (!form) throw notFound('form submission')
      return form
    },
  )

/** Whatever is done with an open form first starts it. */
async function begin(ctx: Asking, actor: Actor, form: Held): Promise<void> {
  if (form.status !== 'open') return
  await ctx.ask(changed(ctx, form, sql`status = 'inProgress'`))
  await happened(ctx, actor, form, 'opened')
}

const changed = ({ orgId }: Asking, { id }: Held, what: Sql): Statement<void> =>
  statement(
    sql`update form_submissions set ${what}, updated_at = now() where org_id = ${orgId} and id = ${id}`,
    () => {},
  )

const happened = (ctx: Asking, actor: Actor, { id }: Held, type: FormEvent['type'], detail: object | null = null) =>
  ctx.ask(recorded(ctx, actor, [{ submissionId: id, type, detail }]))

/** Takes the signatures off, and answers for the trail whose they were. */
async function unsigned(ctx: Asking, { id, signed }: Held): Promise<{ removedSignatures?: object[] }> {
  if (signed.length === 0) return {}
  return { removedSignatures: await ctx.ask(signatureRemoved(ctx, id, null)) }
}

/** Of one role, or of all. */
const signatureRemoved = ({ orgId }: Asking, id: string, role: SignatureRole | null): Statement<object[]> =>
  statement(
    sql`delete from form_signatures where org_id = ${orgId} and submission_id = ${id} and role = coalesce(${role}, role)
        returning role, signer_name as "signerName", signed_at as "signedAt"`,
    (rows: object[]) => rows,
  )

function refuseUnfitText(path: string, value: string, most: number): void {
  const problem = value.trim() === '' ? 'is required' : unfitText(value, most)
  if (problem) throw badRequest(`${path} ${problem}`)
}

const shownFor = (answers: readonly Answer[], fieldId: string) =>
  JSON.stringify(answers.find((answer) => answer.fieldId === fieldId)?.value)

const formAdded = ({ orgId }: Asking, { ticketId, templateId, gate }: Wanted): Statement<NewForm | undefined> =>
  statement(
    sql`insert into form_submissions (org_id, id, template_id, template_name, template_version, fields, signature_roles,
          gate, ticket_id, customer_id, device_id, assigned_to_id)
        select template.org_id, ${newId('sub')}, template.id, template.name, template.version, template.fields,
          template.signature_roles, ${gate}, ticket.id, ticket.customer_id, ticket.device_id, ticket.assigned_technician
        from form_templates template
        join tickets ticket on ticket.org_id = template.org_id and ticket.id = ${ticketId}
        where template.org_id = ${orgId} and template.id = ${templateId} and template.status = 'published'
        returning id, template_name as "templateName", gate`,
    ([form]: NewForm[]) => form,
  )
