// Filling forms in: adding, starting, answering, signing, submitting, voiding and reopening them. Each function runs in
// a transaction of its caller's, locks the job and then the form, and answers the form as callers of the API see it.
import { sql } from '../../db/database.ts'
import {
  type AnswerInput,
  answersProblem,
  type FormAnswer,
  maxAnswerCharacters,
  maxSignature,
  mergeAnswers,
  missingRequirement,
  textProblem,
} from '../../domain/form-answers.ts'
import type { SignatureRole } from '../../domain/forms.ts'
import type { FormGate } from '../../domain/gates.ts'
import { badRequest } from '../../operations/errors.ts'
import { newId } from '../../operations/ids.ts'
import { type Statement, statement } from '../../operations/operation.ts'
import { touchTicket } from '../tickets/touch.ts'
import { addTimelineEntriesBy, type NewForm, recordNewForms } from './apply-rules.ts'
import type { Actor, FormContext } from './audit-trail.ts'
import {
  deleteSignatures,
  lockSubmission,
  recordEvent,
  removeSignatures,
  startIfOpen,
  updateSubmission,
} from './locked-submission.ts'
import { countCharacters, knownPhotos } from './photos.ts'
import { type Submission, selectSubmission } from './submissions.ts'

export interface NewSubmission {
  readonly ticketId: string
  readonly templateId: string
  readonly gate: FormGate
}

/** A form that a person asks a job for, whatever the rules say. */
export async function addSubmission(
  ctx: FormContext,
  actor: Actor,
  { ticketId, templateId, gate }: NewSubmission,
): Promise<Submission> {
  await ctx.query(touchTicket(ctx, ticketId))
  const form = await ctx.query(insertSubmission(ctx, { ticketId, templateId, gate }))
  if (!form) throw badRequest('templateId is not a published form template')
  await recordNewForms(ctx, actor, ticketId, [{ ...form, detail: null }])
  return ctx.query(selectSubmission(ctx, form.id))
}

/** To start a form that was started already changes nothing. */
export async function startSubmission(ctx: FormContext, actor: Actor, submissionId: string): Promise<Submission> {
  await startIfOpen(ctx, actor, await lockSubmission(ctx, submissionId, 'start'))
  return ctx.query(selectSubmission(ctx, submissionId))
}

/** Adds to the answers there are; null takes one back. Signatures given before are for other answers, and go. */
export async function answerSubmission(
  ctx: FormContext,
  actor: Actor,
  submissionId: string,
  input: AnswerInput,
): Promise<Submission> {
  const form = await lockSubmission(ctx, submissionId, 'answer')
  const photos = knownPhotos(ctx, submissionId, form.photos)
  const problem = answersProblem(form.fields, input, photos)
  if (problem) throw badRequest(problem)
  const answers = mergeAnswers(form.fields, form.answers, input, photos)
  const fieldIds = form.fields
    .map(({ id }) => id)
    .filter((id) => answerJson(answers, id) !== answerJson(form.answers, id))
  if (fieldIds.length > 0) {
    if (countCharacters(answers, form.photos) > maxAnswerCharacters)
      throw badRequest(`answers must be at most ${maxAnswerCharacters} characters in all`)
    await startIfOpen(ctx, actor, form)
    await ctx.query(updateSubmission(ctx, form, sql`answers = ${JSON.stringify(answers)}::jsonb`))
    await recordEvent(ctx, actor, form, 'answered', { fieldIds, ...(await removeSignatures(ctx, form)) })
  }
  return ctx.query(selectSubmission(ctx, submissionId))
}

export interface NewSignature {
  readonly role: SignatureRole
  readonly signerName: string
  /** A typed name, or a drawing as a data URL. */
  readonly signature: string
}

/** Whoever signs again for the same role replaces what they signed before. */
export async function signSubmission(
  ctx: FormContext,
  actor: Actor,
  submissionId: string,
  { role, signerName, signature }: NewSignature,
): Promise<Submission> {
  const form = await lockSubmission(ctx, submissionId, 'sign')
  if (!form.signatureRoles.includes(role)) throw badRequest(`signatures.${role} is not asked for by this form`)
  refuseInvalidText(`signatures.${role}.signerName`, signerName, 120)
  refuseInvalidText(`signatures.${role}.signature`, signature, maxSignature)
  await startIfOpen(ctx, actor, form)
  await ctx.query(updateSubmission(ctx, form, sql`status = 'inProgress'`))
  await ctx.query(deleteSignatures(ctx, submissionId, role))
  await ctx.query(
    statement(
      sql`insert into form_signatures (org_id, id, submission_id, role, signer_name, signature)
          values (${ctx.orgId}, ${newId('fsg')}, ${submissionId}, ${role}, ${signerName}, ${signature})`,
      () => {},
    ),
  )
  await recordEvent(ctx, actor, form, 'signed', { role, signerName })
  return ctx.query(selectSubmission(ctx, submissionId))
}

/** Refuses by name whatever is still missing. */
export async function submitSubmission(ctx: FormContext, actor: Actor, submissionId: string): Promise<Submission> {
  const form = await lockSubmission(ctx, submissionId, 'submit')
  const missing = missingRequirement(form.fields, form.answers, form.signatureRoles, form.signed)
  if (missing) throw badRequest(missing)
  await startIfOpen(ctx, actor, form)
  await ctx.query(
    updateSubmission(
      ctx,
      form,
      sql`status = 'submitted', submitted_at = ${form.lockedAt}, submitted_by_id = ${actor.id}`,
    ),
  )
  await recordEvent(ctx, actor, form, 'submitted')
  const data = { submissionId, templateName: form.templateName }
  await ctx.query(addTimelineEntriesBy(ctx, actor, form.ticketId, [{ event: 'formSubmitted', data }]))
  return ctx.query(selectSubmission(ctx, submissionId))
}

export async function voidSubmission(
  ctx: FormContext,
  actor: Actor,
  submissionId: string,
  reason: string | null,
): Promise<Submission> {
  const form = await lockSubmission(ctx, submissionId, 'void')
  if (reason !== null) refuseInvalidText('voidReason', reason, 500)
  await ctx.query(updateSubmission(ctx, form, sql`status = 'voided', void_reason = ${reason}`))
  await recordEvent(ctx, actor, form, 'voided', { reason })
  const data = { submissionId, templateName: form.templateName, reason }
  await ctx.query(addTimelineEntriesBy(ctx, actor, form.ticketId, [{ event: 'formVoided', data }]))
  return ctx.query(selectSubmission(ctx, submissionId))
}

/** To be corrected: it must be signed and submitted again, and blocks its gate until then. */
export async function reopenSubmission(
  ctx: FormContext,
  actor: Actor,
  submissionId: string,
  reason: string | null,
): Promise<Submission> {
  const form = await lockSubmission(ctx, submissionId, 'reopen')
  if (!form.hasTicket) throw badRequest('The job of the form is gone; the form stays as it was submitted')
  if (reason !== null) refuseInvalidText('reason', reason, 500)
  await ctx.query(updateSubmission(ctx, form, sql`status = 'inProgress', submitted_at = null, submitted_by_id = null`))
  await recordEvent(ctx, actor, form, 'reopened', { reason, ...(await removeSignatures(ctx, form)) })
  return ctx.query(selectSubmission(ctx, submissionId))
}

function refuseInvalidText(path: string, value: string, maxLength: number): void {
  const problem = value.trim() === '' ? 'is required' : textProblem(value, maxLength)
  if (problem) throw badRequest(`${path} ${problem}`)
}

const answerJson = (answers: readonly FormAnswer[], fieldId: string) =>
  JSON.stringify(answers.find((answer) => answer.fieldId === fieldId)?.value)

const insertSubmission = (
  { orgId }: FormContext,
  { ticketId, templateId, gate }: NewSubmission,
): Statement<NewForm | undefined> =>
  statement(
    sql`insert into form_submissions as form (org_id, id, template_id, template_name, template_version, fields, signature_roles,
          gate, ticket_id, customer_id, device_id, assigned_to_id)
        select template.org_id, ${newId('sub')}, template.id, template.name, template.version, template.fields,
          template.signature_roles, ${gate}, ticket.id, ticket.customer_id, ticket.device_id, ticket.assigned_technician
        from form_templates template
        join tickets ticket on ticket.org_id = template.org_id and ticket.id = ${ticketId}
        where template.org_id = ${orgId} and template.id = ${templateId} and template.status = 'published'
        returning form.id, form.template_name as "templateName", form.gate`,
    ([form]: NewForm[]) => form,
  )
