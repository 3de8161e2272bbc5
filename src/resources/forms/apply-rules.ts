// Rules at work: a job is asked for the forms it needs, and what it no longer needs and nobody touched is voided.
import { type Sql, sql } from '../../db/database.ts'
import { type FormRule, type JobFacts, type RequestedForm, reconcileForms } from '../../domain/forms.ts'
import type { FormGate } from '../../domain/gates.ts'
import type { TimelineEntry } from '../../domain/timeline.ts'
import { notFound } from '../../operations/errors.ts'
import { newId } from '../../operations/ids.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { addTimelineEntries } from '../tickets/timeline.ts'
import { type Actor, type FormContext, insertFormEvents } from './audit-trail.ts'

/** For a statement that asks other things too: whether there is any rule at all. */
export const hasFormRules = (orgId: string): Sql => sql`exists (select from form_rules where org_id = ${orgId})`

/** For a statement that asks other things too: the rules that ask new jobs for forms, as JSON. */
export const activeRulesJson = (orgId: string): Sql => sql`(
  select coalesce(json_agg(json_build_object('gate', rule.gate, 'match', rule.match)), '[]') from form_rules rule
  join form_templates template on template.org_id = rule.org_id and template.id = rule.template_id
  where rule.org_id = ${orgId} and rule.is_active and template.status = 'published')`

/** The caller has locked the job. Answers whether its forms changed. */
export async function applyRules(ctx: FormContext, actor: Actor, ticketId: string): Promise<boolean> {
  const { rules, forms, ...job } = await ctx.query(selectRuleFacts(ctx, ticketId))
  const { missing, obsolete } = reconcileForms(job, rules, forms)
  if (missing.length > 0) await addForms(ctx, actor, ticketId, missing)
  if (obsolete.length > 0) await voidForms(ctx, actor, ticketId, obsolete)
  return missing.length + obsolete.length > 0
}

/** The forms that keep a job before a gate, oldest first; as many as a refusal names. */
export const selectOutstandingForms = ({ orgId }: Context, ticketId: string, gate: FormGate): Statement<string[]> =>
  statement(
    sql`select id from form_submissions where org_id = ${orgId} and ticket_id = ${ticketId} and gate = ${gate}
          and status in ('open', 'inProgress') order by created_at, id limit 100`,
    (rows: { id: string }[]) => rows.map(({ id }) => id),
  )

interface RuleFacts extends JobFacts {
  readonly rules: readonly FormRule[]
  readonly forms: readonly RequestedForm[]
}

const selectRuleFacts = ({ orgId }: FormContext, ticketId: string): Statement<RuleFacts> =>
  statement(
    sql`select
      array(select distinct service_id from service_lines
        where org_id = ${orgId} and ticket_id = ${ticketId} and service_id is not null) as "serviceIds",
      customer_device_type as "deviceType", recurring_schedule_id as "recurringScheduleId",
      (select category_id from devices where devices.org_id = ${orgId} and devices.id = device_id) as "assetCategoryId",
      (select coalesce(json_agg(json_build_object('id', rule.id, 'name', rule.name, 'match', rule.match,
          'isActive', rule.is_active and template.status = 'published') order by rule.sort_name, rule.id), '[]')
        from form_rules rule
        join form_templates template on template.org_id = rule.org_id and template.id = rule.template_id
        where rule.org_id = ${orgId}) as rules,
      (select coalesce(json_agg(json_build_object('id', id, 'ruleId', rule_id, 'status', status)), '[]')
        from form_submissions where org_id = ${orgId} and ticket_id = ${ticketId}
          and rule_id is not null and status <> 'voided') as forms
      from tickets where org_id = ${orgId} and id = ${ticketId}`,
    ([row]: RuleFacts[]) => {
      if (!row) throw notFound('job')
      return row
    },
  )

async function addForms(ctx: FormContext, actor: Actor, ticketId: string, rules: readonly FormRule[]): Promise<void> {
  const requested = rules.map(({ id }) => ({ id: newId('sub'), ruleId: id }))
  const added = await ctx.query(insertForms(ctx, ticketId, requested))
  const ruleOf = (submissionId: string) => {
    const { ruleId } = requested.find(({ id }) => id === submissionId)!
    return rules.find(({ id }) => id === ruleId)!
  }
  await recordNewForms(
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

/** A form begins its trail, and the timeline of its job says so. */
export async function recordNewForms(
  ctx: FormContext,
  actor: Actor,
  ticketId: string,
  forms: readonly (NewForm & { readonly detail: object | null })[],
): Promise<void> {
  await ctx.query(
    insertFormEvents(
      ctx,
      actor,
      forms.map(({ id, detail }) => ({ submissionId: id, type: 'created', detail })),
    ),
  )
  const entries = forms.map(
    ({ id, templateName, gate }): TimelineEntry => ({
      event: 'formRequired',
      data: { submissionId: id, templateName, gate },
    }),
  )
  await ctx.query(addTimelineEntriesBy(ctx, actor, ticketId, entries))
}

export const addTimelineEntriesBy = (
  { orgId }: FormContext,
  { id, name }: Actor,
  ticketId: string,
  entries: readonly TimelineEntry[],
) => addTimelineEntries({ orgId, caller: { credentialId: id, name } }, ticketId, entries)

/** In the order of the rules; the template is frozen as it is now. */
const insertForms = (
  { orgId }: FormContext,
  ticketId: string,
  requested: readonly { id: string; ruleId: string }[],
): Statement<NewForm[]> =>
  statement(
    sql`insert into form_submissions as form (org_id, id, template_id, template_name, template_version, fields, signature_roles,
          rule_id, gate, ticket_id, customer_id, device_id, assigned_to_id)
        select rule.org_id, wanted.id, template.id, template.name, template.version, template.fields,
          template.signature_roles, rule.id, rule.gate, ticket.id, ticket.customer_id, ticket.device_id,
          ticket.assigned_technician
        from jsonb_to_recordset(${JSON.stringify(requested)}::jsonb) as wanted (id text, "ruleId" text)
        join form_rules rule on rule.org_id = ${orgId} and rule.id = "ruleId"
        join form_templates template on template.org_id = rule.org_id and template.id = rule.template_id
        join tickets ticket on ticket.org_id = rule.org_id and ticket.id = ${ticketId}
        order by wanted.id
        returning form.id, form.template_name as "templateName", form.gate`,
    (rows: NewForm[]) => rows,
  )

const notNeededReason = 'The job no longer needs it'

async function voidForms(
  ctx: FormContext,
  actor: Actor,
  ticketId: string,
  forms: readonly RequestedForm[],
): Promise<void> {
  const ids = forms.map(({ id }) => id)
  const voided = await ctx.query(markFormsVoided(ctx, ids))
  await ctx.query(
    insertFormEvents(
      ctx,
      actor,
      ids.map((submissionId) => ({ submissionId, type: 'voided', detail: { reason: notNeededReason } })),
    ),
  )
  const entries = voided.map(
    ({ id, templateName }): TimelineEntry => ({
      event: 'formVoided',
      data: { submissionId: id, templateName, reason: notNeededReason },
    }),
  )
  await ctx.query(addTimelineEntriesBy(ctx, actor, ticketId, entries))
}

const markFormsVoided = ({ orgId }: FormContext, ids: readonly string[]): Statement<NewForm[]> =>
  statement(
    sql`update form_submissions set status = 'voided', void_reason = ${notNeededReason}, updated_at = now()
        where org_id = ${orgId} and id = any(${ids}) returning id, template_name as "templateName", gate`,
    (rows: NewForm[]) => rows,
  )
