// The forms of the sample shop as the service would have stored them: asked for with the job, filled in with the work.
import { newId } from '../api/ids.ts'
import { type Executor, type Row, sql } from '../database.ts'
import { type Answer, answersWith, type Given } from '../domain/form-answers.ts'
import { type Field, isMatch, type Match, type SignatureRole } from '../domain/forms.ts'
import type { FormGate } from '../domain/gates.ts'
import type { Note } from '../domain/timeline.ts'
import { firstAnswers, lastAnswers } from './gas-safety.ts'
import type { Plan } from './plans.ts'
import { insert, written } from './rows.ts'
import { manager } from './staff.ts'

/** A template, and the rule that asks for it. */
export interface Sheet {
  readonly template: {
    readonly id: string
    readonly name: string
    readonly version: number
    readonly fields: readonly Field[]
    readonly signatureRoles: readonly SignatureRole[]
  }
  readonly rule: { readonly id: string; readonly name: string; readonly gate: FormGate; readonly match: Match }
}

interface Person {
  readonly id: string
  readonly name: string
}

export interface DemoForm {
  readonly submission: Row
  readonly signatures: readonly Row[]
  readonly events: readonly Row[]
  readonly notes: readonly { readonly at: number; readonly by: string; readonly note: Note }[]
}

const minuteMs = 60_000
const yearMs = 365 * 86_400_000

/** The form of a job, if it needs one: untouched, begun, or submitted before the job was closed. */
export function formOf(
  plan: Plan,
  ticket: Row,
  { template, rule }: Sheet,
  members: ReadonlyMap<string, Person>,
  lived: (moment: number) => number,
): DemoForm | undefined {
  const facts = { serviceIds: [], assetCategoryId: null, recurringScheduleId: null }
  if (!isMatch(rule.match, { ...facts, deviceType: (ticket.customer_device_type as string | undefined) ?? null }))
    return
  const { changes, createdAt, errand, customer } = plan
  const by = errand.who ?? manager
  const last = changes.at(-1)
  const isSubmitted = last?.to === 'Closed'
  const openedAt = changes[0] && changes[0].at + 10 * minuteMs
  const filledAt = isSubmitted ? last.at - 5 * minuteMs : (openedAt ?? createdAt)
  const id = newId('sub')
  const orgId = ticket.org_id as string
  const given = isSubmitted ? lastAnswers(new Date(last.at + yearMs).toISOString().slice(0, 10)) : firstAnswers
  const answers = openedAt === undefined ? [] : answersWith(template.fields, [], given as Given)
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
    at: new Date(lived(at)),
    detail,
  })
  const about = { submissionId: id, templateName: template.name }
  return {
    submission: {
      ...written(orgId, id, lived(createdAt), lived(filledAt)),
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
      submitted_at: isSubmitted ? new Date(lived(filledAt)) : null,
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
          signed_at: new Date(lived(filledAt)),
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
    notes: [
      { at: createdAt, by: manager, note: { event: 'formRequired', data: { ...about, gate: rule.gate } } },
      ...(isSubmitted ? [{ at: filledAt, by, note: { event: 'formSubmitted', data: about } as Note }] : []),
    ],
  }
}

const fieldId = (answer: Answer) => answer.fieldId

/** The counters on the jobs follow by themselves; when the jobs last changed is put back. */
export async function addForms(
  transaction: Executor,
  forms: readonly DemoForm[],
  tickets: readonly Row[],
): Promise<void> {
  await insert(
    transaction,
    'form_submissions',
    forms.map(({ submission }) => submission),
  )
  await insert(
    transaction,
    'form_signatures',
    forms.flatMap(({ signatures }) => signatures),
  )
  await insert(
    transaction,
    'form_events',
    forms.flatMap(({ events }) => events),
  )
  const asked = new Set(forms.map(({ submission }) => submission.ticket_id))
  const moments = tickets
    .filter(({ id }) => asked.has(id))
    .map(({ org_id, id, updated_at }) => ({ org_id, id, updated_at }))
  await transaction.query(sql`
    update tickets set updated_at = was.updated_at
    from jsonb_populate_recordset(null::tickets, ${JSON.stringify(moments)}::jsonb) was
    where tickets.org_id = was.org_id and tickets.id = was.id`)
}
