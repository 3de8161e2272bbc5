// Forms in the portal: what waits to be filled in, answered and signed on a phone, submitted, voided and reopened.
import { notFound } from '../api/errors.ts'
import { type Executor, type Sql, sql } from '../database.ts'
import { type Answer, answersWith, type Given } from '../domain/form-answers.ts'
import type { Field, SignatureRole } from '../domain/forms.ts'
import type { Deed } from '../identity/audit.ts'
import {
  answerSubmission,
  reopenSubmission,
  signSubmission,
  submitSubmission,
  voidSubmission,
} from '../resources/forms/filling.ts'
import type { Actor, Asking } from '../resources/forms/trail.ts'
import { actingIn, attempt, type Desk, type Visit } from './desk.ts'
import { type Form, type Listed, listPage, type Signature, submissionPage } from './submission-pages.ts'

const listed = sql`submission.id, template_name as "templateName", gate, submission.status, ticket_id as "ticketId",
  submission.created_at as "createdAt", ticket.ticket_number as "jobNumber", ticket.service_required as "jobTitle",
  nullif(concat_ws(' ', customer.first_name, customer.last_name), '') as "customerName",
  nullif(concat_ws(' ', member.first_name, member.last_name), '') as "assignedTo"`
const parties = sql`left join tickets ticket on ticket.org_id = submission.org_id and ticket.id = ticket_id
  left join customers customer on customer.org_id = submission.org_id and customer.id = submission.customer_id
  left join members member on member.org_id = submission.org_id and member.id = submission.assigned_to_id`

/** Those who are no admins see the forms of their own jobs. */
const visibleTo = ({ orgId, role, memberId }: Visit): Sql =>
  sql`submission.org_id = ${orgId} and (${role === 'admin'} or submission.assigned_to_id = ${memberId})`

const mostListed = 100

export function submissionPages(desk: Desk): void {
  const { database } = desk

  async function formOf(visit: Visit): Promise<Form> {
    const { id } = visit.params
    const [form] = await database.query<Omit<Form, 'signatures'>>(sql`
      select ${listed}, fields, signature_roles as "signatureRoles", answers, submitted_at as "submittedAt",
        void_reason as "voidReason"
      from form_submissions submission ${parties} where ${visibleTo(visit)} and submission.id = ${id}`)
    if (!form) throw notFound('form')
    const signatures = await database.query<Signature>(sql`
      select role, signer_name as "signerName", signature, signed_at as "signedAt" from form_signatures
      where org_id = ${visit.orgId} and submission_id = ${id} order by place`)
    return { ...form, signatures }
  }

  desk.get(
    '/forms',
    async (visit) => {
      const isDone = visit.query.show === 'done'
      const states = isDone ? ['submitted', 'voided'] : ['open', 'inProgress']
      const forms = await database.query<Listed>(sql`
        select ${listed} from form_submissions submission ${parties}
        where ${visibleTo(visit)} and submission.status = any(${states})
        order by submission.created_at desc, submission.id desc limit ${mostListed}::int`)
      return visit.show(listPage(visit, forms, isDone, forms.length === mostListed))
    },
    'members',
  )
  desk.get('/forms/:id', async (visit) => visit.show(submissionPage(visit, await formOf(visit))), 'members')

  const asking = (transaction: Executor, visit: Visit): Asking => actingIn(desk, transaction, visit)

  type Work = (asking: Asking, actor: Actor) => Promise<unknown>

  /** One deed on a form; answers what was wrong with it. */
  async function done(visit: Visit, form: Form, action: Deed, work: Work): Promise<string | undefined> {
    const tried = await attempt(() =>
      visit.act(
        async (transaction) => {
          // A job that was given to somebody else in the meantime is theirs.
          const [found] = await transaction.query(sql`
            select 1 from form_submissions submission where ${visibleTo(visit)} and submission.id = ${form.id}`)
          if (!found) throw notFound('form')
          return work(asking(transaction, visit), { id: visit.memberId, name: visit.memberName })
        },
        () => ({ action, subject: form.id, detail: { name: form.templateName, job: form.jobNumber } }),
      ),
    )
    return 'wrong' in tried ? readable(tried.wrong, form) : undefined
  }

  /** Answers are kept first, whatever the button: nothing that was typed is lost to a signature that is missing. */
  desk.post(
    '/forms/:id',
    async (visit) => {
      const form = await formOf(visit)
      const { form: sent } = visit
      const given = givenIn(sent, form.fields, form.answers)
      const isOther = worded(answersWith(form.fields, form.answers, given)) !== worded(form.answers)
      const wrongAnswers = isOther
        ? await done(visit, form, 'form.answered', (ctx, actor) => answerSubmission(ctx, actor, form.id, given))
        : undefined
      if (wrongAnswers !== undefined) return visit.show(submissionPage(visit, form, wrongAnswers))

      const button = sent.get('button')
      const role = form.signatureRoles.find((one) => button === `sign ${one}`)
      const isSubmitted = button === 'submit'
      if (!role && !isSubmitted) return visit.goTo(`/forms/${form.id}`, 'saved')
      const wrong = role
        ? await done(visit, form, 'form.signed', (ctx, actor) =>
            signSubmission(ctx, actor, form.id, signatureIn(sent, form, role)),
          )
        : await done(visit, form, 'form.submitted', (ctx, actor) => submitSubmission(ctx, actor, form.id))
      if (wrong === undefined) return visit.goTo(`/forms/${form.id}`, isSubmitted ? 'submitted' : 'signed')
      const isUnsigned = isOther && form.signatures.length > 0
      const why = isUnsigned ? `${wrong} The answers were changed, so they must be signed again.` : wrong
      return visit.show(submissionPage(visit, await formOf(visit), why))
    },
    'members',
  )

  for (const [path, action, notice, act] of [
    ['void', 'form.voided', 'voided', voidSubmission],
    ['reopen', 'form.reopened', 'reopened', reopenSubmission],
  ] as const) {
    desk.post(`/forms/:id/${path}`, async (visit) => {
      const form = await formOf(visit)
      const reason = (visit.form.get('reason') ?? '').trim() || null
      const wrong = await done(visit, form, action, (ctx, actor) => act(ctx, actor, form.id, reason))
      if (wrong !== undefined) return visit.show(submissionPage(visit, form, wrong))
      return visit.goTo(`/forms/${form.id}`, notice)
    })
  }
}

const worded = (answers: readonly Answer[]) => JSON.stringify(answers.map(({ fieldId, value }) => [fieldId, value]))

/** Each role has one name and one pad on the page, in the order of the roles. */
function signatureIn(sent: URLSearchParams, { signatureRoles }: Form, role: SignatureRole) {
  const place = signatureRoles.indexOf(role)
  const signerName = (sent.getAll('signerName')[place] ?? '').trim()
  return { role, signerName, signature: sent.getAll('signature')[place] || signerName }
}

/** What the page sends for each field, as the field wants it. What does not fit goes on as it is, to be refused by name. */
export function givenIn(sent: URLSearchParams, fields: readonly Field[], before: readonly Answer[]): Given {
  return Object.fromEntries(
    fields
      .filter(({ type }) => type !== 'section')
      .map(({ id, type }) => {
        const name = `answer.${id}`
        const text = (sent.get(name) ?? '').trim()
        if (type === 'multiChoice') return [id, sent.getAll(name)]
        // A picture that is there stays unless another comes or it is taken away.
        if (type === 'photo' && text === '' && !sent.has(`remove.${id}`))
          return [id, before.find(({ fieldId }) => fieldId === id)?.value ?? null]
        if (text === '') return [id, null]
        if (type === 'number') return [id, Number(text.replace(',', '.'))]
        if (type === 'boolean') return [id, text === 'yes' ? true : text === 'no' ? false : text]
        return [id, text]
      }),
  )
}

/** `answers.flueType is required (Flue type)` is for programs; people know the field by its label. */
const readable = (wrong: string, { fields }: Form): string => {
  const field = fields.find(({ id }) => wrong.startsWith(`answers.${id} `))
  if (field) return `“${field.label}” ${wrong.slice(`answers.${field.id} `.length).replace(` (${field.label}).`, '.')}`
  return wrong
    .replace(/^signatures\.\w+ is required: the/, 'The')
    .replace(/^signatures\.(\w+)\.signerName/, 'The name of the $1')
}
