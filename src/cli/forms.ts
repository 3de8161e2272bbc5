// The commands that bring in form templates and rules, and fill forms in.
import { readFile } from 'node:fs/promises'
import { type Static, Type as t } from 'typebox'
import { contextOf } from '../api/context.ts'
import { id, text } from '../api/fields.ts'
import { bodyReader } from '../api/input.ts'
import type { Json } from '../api/operation.ts'
import type { Executor } from '../database.ts'
import type { Answer } from '../domain/form-answers.ts'
import type { Field, FormStatus, SignatureRole } from '../domain/forms.ts'
import { type Deed, lineOn, note, operator } from '../identity/audit.ts'
import { formsFile, importForms } from '../resources/forms/authoring.ts'
import {
  answerSubmission,
  reopenSubmission,
  signSubmission,
  startSubmission,
  submitSubmission,
  voidSubmission,
} from '../resources/forms/filling.ts'
import type { Actor, Asking } from '../resources/forms/trail.ts'
import { command, UsageError } from './command.ts'
import type { Context } from './context.ts'
import { fields } from './layout.ts'
import { databaseWith, organisationId } from './organisations.ts'

const submission = id({ description: 'the id of the form submission' })
const filling = {
  org: organisationId,
  answers: t.Optional(text(1_000, { description: 'a JSON file of answers: {"<fieldId>": value, …}' })),
  signature: t.Optional(text(120, { description: 'the name to sign with, for every signature the form needs' })),
}
const reason = t.Optional(text(500, { description: 'why' }))

export default [
  command('forms import', {
    summary: 'Bring in form templates and rules from a file, changing those that have the same names',
    places: { file: text(1_000, { description: 'a JSON file such as docs/examples/gas-safety.json' }) },
    options: { org: organisationId },
    example: '--org org_01kbx5… docs/examples/gas-safety.json',
    async run({ org, file }, ctx) {
      const forms = bodyReader(formsFile)(await objectIn(file)).value as Static<typeof formsFile>
      return inTransaction(org, ctx, async (asking, transaction) => {
        const saved = await importForms(asking, forms)
        for (const [index, { name }] of forms.templates.entries())
          await note(transaction, org, operator, lineOn('template.saved', { id: saved.templates[index]!, name }))
        for (const [index, { name }] of forms.rules.entries())
          await note(transaction, org, operator, lineOn('rule.saved', { id: saved.rules[index]!, name }))
        return saved
      })
    },
    show: ({ templates, rules }) => `Brought in ${many(templates, 'template')} and ${many(rules, 'rule')}.`,
  }),

  command('forms start', {
    summary: 'Begin to fill in a form',
    places: { submission },
    options: filling,
    example: 'sub_01kbx7… --org org_01kbx5…',
    async run({ org, submission, answers, signature }, ctx) {
      const given = await answersIn(answers)
      return inTransaction(org, ctx, async (asking, transaction) => {
        const started = shownTo(await startSubmission(asking, actor, submission))
        if (!given && !signature) return started
        return noted(transaction, org, 'form.answered', await filledIn(asking, started, given, signature))
      })
    },
    show: (form) => shown('started', form),
  }),

  command('forms submit', {
    summary: 'Submit a form, with the answers and signatures that it still needs',
    places: { submission },
    options: filling,
    example: `sub_01kbx7… --org org_01kbx5… --answers answers.json --signature Ann`,
    async run({ org, submission, answers, signature }, ctx) {
      const given = await answersIn(answers)
      return inTransaction(org, ctx, async (asking, transaction) => {
        const started = shownTo(await startSubmission(asking, actor, submission))
        await filledIn(asking, started, given, signature)
        const submitted = shownTo(await submitSubmission(asking, actor, submission))
        return noted(transaction, org, 'form.submitted', submitted)
      })
    },
    show: (form) => shown('submitted', form),
  }),

  command('forms void', {
    summary: 'Void a form that is not needed; what waited for it can go on',
    places: { submission },
    options: { org: organisationId, reason },
    example: `sub_01kbx7… --org org_01kbx5… --reason 'Boiler was replaced'`,
    run: ({ org, submission, reason = null }, ctx) =>
      inTransaction(org, ctx, async (asking, transaction) => {
        const voided = shownTo(await voidSubmission(asking, actor, submission, reason))
        return noted(transaction, org, 'form.voided', voided)
      }),
    show: (form) => shown('voided', form),
  }),

  command('forms reopen', {
    summary: 'Reopen a submitted form to correct it; it must be signed and submitted again',
    places: { submission },
    options: { org: organisationId, reason },
    example: `sub_01kbx7… --org org_01kbx5… --reason 'Wrong pressure'`,
    run: ({ org, submission, reason = null }, ctx) =>
      inTransaction(org, ctx, async (asking, transaction) => {
        const reopened = shownTo(await reopenSubmission(asking, actor, submission, reason))
        return noted(transaction, org, 'form.reopened', reopened)
      }),
    show: (form) => shown('reopened', form),
  }),
]

const actor: Actor = operator
const many = ({ length }: readonly string[], what: string) => `${length} ${what}${length === 1 ? '' : 's'}`

async function inTransaction<T>(
  org: string,
  ctx: Context,
  work: (asking: Asking, transaction: Executor) => Promise<T>,
): Promise<T> {
  const database = await databaseWith(org, ctx)
  const surroundings = await ctx.surroundings()
  return database.transaction((transaction) =>
    work(
      contextOf(
        transaction,
        { orgId: org, credentialId: 'command-line', name: actor.name, scopes: new Set() },
        surroundings,
      ),
      transaction,
    ),
  )
}

interface Form {
  readonly id: string
  readonly templateName: string
  readonly ticketId: string
  readonly gate: string
  readonly status: FormStatus
  readonly fields: readonly Field[]
  readonly signatureRoles: readonly SignatureRole[]
  readonly answers: readonly Answer[]
}

const shownTo = ({ text }: Json): Form => JSON.parse(text)

async function noted(transaction: Executor, org: string, action: Deed, form: Form): Promise<Form> {
  await note(transaction, org, operator, lineOn(action, { id: form.id, name: form.templateName }))
  return form
}

/** A name signs wherever the form wants a signature: as a field that is still empty, and for each role. */
async function filledIn(
  asking: Asking,
  form: Form,
  given: object | undefined,
  name: string | undefined,
): Promise<Form> {
  const isEmpty = ({ id }: Field) => form.answers.every(({ fieldId }) => fieldId !== id)
  const toSign = name === undefined ? [] : form.fields.filter((field) => field.type === 'signature' && isEmpty(field))
  const answers = { ...Object.fromEntries(toSign.map((field) => [field.id, name])), ...given }
  let latest = form
  if (Object.keys(answers).length > 0) latest = shownTo(await answerSubmission(asking, actor, form.id, answers))
  for (const role of name === undefined ? [] : form.signatureRoles) {
    const signature = { role, signerName: name!, signature: name! }
    latest = shownTo(await signSubmission(asking, actor, form.id, signature))
  }
  return latest
}

const answersIn = async (file: string | undefined) => (file === undefined ? undefined : objectIn(file))

async function objectIn(file: string): Promise<object> {
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

const shown = (done: string, { id, templateName, ticketId, gate, status }: Form) =>
  `The form is ${done}.\n\n${fields({ Id: id, Template: templateName, Job: ticketId, Gate: gate, Status: status })}`
