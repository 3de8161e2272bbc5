// A form while something is done with it: locked after its job, with its trail and its signatures.
import { type Sql, sql } from '../../db/database.ts'
import type { FormAnswer } from '../../domain/form-answers.ts'
import {
  actionProblem,
  type FormAction,
  type FormField,
  type FormStatus,
  type SignatureRole,
} from '../../domain/forms.ts'
import { badRequest, notFound } from '../../operations/errors.ts'
import { type Statement, statement } from '../../operations/operation.ts'
import { refuseJobOfAnother } from '../tickets/own-jobs.ts'
import { type Actor, type FormContext, type FormEvent, insertFormEvents } from './audit-trail.ts'
import type { StoredPhoto } from './photos.ts'

interface LockedSubmission {
  readonly id: string
  readonly ticketId: string
  readonly hasTicket: boolean
  readonly templateName: string
  readonly status: FormStatus
  readonly fields: readonly FormField[]
  readonly signatureRoles: readonly SignatureRole[]
  readonly signed: readonly SignatureRole[]
  readonly answers: readonly FormAnswer[]
  readonly photos: readonly StoredPhoto[]
  readonly eventCount: number
  /** By the database's clock, like the moments of signatures. */
  readonly lockedAt: Date
}

/** The trail is listed whole, so it has an end; there is always room left to submit or void. */
const maxEvents = 490

/** The job first and then the form, as everybody does who locks both. */
export async function lockSubmission(
  ctx: FormContext,
  submissionId: string,
  action: FormAction,
): Promise<LockedSubmission> {
  const { orgId } = ctx
  const found = await ctx.query(
    statement(
      sql`select ticket_id as "ticketId", assigned_to_id as "assignedToId" from form_submissions
          where org_id = ${orgId} and id = ${submissionId}`,
      ([form]: { ticketId: string; assignedToId: string | null }[]) => form,
    ),
  )
  if (!found) throw notFound('form submission')
  const hasTicket = await ctx.query(
    statement(
      sql`select assigned_technician as assignee from tickets where org_id = ${orgId} and id = ${found.ticketId} for no key update`,
      ([job]: { assignee: string | null }[]) => {
        refuseJobOfAnother(ctx, job ? job.assignee : found.assignedToId)
        return job !== undefined
      },
    ),
  )
  const form = await ctx.query(lockSubmissionRow(ctx, submissionId))
  const problem = actionProblem(action, form.status)
  if (problem) throw badRequest(problem)
  if (form.eventCount >= maxEvents && (action === 'answer' || action === 'sign' || action === 'reopen')) {
    throw badRequest('The form was changed too often; submit or void it')
  }
  return { ...form, hasTicket }
}

const lockSubmissionRow = (
  { orgId }: FormContext,
  submissionId: string,
): Statement<Omit<LockedSubmission, 'hasTicket'>> =>
  statement(
    sql`select id, ticket_id as "ticketId", template_name as "templateName", status, fields,
          signature_roles as "signatureRoles", answers,
          array(select role from form_signatures where org_id = ${orgId} and submission_id = ${submissionId}) as signed,
          (select coalesce(json_agg(json_build_object('id', id, 'mediaType', media_type,
              'sha256', encode(sha256, 'hex'), 'byteCount', octet_length(bytes))), '[]')
            from form_photos where org_id = ${orgId} and submission_id = ${submissionId}) as photos,
          (select count(*) from form_events where org_id = ${orgId} and submission_id = ${submissionId}) as "eventCount",
          clock_timestamp()::timestamptz(3) as "lockedAt"
        from form_submissions where org_id = ${orgId} and id = ${submissionId} for update`,
    ([form]: Omit<LockedSubmission, 'hasTicket'>[]) => {
      if (!form) throw notFound('form submission')
      return form
    },
  )

/** Whatever is done with an open form first starts it. */
export async function startIfOpen(ctx: FormContext, actor: Actor, form: LockedSubmission): Promise<void> {
  if (form.status !== 'open') return
  await ctx.query(updateSubmission(ctx, form, sql`status = 'inProgress'`))
  await recordEvent(ctx, actor, form, 'opened')
}

export const updateSubmission = ({ orgId }: FormContext, { id }: LockedSubmission, assignments: Sql): Statement<void> =>
  statement(
    sql`update form_submissions set ${assignments}, updated_at = now() where org_id = ${orgId} and id = ${id}`,
    () => {},
  )

export const recordEvent = (
  ctx: FormContext,
  actor: Actor,
  { id }: LockedSubmission,
  type: FormEvent['type'],
  detail: object | null = null,
) => ctx.query(insertFormEvents(ctx, actor, [{ submissionId: id, type, detail }]))

/** Takes the signatures off, and answers for the trail whose they were. */
export async function removeSignatures(
  ctx: FormContext,
  { id, signed }: LockedSubmission,
): Promise<{ removedSignatures?: object[] }> {
  if (signed.length === 0) return {}
  return { removedSignatures: await ctx.query(deleteSignatures(ctx, id, null)) }
}

/** Of one role, or of all. */
export const deleteSignatures = ({ orgId }: FormContext, id: string, role: SignatureRole | null): Statement<object[]> =>
  statement(
    sql`delete from form_signatures where org_id = ${orgId} and submission_id = ${id} and role = coalesce(${role}, role)
        returning role, signer_name as "signerName", signed_at as "signedAt"`,
    (rows: object[]) => rows,
  )
