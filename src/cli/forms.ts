// The commands that bring in form templates and rules, and fill forms in.
import { readFile } from 'node:fs/promises'
import type { Static } from 'typebox'
import type { Queryable } from '../db/database.ts'
import type { FormField } from '../domain/forms.ts'
import { type AuditAction, audit, auditEntry, operator } from '../identity/audit.ts'
import { createContext } from '../operations/context.ts'
import { id, text } from '../operations/fields.ts'
import { createBodyParser } from '../operations/input.ts'
import { t } from '../operations/schemas.ts'
import type { Actor, FormContext } from '../resources/forms/audit-trail.ts'
import { formsFile, importForms } from '../resources/forms/authoring.ts'
import {
  answerSubmission,
  reopenSubmission,
  signSubmission,
  startSubmission,
  submitSubmission,
  voidSubmission,
} from '../resources/forms/submission-actions.ts'
import type { Submission } from '../resources/forms/submissions.ts'
import { command, UsageError } from './command.ts'
import type { CommandContext } from './context.ts'
import { fields } from './layout.ts'
import { databaseWithOrganisation, organisationId } from './organisations.ts'

const submission = id({ description: 'the id of the form submission' })
const fillingOptions = {
  org: organisationId,
  answers: t.Optional(text(1_000, { description: 'a JSON file of answers: {"<fieldId>": value, …}' })),
  signature: t.Optional(text(120, { description: 'the name to sign with, for every signature the form needs' })),
}
const reason = t.Optional(text(500, { description: 'why' }))

export default [
  command('forms import', {
    summary: 'Bring in form templates and rules from a file, changing those that have the same names',
    positionals: { file: text(1_000, { description: 'a JSON file such as docs/examples/gas-safety.json' }) },
    options: { org: organisationId },
    example: '--org org_01kbx5… docs/examples/gas-safety.json',
    async run({ org, file }, ctx) {
      const forms = createBodyParser(formsFile)(await readJsonObject(file)).value as Static<typeof formsFile>
      return runInTransaction(org, ctx, async (context, transaction) => {
        const saved = await importForms(context, forms)
        for (const [index, { name }] of forms.templates.entries())
          await audit(transaction, org, operator, auditEntry('template.saved', { id: saved.templates[index]!, name }))
        for (const [index, { name }] of forms.rules.entries())
          await audit(transaction, org, operator, auditEntry('rule.saved', { id: saved.rules[index]!, name }))
        return saved
      })
    },
    render: ({ templates, rules }) => `Brought in ${pluralize(templates, 'template')} and ${pluralize(rules, 'rule')}.`,
  }),

  command('forms start', {
    summary: 'Begin to fill in a form',
    positionals: { submission },
    options: fillingOptions,
    example: 'sub_01kbx7… --org org_01kbx5…',
    async run({ org, submission, answers, signature }, ctx) {
      const given = await readAnswers(answers)
      return runInTransaction(org, ctx, async (context, transaction) => {
        const started = await startSubmission(context, actor, submission)
        if (!given && !signature) return started
        return auditForm(transaction, org, 'form.answered', await fillIn(context, started, given, signature))
      })
    },
    render: (form) => formatForm('started', form),
  }),

  command('forms submit', {
    summary: 'Submit a form, with the answers and signatures that it still needs',
    positionals: { submission },
    options: fillingOptions,
    example: `sub_01kbx7… --org org_01kbx5… --answers answers.json --signature Ann`,
    async run({ org, submission, answers, signature }, ctx) {
      const given = await readAnswers(answers)
      return runInTransaction(org, ctx, async (context, transaction) => {
        const started = await startSubmission(context, actor, submission)
        await fillIn(context, started, given, signature)
        const submitted = await submitSubmission(context, actor, submission)
        return auditForm(transaction, org, 'form.submitted', submitted)
      })
    },
    render: (form) => formatForm('submitted', form),
  }),

  command('forms void', {
    summary: 'Void a form that is not needed; what waited for it can go on',
    positionals: { submission },
    options: { org: organisationId, reason },
    example: `sub_01kbx7… --org org_01kbx5… --reason 'Boiler was replaced'`,
    run: ({ org, submission, reason = null }, ctx) =>
      runInTransaction(org, ctx, async (context, transaction) => {
        const voided = await voidSubmission(context, actor, submission, reason)
        return auditForm(transaction, org, 'form.voided', voided)
      }),
    render: (form) => formatForm('voided', form),
  }),

  command('forms reopen', {
    summary: 'Reopen a submitted form to correct it; it must be signed and submitted again',
    positionals: { submission },
    options: { org: organisationId, reason },
    example: `sub_01kbx7… --org org_01kbx5… --reason 'Wrong pressure'`,
    run: ({ org, submission, reason = null }, ctx) =>
      runInTransaction(org, ctx, async (context, transaction) => {
        const reopened = await reopenSubmission(context, actor, submission, reason)
        return auditForm(transaction, org, 'form.reopened', reopened)
      }),
    render: (form) => formatForm('reopened', form),
  }),
]

const actor: Actor = operator
const pluralize = ({ length }: readonly string[], what: string) => `${length} ${what}${length === 1 ? '' : 's'}`

async function runInTransaction<T>(
  org: string,
  ctx: CommandContext,
  work: (context: FormContext, transaction: Queryable) => Promise<T>,
): Promise<T> {
  const database = await databaseWithOrganisation(org, ctx)
  const dependencies = await ctx.dependencies()
  return database.transaction(org, (transaction) =>
    work(
      createContext(
        transaction,
        { orgId: org, kind: 'operator', credentialId: 'command-line', name: actor.name, scopes: new Set() },
        dependencies,
      ),
      transaction,
    ),
  )
}

async function auditForm(
  transaction: Queryable,
  org: string,
  action: AuditAction,
  form: Submission,
): Promise<Submission> {
  await audit(transaction, org, operator, auditEntry(action, { id: form.id, name: form.templateName }))
  return form
}

/** A name signs wherever the form wants a signature: as a field that is still empty, and for each role. */
async function fillIn(
  context: FormContext,
  form: Submission,
  given: object | undefined,
  name: string | undefined,
): Promise<Submission> {
  const isEmpty = ({ id }: FormField) => form.answers.every(({ fieldId }) => fieldId !== id)
  const toSign = name === undefined ? [] : form.fields.filter((field) => field.type === 'signature' && isEmpty(field))
  const answers = { ...Object.fromEntries(toSign.map((field) => [field.id, name])), ...given }
  let latest = form
  if (Object.keys(answers).length > 0) latest = await answerSubmission(context, actor, form.id, answers)
  for (const role of name === undefined ? [] : form.signatureRoles) {
    const signature = { role, signerName: name!, signature: name! }
    latest = await signSubmission(context, actor, form.id, signature)
  }
  return latest
}

const readAnswers = async (file: string | undefined) => (file === undefined ? undefined : readJsonObject(file))

async function readJsonObject(file: string): Promise<object> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${file} cannot be read`, { cause: error })
  })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Error(`${file} is not JSON`, { cause: error })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new UsageError(`${file} must hold one JSON object`)
}

const formatForm = (done: string, { id, templateName, ticketId, gate, status }: Submission) =>
  `The form is ${done}.\n\n${fields({ Id: id, Template: templateName, Job: ticketId, Gate: gate, Status: status })}`
