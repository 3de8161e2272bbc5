// Forms in the portal: what waits to be filled in, answered and signed on a phone, submitted, voided and reopened.
import { type Queryable, type Sql, sql } from '../db/database.ts'
import { type AnswerInput, type FormAnswer, mergeAnswers } from '../domain/form-answers.ts'
import type { FormField, SignatureRole } from '../domain/forms.ts'
import type { AuditAction } from '../identity/audit.ts'
import { runStatement } from '../operations/context.ts'
import { notFound } from '../operations/errors.ts'
import type { Actor, FormContext } from '../resources/forms/audit-trail.ts'
import { selectPhoto } from '../resources/forms/photos.ts'
import {
  answerSubmission,
  reopenSubmission,
  signSubmission,
  submitSubmission,
  voidSubmission,
} from '../resources/forms/submission-actions.ts'
import { attempt, createPortalContext, type PortalRequest, type Router } from './router.ts'
import { type FormDetails, type FormSummary, formListPage, type Signature, submissionPage } from './submissions-view.ts'

const listColumns = sql`submission.id, template_name as "templateName", gate, submission.status, ticket_id as "ticketId",
  submission.created_at as "createdAt", ticket.ticket_number as "jobNumber", ticket.service_required as "jobTitle",
  nullif(concat_ws(' ', customer.first_name, customer.last_name), '') as "customerName",
  nullif(concat_ws(' ', member.first_name, member.last_name), '') as "assignedTo"`
const listJoins = sql`left join tickets ticket on ticket.org_id = submission.org_id and ticket.id = ticket_id
  left join customers customer on customer.org_id = submission.org_id and customer.id = submission.customer_id
  left join members member on member.org_id = submission.org_id and member.id = submission.assigned_to_id`

/** Those who are no admins see the forms of their own jobs. */
const visibleTo = ({ orgId, role, memberId }: PortalRequest): Sql =>
  sql`submission.org_id = ${orgId} and (${role === 'admin'} or submission.assigned_to_id = ${memberId})`

const maxListed = 100

export function addFormRoutes(router: Router): void {
  const { database } = router

  async function loadForm(request: PortalRequest): Promise<FormDetails> {
    const { id } = request.params
    const [form] = await database.query<Omit<FormDetails, 'signatures'>>(sql`
      select ${listColumns}, fields, signature_roles as "signatureRoles", answers, submitted_at as "submittedAt",
        void_reason as "voidReason"
      from form_submissions submission ${listJoins} where ${visibleTo(request)} and submission.id = ${id}`)
    if (!form) throw notFound('form')
    const signatures = await database.query<Signature>(sql`
      select role, signer_name as "signerName", signature, signed_at as "signedAt" from form_signatures
      where org_id = ${request.orgId} and submission_id = ${id} order by place`)
    return { ...form, signatures }
  }

  router.get(
    '/forms',
    async (request) => {
      const isDone = request.query.show === 'done'
      const states = isDone ? ['submitted', 'voided'] : ['open', 'inProgress']
      const forms = await database.query<FormSummary>(sql`
        select ${listColumns} from form_submissions submission ${listJoins}
        where ${visibleTo(request)} and submission.status = any(${states})
        order by submission.created_at desc, submission.id desc limit ${maxListed}::int`)
      return request.render(formListPage(request, forms, isDone, forms.length === maxListed))
    },
    'members',
  )
  router.get(
    '/forms/:id',
    async (request) => request.render(submissionPage(request, await loadForm(request))),
    'members',
  )
  router.get(
    '/forms/:id/photos/:photoId',
    async (request) => {
      const { id } = await loadForm(request)
      return request.sendFile(
        await runStatement(database, request.orgId, selectPhoto(request, id, request.params.photoId!)),
      )
    },
    'members',
  )

  const createContextFor = (transaction: Queryable, request: PortalRequest): FormContext =>
    createPortalContext(router, transaction, request)

  type Work = (context: FormContext, actor: Actor) => Promise<unknown>

  /** One action on a form; returns what was wrong with it. */
  async function runFormAction(
    request: PortalRequest,
    form: FormDetails,
    action: AuditAction,
    work: Work,
  ): Promise<string | undefined> {
    const tried = await attempt(() =>
      request.runAudited(
        async (transaction) => {
          // A job that was given to somebody else in the meantime is theirs.
          const [found] = await transaction.query(sql`
            select 1 from form_submissions submission where ${visibleTo(request)} and submission.id = ${form.id}`)
          if (!found) throw notFound('form')
          return work(createContextFor(transaction, request), { id: request.memberId, name: request.memberName })
        },
        () => ({ action, subject: form.id, detail: { name: form.templateName, job: form.jobNumber } }),
      ),
    )
    return 'wrong' in tried ? readableError(tried.wrong, form) : undefined
  }

  /** Answers are kept first, whatever the button: nothing that was typed is lost to a signature that is missing. */
  router.post(
    '/forms/:id',
    async (request) => {
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
      if (wrongAnswers !== undefined) return request.render(submissionPage(request, form, wrongAnswers))

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
      return request.render(submissionPage(request, await loadForm(request), why))
    },
    'members',
  )

  for (const [path, action, message, act] of [
    ['void', 'form.voided', 'voided', voidSubmission],
    ['reopen', 'form.reopened', 'reopened', reopenSubmission],
  ] as const) {
    router.post(`/forms/:id/${path}`, async (request) => {
      const form = await loadForm(request)
      const reason = (request.form.get('reason') ?? '').trim() || null
      const wrong = await runFormAction(request, form, action, (ctx, actor) => act(ctx, actor, form.id, reason))
      if (wrong !== undefined) return request.render(submissionPage(request, form, wrong))
      return request.redirect(`/forms/${form.id}`, message)
    })
  }
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
export function parseAnswers(sent: URLSearchParams, fields: readonly FormField[]): AnswerInput {
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
