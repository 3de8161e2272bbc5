// Writing forms, for tests: each call is one transaction, as in the command line and on the pages.
import { type Database, sql } from '../src/db/database.ts'
import type { AnswerInput } from '../src/domain/form-answers.ts'
import { createContext, noDependencies } from '../src/operations/context.ts'
import type { Actor, FormContext } from '../src/resources/forms/audit-trail.ts'
import {
  importForms,
  type NewRule,
  type NewTemplate,
  saveRule,
  saveTemplate,
} from '../src/resources/forms/authoring.ts'
import * as filling from '../src/resources/forms/submission-actions.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever they are answered
type Form = any

export const tess: Actor = { id: 'mem_tess', name: 'Tess' }

const unchanged = (text: string) => text
const vault = { encrypt: unchanged, decrypt: unchanged, fingerprint: unchanged }

export function formWriter(database: Database, orgId: string, restOrigin = 'http://127.0.0.1') {
  const dependencies = { ...noDependencies, restOrigin, vault }
  const inTransaction = <T>(work: (ctx: FormContext) => Promise<T>): Promise<T> =>
    database.transaction('test', (transaction) =>
      work(
        createContext(
          transaction,
          { orgId, kind: 'system', credentialId: 'test', name: 'Test', scopes: new Set() },
          dependencies,
        ),
      ),
    )
  const form = (work: (ctx: FormContext) => Promise<Form>): Promise<Form> => inTransaction(work)
  return {
    import: (templates: readonly NewTemplate[], rules: readonly NewRule[] = []) =>
      inTransaction((ctx) => importForms(ctx, { templates: [...templates], rules: [...rules] })),
    saveTemplate: (template: NewTemplate, id: string) => inTransaction((ctx) => saveTemplate(ctx, template, '', id)),
    saveRule: (rule: NewRule, id: string) => inTransaction((ctx) => saveRule(ctx, rule, '', id)),
    add: (ticketId: string, templateId: string, gate: filling.NewSubmission['gate']) =>
      form((ctx) => filling.addSubmission(ctx, tess, { ticketId, templateId, gate })),
    start: (id: string) => form((ctx) => filling.startSubmission(ctx, tess, id)),
    answer: (id: string, given: AnswerInput) => form((ctx) => filling.answerSubmission(ctx, tess, id, given)),
    sign: (id: string, signature: filling.NewSignature) =>
      form((ctx) => filling.signSubmission(ctx, tess, id, signature)),
    submit: (id: string) => form((ctx) => filling.submitSubmission(ctx, tess, id)),
    void: (id: string, reason: string | null = null) => form((ctx) => filling.voidSubmission(ctx, tess, id, reason)),
    reopen: (id: string, reason: string | null = null) =>
      form((ctx) => filling.reopenSubmission(ctx, tess, id, reason)),
    /** Jobs whose counters are not what a recount finds. */
    miscounted: () =>
      database.query(sql`
        select tickets.id, open_start_form_count, open_completion_form_count, open_invoice_form_count, counted.*
        from tickets, lateral (
          select count(*) filter (where gate = 'start') as starting, count(*) filter (where gate = 'completion') as completing,
            count(*) filter (where gate = 'invoice') as invoicing
          from form_submissions where form_submissions.org_id = tickets.org_id and ticket_id = tickets.id
            and form_submissions.status in ('open', 'inProgress')) counted
        where tickets.org_id = ${orgId}
          and (open_start_form_count, open_completion_form_count, open_invoice_form_count)
            is distinct from (starting, completing, invoicing)`),
  }
}

/** A form without questions, so that it can be submitted at once. */
export const blank: NewTemplate = { name: 'Blank', fields: [] }
