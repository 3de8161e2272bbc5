// The forms of the sample shop as the service would have stored them: required with the job, filled in with the work.
import { type Queryable, type Row, sql } from '../../db/database.ts'
import { dayMs, minuteMs } from '../../domain/durations.ts'
import { type AnswerInput, type FormAnswer, mergeAnswers } from '../../domain/form-answers.ts'
import { type FormField, matchesRule, type RuleMatch, type SignatureRole } from '../../domain/forms.ts'
import type { FormGate } from '../../domain/gates.ts'
import type { TimelineEntry } from '../../domain/timeline.ts'
import { newId } from '../../operations/ids.ts'
import { firstAnswers, lastAnswers } from '../data/gas-safety.ts'
import { manager } from '../data/staff.ts'
import type { Plan } from './plans.ts'
import { baseColumns, insertRows } from './rows.ts'

/** A template, and the rule that requires it. */
export interface FormSetup {
  readonly template: {
    readonly id: string
    readonly name: string
    readonly version: number
    readonly fields: readonly FormField[]
    readonly signatureRoles: readonly SignatureRole[]
  }
  readonly rule: { readonly id: string; readonly name: string; readonly gate: FormGate; readonly match: RuleMatch }
}

interface Person {
  readonly id: string
  readonly name: string
}

export interface DemoForm {
  readonly submission: Row
  readonly signatures: readonly Row[]
  readonly events: readonly Row[]
  readonly entries: readonly { readonly at: number; readonly by: string; readonly entry: TimelineEntry }[]
}

const yearMs = 365 * dayMs

/** The form of a job, if it needs one: untouched, begun, or submitted before the job was closed. */
export function buildForm(
  plan: Plan,
  ticket: Row,
  { template, rule }: FormSetup,
  members: ReadonlyMap<string, Person>,
  mapTime: (moment: number) => number,
): DemoForm | undefined {
  const facts = { serviceIds: [], assetCategoryId: null, recurringScheduleId: null }
  if (!matchesRule(rule.match, { ...facts, deviceType: (ticket.customer_device_type as string | undefined) ?? null }))
    return
  const { changes, createdAt, workSpec, customer } = plan
  const by = workSpec.who ?? manager
  const last = changes.at(-1)
  const isSubmitted = last?.to === 'Closed'
  const openedAt = changes[0] && changes[0].at + 10 * minuteMs
  const filledAt = isSubmitted ? last.at - 5 * minuteMs : (openedAt ?? createdAt)
  const id = newId('sub')
  const orgId = ticket.org_id as string
  const given = isSubmitted ? lastAnswers(new Date(last.at + yearMs).toISOString().slice(0, 10)) : firstAnswers
  const answers = openedAt === undefined ? [] : mergeAnswers(template.fields, [], given as AnswerInput)
  const signers = {
    technician: members.get(by)!.name,
    customer: [customer.first_name, customer.last_name].filter(Boolean).join(' '),
  }
  const event = (at: number, who: string, type: string, detail: object | null = null): Row => ({
    org_id: orgId,
    id: newId('fev'),
    submission_id: id,
    type,
    actor_id: members.get(who)!.id,
    actor_name: members.get(who)!.name,
    at: new Date(mapTime(at)),
    detail,
  })
  const about = { submissionId: id, templateName: template.name }
  return {
    submission: {
      ...baseColumns(orgId, id, mapTime(createdAt), mapTime(filledAt)),
      template_id: template.id,
      template_name: template.name,
      template_version: template.version,
      fields: template.fields,
      signature_roles: template.signatureRoles,
      rule_id: rule.id,
      ticket_id: ticket.id,
      customer_id: ticket.customer_id,
      device_id: ticket.device_id,
      assigned_to_id: ticket.assigned_technician,
      gate: rule.gate,
      status: isSubmitted ? 'submitted' : openedAt === undefined ? 'open' : 'inProgress',
      answers,
      submitted_at: isSubmitted ? new Date(mapTime(filledAt)) : null,
      submitted_by_id: isSubmitted ? members.get(by)!.id : null,
    },
    signatures: isSubmitted
      ? template.signatureRoles.map((role) => ({
          org_id: orgId,
          id: newId('fsg'),
          submission_id: id,
          role,
          signer_name: signers[role],
          signature: signers[role],
          signed_at: new Date(mapTime(filledAt)),
        }))
      : [],
    events: [
      event(createdAt, manager, 'created', { ruleId: rule.id, ruleName: rule.name }),
      ...(openedAt === undefined ? [] : [event(openedAt, by, 'opened')]),
      ...(openedAt === undefined ? [] : [event(filledAt, by, 'answered', { fieldIds: answers.map(fieldId) })]),
      ...(isSubmitted
        ? template.signatureRoles.map((role) => event(filledAt, by, 'signed', { role, signerName: signers[role] }))
        : []),
      ...(isSubmitted ? [event(filledAt, by, 'submitted')] : []),
    ],
    entries: [
      { at: createdAt, by: manager, entry: { event: 'formRequired', data: { ...about, gate: rule.gate } } },
      ...(isSubmitted ? [{ at: filledAt, by, entry: { event: 'formSubmitted', data: about } as TimelineEntry }] : []),
    ],
  }
}

const fieldId = (answer: FormAnswer) => answer.fieldId

/** The counters on the jobs follow by themselves; when the jobs last changed is put back. */
export async function addForms(
  transaction: Queryable,
  forms: readonly DemoForm[],
  tickets: readonly Row[],
): Promise<void> {
  await insertRows(
    transaction,
    'form_submissions',
    forms.map(({ submission }) => submission),
  )
  await insertRows(
    transaction,
    'form_signatures',
    forms.flatMap(({ signatures }) => signatures),
  )
  await insertRows(
    transaction,
    'form_events',
    forms.flatMap(({ events }) => events),
  )
  const ticketsWithForms = new Set(forms.map(({ submission }) => submission.ticket_id))
  const timestamps = tickets
    .filter(({ id }) => ticketsWithForms.has(id))
    .map(({ org_id, id, updated_at }) => ({ org_id, id, updated_at }))
  await transaction.query(sql`
    update tickets set updated_at = was.updated_at
    from jsonb_populate_recordset(null::tickets, ${JSON.stringify(timestamps)}::jsonb) was
    where tickets.org_id = was.org_id and tickets.id = was.id`)
}
