// Form submissions: a form on a job, what was filled in, who signed it and what happened to it. Callers only read.
import type { TProperties } from 'typebox'
import { raw, sql } from '../../db/database.ts'
import { fieldTypes, formStatuses, signatureRoles } from '../../domain/forms.ts'
import { becomes } from '../../domain/signals.ts'
import { Json } from '../../operations/answers.ts'
import { read } from '../../operations/crud.ts'
import { notFound } from '../../operations/errors.ts'
import { dateTime, id, integer, nullable, oneOf, text } from '../../operations/fields.ts'
import {
  type Context,
  operation,
  resource,
  type Statement,
  type StatementContext,
  statement,
} from '../../operations/operation.ts'
import { pagination, type RowOf } from '../../operations/record-schemas.ts'
import { rowCodec } from '../../operations/row-codec.ts'
import { t } from '../../operations/schemas.ts'
import { paging, table } from '../../operations/table.ts'
import { maxUnpaged } from '../../operations/table-lists.ts'
import { filter, filterSet } from '../filters.ts'
import { eventTypes } from './audit-trail.ts'
import { formsEntity } from './entity.ts'
import { photoOperation, withPhotoAddresses } from './photos.ts'
import { gate } from './rules.ts'
import { field, signatureRolesField } from './templates.ts'

const status = oneOf(formStatuses, {
  examples: ['submitted'],
  description: 'Open until somebody begins to fill it in.',
})

const answer = t.Object(
  {
    fieldId: id({ examples: ['flueType'] }),
    label: t.String({ examples: ['Flue type'] }),
    type: oneOf(fieldTypes, { examples: ['choice'] }),
    value: t.Unsafe<unknown>({
      anyOf: [
        { type: 'string' },
        { type: 'number' },
        { type: 'boolean' },
        { type: 'array', items: { type: 'string' } },
      ],
      examples: ['Room sealed'],
      description:
        'As the type of the field asks; a date is `YYYY-MM-DD`, a photo an address: of a picture here, which getFormPhoto reads, or elsewhere.',
    }),
  },
  { title: 'FormAnswer' },
)

export const submissions = table({
  name: 'form_submissions',
  noun: 'form submission',
  prefix: 'sub',
  writable: {},
  readOnly: {
    templateId: id(),
    templateName: text(120, { examples: ['Gas safety record'], description: 'As it was when the form was asked for.' }),
    templateVersion: integer(1, 2_147_483_647, { examples: [1] }),
    ruleId: nullable(id({ description: 'The rule that asked for it; null if a person did.' })),
    ticketId: id({ description: 'What was submitted is kept when the job is deleted.' }),
    customerId: nullable(id()),
    deviceId: nullable(id()),
    gate,
    status,
    fields: t.Array(field, { description: 'As they were when the form was asked for.' }),
    signatureRoles: signatureRolesField,
    answers: t.Array(answer, { description: 'In the order of the fields; those without an answer are left out.' }),
    assignedToId: nullable(id({ description: 'Who does the job.' })),
    submittedAt: nullable(dateTime()),
    submittedById: nullable(id({ description: 'Null for the command line.' })),
    voidReason: nullable(text(500)),
  },
  transform: { answers: withPhotoAddresses },
  event: { signals: { submitted: becomes('status', 'submitted') } },
  order: { column: 'created_at', type: 'timestamptz', direction: 'desc' },
})

export type Submission = RowOf<typeof submissions>

const signatures = submissionChildren('signatures', 'form_signatures', 'FormSignature', {
  id: id(),
  role: oneOf(signatureRoles, { examples: ['technician'] }),
  signerName: text(120, { examples: ['Tomasz'] }),
  signature: t.String({ maxLength: 400_000, examples: ['Tomasz'], description: 'A typed name or a data URL.' }),
  signedAt: dateTime(),
})

const events = submissionChildren('events', 'form_events', 'FormEvent', {
  id: id(),
  type: oneOf(eventTypes, { examples: ['submitted'] }),
  actorId: nullable(id({ description: 'A member or a key; null for the command line.' })),
  actorName: nullable(t.String({ examples: ['Tomasz'] })),
  at: dateTime(),
  detail: t.Unsafe<object | null>({ type: ['object', 'null'] }),
})

const submissionFilters = filterSet({
  ticketId: filter(id(), (ticketId) => sql`form_submissions.ticket_id = ${ticketId}`),
  templateId: filter(id(), (templateId) => sql`form_submissions.template_id = ${templateId}`),
  status: filter(status, (status) => sql`form_submissions.status = ${status}`),
  gate: filter(gate, (gate) => sql`form_submissions.gate = ${gate}`),
})

const parts = [
  { typeName: 'FormSignature', prefix: 'fsg' },
  { typeName: 'FormEvent', prefix: 'fev' },
  { typeName: 'FormPhoto', prefix: 'pho' },
]

export default resource({ entity: formsEntity, tables: [submissions], parts }, [
  operation('GET /form-submissions', {
    name: 'listFormSubmissions',
    summary: 'List form submissions, newest first',
    query: t.Object({ ...paging, ...submissionFilters.query }),
    returns: submissions.list,
    // Signatures among the answers may be drawings: on a connection of their own they do not delay other reads.
    run: ({ query }, ctx) => submissionFilters.page(submissions, ctx, query, { connection: 'slow' }),
  }),

  read('/form-submissions/:submissionId', submissions),
  photoOperation,

  operation('GET /form-submissions/:submissionId/signatures', {
    name: 'listFormSignatures',
    summary: 'List the signatures on a form, oldest first',
    returns: signatures.list,
    run: ({ params: { submissionId } }, ctx) => signatures.all(ctx, submissionId),
  }),

  operation('GET /form-submissions/:submissionId/events', {
    name: 'listFormEvents',
    summary: 'List what happened to a form and who did it, oldest first',
    returns: events.list,
    run: ({ params: { submissionId } }, ctx) => events.all(ctx, submissionId),
  }),
])

/** A form as callers see it, for the code that fills it in. */
export const selectSubmission = (ctx: StatementContext, submissionId: string): Statement<Submission> =>
  statement(
    sql`select ${submissions.encoded} from form_submissions where org_id = ${ctx.orgId} and id = ${submissionId}`,
    submissions.decodeRow(ctx),
  )

/** What belongs to one submission is shown whole, in the order in which it was written. */
function submissionChildren(key: string, name: string, title: string, fields: TProperties) {
  const { encoded, encodedRows, split, toJson } = rowCodec(fields, 'entry')
  return {
    list: t.Object({ [key]: t.Array(t.Object(fields, { title })), pagination }, { title: `${title}List` }),
    all: ({ orgId }: Context, submissionId: string): Statement<Json> =>
      statement(
        sql`select ${encodedRows} as encoded, exists (
              select from form_submissions where org_id = ${orgId} and id = ${submissionId}) as parent_exists
            from (select ${encoded} from ${raw(name)} entry
              where org_id = ${orgId} and submission_id = ${submissionId} order by place) entries`,
        ([row]: { encoded: string | null; parent_exists: boolean }[]) => {
          if (!row!.parent_exists) throw notFound('form submission')
          const entries = split(row!.encoded)
            .map((entry) => toJson(entry))
            .join()
          const page = `{"limit":${maxUnpaged},"hasMore":false,"nextCursor":null}`
          return new Json(`{"${key}":[${entries}],"pagination":${page}}`)
        },
      ),
  }
}
