// Rules at work: a job is asked for the forms it needs, and what it no longer needs and nobody touched is voided.
import { notFound } from '../../api/errors.ts'
import { newId } from '../../api/ids.ts'
import { type Context, type Statement, statement } from '../../api/operation.ts'
import { type Sql, sql } from '../../database.ts'
import { type AskedForm, formsDue, type JobFacts, type Match, type Rule } from '../../domain/forms.ts'
import type { FormGate } from '../../domain/gates.ts'
import type { Note } from '../../domain/timeline.ts'
import { noted } from '../tickets/timeline.ts'
import { type Actor, type Asking, recorded } from './trail.ts'

/** For a statement that asks other things too: whether there is any rule at all. */
export const hasFormRules = (orgId: string): Sql => sql`exists (select from form_rules where org_id = ${orgId})`

export interface AskingRule {
  readonly gate: FormGate
  readonly match: Match
}

/** For a statement that asks other things too: the rules that ask new jobs for forms, as JSON. */
export const askingRules = (orgId: string): Sql => sql`(
  select coalesce(json_agg(json_build_object('gate', rule.gate, 'match', rule.match)), '[]') from form_rules rule
  join form_templates template on template.org_id = rule.org_id and template.id = rule.template_id
  where rule.org_id = ${orgId} and rule.is_active and template.status = 'published')`

/** The caller holds the job. Answers whether its forms changed. */
export async function applyRules(ctx: Asking, actor: Actor, ticketId: string): Promise<boolean> {
  const { rules, forms, ...job } = await ctx.ask(situation(ctx, ticketId))
  const { asked, dropped } = formsDue(job, rules, forms)
  if (asked.length > 0) await ask(ctx, actor, ticketId, asked)
  if (dropped.length > 0) await drop(ctx, actor, ticketId, dropped)
  return asked.length + dropped.length > 0
}

/** The forms that keep a job before a gate, oldest first; as many as a refusal names. */
export const outstandingForms = ({ orgId }: Context, ticketId: string, gate: FormGate): Statement<string[]> =>
  statement(
    sql`select id from form_submissions where org_id = ${orgId} and ticket_id = ${ticketId} and gate = ${gate}
          and status in ('open', 'inProgress') order by created_at, id limit 100`,
    (rows: { id: string }[]) => rows.map(({ id }) => id),
  )

interface Situation extends JobFacts {
  readonly rules: readonly Rule[]
  readonly forms: readonly AskedForm[]
}

const situation = ({ orgId }: Asking, ticketId: string): Statement<Situation> =>
  statement(
    sql`select
      array(select distinct service_id from service_lines
        where org_id = ${orgId} and ticket_id = ${ticketId} and service_id is not null) as "serviceIds",
      customer_device_type as "deviceType", recurring_schedule_id as "recurringScheduleId",
      (select category_id from devices where devices.org_id = ${orgId} and devices.id = device_id) as "assetCategoryId",
      (select coalesce(json_agg(json_build_object('id', rule.id, 'name', rule.name, 'match', rule.match,
          'isAsking', rule.is_active and template.status = 'published') order by rule.sort_name, rule.id), '[]')
        from form_rules rule
        join form_templates template on template.org_id = rule.org_id and template.id = rule.template_id
        where rule.org_id = ${orgId}) as rules,
      (select coalesce(json_agg(json_build_object('id', id, 'ruleId', rule_id, 'status', status)), '[]')
        from form_submissions where org_id = ${orgId} and ticket_id = ${ticketId}
          and rule_id is not null and status <> 'voided') as forms
      from tickets where org_id = ${orgId} and id = ${ticketId}`,
    ([row]: Situation[]) => {
      if (!row) throw notFound('job')
      return row
    },
  )

async function ask(ctx: Asking, actor: Actor, ticketId: string, rules: readonly Rule[]): Promise<void> {
  const wanted = rules.map(({ id }) => ({ id: newId('sub'), ruleId: id }))
  const added = await ctx.ask(formsAsked(ctx, ticketId, wanted))
  const ruleOf = (submissionId: string) => {
    const { ruleId } = wanted.find(({ id }) => id === submissionId)!
    return rules.find(({ id }) => id === ruleId)!
  }
  await announce(
    ctx,
    actor,
    ticketId,
    added.map((form) => ({ ...form, detail: { ruleId: ruleOf(form.id).id, ruleName: ruleOf(form.id).name } })),
  )
}

export interface NewForm {
  readonly id: string
  readonly templateName: string
  readonly gate: FormGate
}

/** A form begins its trail, and its job is told. */
export async function announce(
  ctx: Asking,
  actor: Actor,
  ticketId: string,
  forms: readonly (NewForm & { readonly detail: object | null })[],
): Promise<void> {
  await ctx.ask(
    recorded(
      ctx,
      actor,
      forms.map(({ id, detail }) => ({ submissionId: id, type: 'created', detail })),
    ),
  )
  const notes = forms.map(
    ({ id, templateName, gate }): Note => ({ event: 'formRequired', data: { submissionId: id, templateName, gate } }),
  )
  await ctx.ask(notedBy(ctx, actor, ticketId, notes))
}

export const notedBy = ({ orgId }: Asking, { id, name }: Actor, ticketId: string, notes: readonly Note[]) =>
  noted({ orgId, caller: { credentialId: id, name } }, ticketId, notes)

/** In the order of the rules; the template is frozen as it is now. */
const formsAsked = (
  { orgId }: Asking,
  ticketId: string,
  wanted: readonly { id: string; ruleId: string }[],
): Statement<NewForm[]> =>
  statement(
    sql`insert into form_submissions (org_id, id, template_id, template_name, template_version, fields, signature_roles,
          rule_id, gate, ticket_id, customer_id, device_id, assigned_to_id)
        select rule.org_id, wanted.id, template.id, template.name, template.version, template.fields,
          template.signature_roles, rule.id, rule.gate, ticket.id, ticket.customer_id, ticket.device_id,
          ticket.assigned_technician
        from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as wanted (id text, "ruleId" text)
        join form_rules rule on rule.org_id = ${orgId} and rule.id = "ruleId"
        join form_templates template on template.org_id = rule.org_id and template.id = rule.template_id
        join tickets ticket on ticket.org_id = rule.org_id and ticket.id = ${ticketId}
        order by wanted.id
        returning id, template_name as "templateName", gate`,
    (rows: NewForm[]) => rows,
  )

const unmatched = 'The job no longer needs it'

async function drop(ctx: Asking, actor: Actor, ticketId: string, forms: readonly AskedForm[]): Promise<void> {
  const ids = forms.map(({ id }) => id)
  const voided = await ctx.ask(formsDropped(ctx, ids))
  await ctx.ask(
    recorded(
      ctx,
      actor,
      ids.map((submissionId) => ({ submissionId, type: 'voided', detail: { reason: unmatched } })),
    ),
  )
  const notes = voided.map(
    ({ id, templateName }): Note => ({
      event: 'formVoided',
      data: { submissionId: id, templateName, reason: unmatched },
    }),
  )
  await ctx.ask(notedBy(ctx, actor, ticketId, notes))
}

const formsDropped = ({ orgId }: Asking, ids: readonly string[]): Statement<NewForm[]> =>
  statement(
    sql`update form_submissions set status = 'voided', void_reason = ${unmatched}, updated_at = now()
        where org_id = ${orgId} and id = any(${ids}) returning id, template_name as "templateName", gate`,
    (rows: NewForm[]) => rows,
  )
