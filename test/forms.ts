// The hands that write forms, for tests: each call is one transaction, as in the command line and on the pages.
import { contextOf, plainSurroundings } from '../src/api/context.ts'
import type { Json } from '../src/api/operation.ts'
import { type Database, sql } from '../src/database.ts'
import type { Given } from '../src/domain/form-answers.ts'
import {
  importForms,
  type NewRule,
  type NewTemplate,
  saveRule,
  saveTemplate,
} from '../src/resources/forms/authoring.ts'
import * as filling from '../src/resources/forms/filling.ts'
import type { Actor, Asking } from '../src/resources/forms/trail.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever they are answered
type Form = any

export const tess: Actor = { id: 'mem_tess', name: 'Tess' }

const asItIs = (text: string) => text
const surroundings = {
  pdf: plainSurroundings.pdf,
  restOrigin: 'http://127.0.0.1',
  vault: { seal: asItIs, open: asItIs, fingerprint: asItIs },
}

export function hands(database: Database, orgId: string) {
  const inTransaction = <T>(work: (asking: Asking) => Promise<T>): Promise<T> =>
    database.transaction((transaction) =>
      work(contextOf(transaction, { orgId, credentialId: 'test', name: 'Test', scopes: new Set() }, surroundings)),
    )
  const form = async (work: (asking: Asking) => Promise<Json>): Promise<Form> =>
    JSON.parse((await inTransaction(work)).text)
  return {
    import: (templates: readonly NewTemplate[], rules: readonly NewRule[] = []) =>
      inTransaction((asking) => importForms(asking, { templates: [...templates], rules: [...rules] })),
    saveTemplate: (template: NewTemplate, id: string) =>
      inTransaction((asking) => saveTemplate(asking, template, '', id)),
    saveRule: (rule: NewRule, id: string) => inTransaction((asking) => saveRule(asking, rule, '', id)),
    add: (ticketId: string, templateId: string, gate: filling.Wanted['gate']) =>
      form((asking) => filling.addSubmission(asking, tess, { ticketId, templateId, gate })),
    start: (id: string) => form((asking) => filling.startSubmission(asking, tess, id)),
    answer: (id: string, given: Given) => form((asking) => filling.answerSubmission(asking, tess, id, given)),
    sign: (id: string, signature: filling.NewSignature) =>
      form((asking) => filling.signSubmission(asking, tess, id, signature)),
    submit: (id: string) => form((asking) => filling.submitSubmission(asking, tess, id)),
    void: (id: string, reason: string | null = null) =>
      form((asking) => filling.voidSubmission(asking, tess, id, reason)),
    reopen: (id: string, reason: string | null = null) =>
      form((asking) => filling.reopenSubmission(asking, tess, id, reason)),
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

/** A sheet that asks nothing, so that it can be submitted at once. */
export const blank: NewTemplate = { name: 'Blank', fields: [] }
