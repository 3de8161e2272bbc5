// Forms: what waits to be filled in; answered and signed on a phone, submitted, voided and reopened.
import { type Sql, sql } from '../db/database.ts'
import { type AnswerInput, type FormAnswer, mergeAnswers } from '../domain/form-answers.ts'
import type { FormField, SignatureRole } from '../domain/forms.ts'
import type { AuditAction } from '../identity/audit.ts'
import { runStatement } from '../operations/context.ts'
import { ApiError, notFound } from '../operations/errors.ts'
import type { Context } from '../operations/operation.ts'
import { type Actor, actorOf } from '../resources/forms/audit-trail.ts'
import { selectPhoto } from '../resources/forms/photos.ts'
import {
  answerSubmission,
  reopenSubmission,
  signSubmission,
  submitSubmission,
  voidSubmission,
} from '../resources/forms/submission-actions.ts'
import {
  type FormDetails,
  type FormSummary,
  formListView,
  mayVoid,
  type Signature,
  submissionView,
} from './forms-view.ts'
import type { DeskRequest, DeskRouter } from './router.ts'

const listColumns = sql`submission.id, template_name as "templateName", gate, submission.status, ticket_id as "ticketId",
  submission.created_at as "createdAt", ticket.ticket_number as "jobNumber", ticket.service_required as "jobTitle",
  nullif(concat_ws(' ', customer.first_name, customer.last_name), '') as "customerName",
  nullif(concat_ws(' ', member.first_name, member.last_name), '') as "assignedTo"`
const listJoins = sql`left join tickets ticket on ticket.org_id = submission.org_id and ticket.id = ticket_id
  left join customers customer on customer.org_id = submission.org_id and customer.id = submission.customer_id
  left join members member on member.org_id = submission.org_id and member.id = submission.assigned_to_id`

/** Who is held to their own jobs sees the forms of those, and of jobs that nobody has. */
const visibleTo = ({ orgId, caller: { onlyJobsOf } }: DeskRequest): Sql =>
  onlyJobsOf === undefined
    ? sql`submission.org_id = ${orgId}`
    : sql`submission.org_id = ${orgId} and (submission.assigned_to_id = ${onlyJobsOf} or submission.assigned_to_id is null)`

const maxListed = 100

export function addFormRoutes(router: DeskRouter): void {
  router.get('/forms', ['forms:read'], async (request) => {
    const isDone = request.query.show === 'done'
    const states = isDone ? ['submitted', 'voided'] : ['open', 'inProgress']
    const forms = await request.database.read<FormSummary>(
      request.orgId,
      sql`select ${listColumns} from form_submissions submission ${listJoins}
        where ${visibleTo(request)} and submission.status = any(${states})
        order by submission.created_at desc, submission.id desc limit ${maxListed}::int`,
      'custom-plan',
    )
    return request.render(formListView(request, forms, isDone, forms.length === maxListed))
  })
  router.get('/forms/:id', ['forms:read'], async (request) =>
    request.render(submissionView(request, await loadForm(request))),
  )
  router.get('/forms/:id/photos/:photoId', ['forms:read'], async (request) => {
    const { id } = await loadForm(request)
    const { database, orgId, params } = request
    return request.sendFile(await runStatement(database, orgId, selectPhoto(request, id, params.photoId!)))
  })

  /** Answers are kept first, whatever the button: nothing that was typed is lost to a signature that is missing. */
  router.post('/forms/:id', ['tickets:write'], async (request) => {
    const form = await loadForm(request)
    const { form: sent } = request
    const given = parseAnswers(sent, form.fields)
    const hasChanged =
      serializeAnswers(mergeAnswers(form.fields, form.answers, given)) !== serializeAnswers(form.answers)
    const wrongAnswers = hasChanged
      ? await runFormAction(request, form, 'form.answered', (ctx, actor) =>
          answerSubmission(ctx, actor, form.id, given),
        )
      : undefined
    if (wrongAnswers !== undefined) return request.render(submissionView(request, form, wrongAnswers))

    const button = sent.get('button')
    const role = form.signatureRoles.find((one) => button === `sign ${one}`)
    const isSubmitted = button === 'submit'
    if (!role && !isSubmitted) return request.redirect(`/forms/${form.id}`, 'saved')
    const wrong = role
      ? await runFormAction(request, form, 'form.signed', (ctx, actor) =>
          signSubmission(ctx, actor, form.id, parseSignature(sent, form, role)),
        )
      : await runFormAction(request, form, 'form.submitted', (ctx, actor) => submitSubmission(ctx, actor, form.id))
    if (wrong === undefined) return request.redirect(`/forms/${form.id}`, isSubmitted ? 'submitted' : 'signed')
    const mustSignAgain = hasChanged && form.signatures.length > 0
    const why = mustSignAgain ? `${wrong} The answers were changed, so they must be signed again.` : wrong
    return request.render(submissionView(request, await loadForm(request), why))
  })

  for (const [path, action, message, act] of [
    ['void', 'form.voided', 'voided', voidSubmission],
    ['reopen', 'form.reopened', 'reopened', reopenSubmission],
  ] as const) {
    router.post(`/forms/:id/${path}`, [mayVoid], async (request) => {
      const form = await loadForm(request)
      const reason = (request.form.get('reason') ?? '').trim() || null
      const wrong = await runFormAction(request, form, action, (ctx, actor) => act(ctx, actor, form.id, reason))
      if (wrong !== undefined) return request.render(submissionView(request, form, wrong))
      return request.redirect(`/forms/${form.id}`, message)
    })
  }
}

async function loadForm(request: DeskRequest): Promise<FormDetails> {
  const { id } = request.params
  const { orgId, database } = request
  const [[form], signatures] = await Promise.all([
    database.read<Omit<FormDetails, 'signatures'>>(
      orgId,
      sql`select ${listColumns}, fields, signature_roles as "signatureRoles", answers, submitted_at as "submittedAt",
          void_reason as "voidReason"
        from form_submissions submission ${listJoins} where ${visibleTo(request)} and submission.id = ${id}`,
    ),
    database.read<Signature>(
      orgId,
      sql`select role, signer_name as "signerName", signature, signed_at as "signedAt" from form_signatures
        where org_id = ${orgId} and submission_id = ${id} order by place`,
    ),
  ])
  if (!form) throw notFound('form')
  return { ...form, signatures }
}

/** One action on a form; returns what was wrong with it. A job that was given to somebody else meanwhile is theirs. */
async function runFormAction(
  request: DeskRequest,
  form: FormDetails,
  action: AuditAction,
  work: (ctx: Context, actor: Actor) => Promise<unknown>,
): Promise<string | undefined> {
  const performed = await request.audited((ctx) => work(ctx, actorOf(ctx)), {
    action,
    subject: form.id,
    detail: { name: form.templateName, job: form.jobNumber },
  })
  if (performed.isDone) return undefined
  const { status, message } = performed.refusal
  if (status !== 400 && status !== 409) throw new ApiError(status, message.replace(/\.$/, ''))
  return readableError(message, form)
}

const serializeAnswers = (answers: readonly FormAnswer[]) =>
  JSON.stringify(answers.map(({ fieldId, value }) => [fieldId, value]))

/** Each role has one name and one pad on the page, in the order of the roles. */
function parseSignature(sent: URLSearchParams, { signatureRoles }: FormDetails, role: SignatureRole) {
  const place = signatureRoles.indexOf(role)
  const signerName = (sent.getAll('signerName')[place] ?? '').trim()
  return { role, signerName, signature: sent.getAll('signature')[place] || signerName }
}

/** What the page sends for each field, as the field wants it. What does not fit goes on as it is, to be refused by name. */
function parseAnswers(sent: URLSearchParams, fields: readonly FormField[]): AnswerInput {
  // A picture that is there stays unless another comes or it is taken away.
  const isKept = ({ id, type }: FormField) =>
    type === 'photo' && !sent.get(`answer.${id}`)?.trim() && !sent.has(`remove.${id}`)
  return Object.fromEntries(
    fields
      .filter((field) => field.type !== 'section' && !isKept(field))
      .map(({ id, type }) => {
        const name = `answer.${id}`
        const text = (sent.get(name) ?? '').trim()
        if (type === 'multiChoice') return [id, sent.getAll(name)]
        if (text === '') return [id, null]
        if (type === 'number') return [id, Number(text.replace(',', '.'))]
        if (type === 'boolean') return [id, text === 'yes' ? true : text === 'no' ? false : text]
        return [id, text]
      }),
  )
}

/** `answers.flueType is required (Flue type)` is for programs; people know the field by its label. */
const readableError = (wrong: string, { fields }: FormDetails): string => {
  const field = fields.find(({ id }) => wrong.startsWith(`answers.${id} `))
  if (field) return `“${field.label}” ${wrong.slice(`answers.${field.id} `.length).replace(` (${field.label}).`, '.')}`
  return wrong
    .replace(/^signatures\.\w+ is required: the/, 'The')
    .replace(/^signatures\.(\w+)\.signerName/, 'The name of the $1')
}
