// Form rules: which jobs need which form, and what waits until it is submitted.
import type { Static } from 'typebox'
import { type Sql, sql } from '../db/database.ts'
import type { RuleMatch } from '../domain/forms.ts'
import type { FormGate } from '../domain/gates.ts'
import { createBodyParser } from '../operations/input.ts'
import { newRule, saveRule } from '../resources/forms/authoring.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { needsOf } from './settings.ts'
import { findRecord, lockUnlessStale } from './settings-form-records.ts'
import { type Rule, type RuleOptions, rulePage } from './settings-forms-view.ts'

const readRule = createBodyParser(newRule)

export function addFormRuleSettings(router: DeskRouter): void {
  const needs = needsOf('forms')
  router.get('/settings/forms/rules/new', needs, async (request) => {
    const { agreement } = request.query
    const match = { ...anyJob, ...(agreement && { recurringScheduleIds: [agreement] }) }
    return request.render(rulePage(request, { ...blankRule, match }, await loadRuleOptions(request)))
  })
  router.get('/settings/forms/rules/:id', needs, async (request) => {
    const [rule, options, version] = await Promise.all([
      findRule(request),
      loadRuleOptions(request),
      versionOf(request),
    ])
    return request.render(rulePage(request, rule, options, { version }))
  })
  router.post('/settings/forms/rules', needs, (request) => save(request, undefined))
  router.post('/settings/forms/rules/:id', needs, async (request) => save(request, await findRule(request)))
}

export const loadRules = ({ database, orgId }: DeskRequest): Promise<Rule[]> =>
  database.read<Rule>(
    orgId,
    sql`select id, name, template_id as "templateId", gate, is_active as "isActive", match from form_rules
      where org_id = ${orgId} order by not is_active, sort_name, id`,
  )

const findRule = async (request: DeskRequest): Promise<Rule> =>
  findRecord(await loadRules(request), request, 'form rule')

const versionOf = (request: DeskRequest): Promise<string | undefined> =>
  request.version('getFormRule', { ruleId: request.params.id! })

/** What a rule can be about: one statement. */
async function loadRuleOptions({ database, orgId }: DeskRequest): Promise<RuleOptions> {
  const named = (from: Sql) =>
    sql`(select coalesce(json_agg(json_build_object('id', id, 'name', name)), '[]') from (${from} limit 500) one)`
  const [row] = await database.read<RuleOptions>(
    orgId,
    sql`select
      ${named(sql`select id, name from form_templates where org_id = ${orgId} and status <> 'archived' order by sort_name, id`)} as templates,
      ${named(sql`select id, name from services where org_id = ${orgId} order by folded(name), id`)} as "serviceIds",
      ${named(sql`select id, name from asset_categories where org_id = ${orgId} order by folded(name), id`)} as "assetCategoryIds",
      ${named(sql`select id, coalesce(name, service_required, id) as name from recurring_schedules where org_id = ${orgId} order by 2, id`)} as "recurringScheduleIds"`,
  )
  return row!
}

async function save(request: DeskRequest, before: Rule | undefined) {
  const { form } = request
  const wanted = parseRuleForm(form)
  const draft = { id: before?.id ?? '', ...wanted }
  const seen = form.get('version') || undefined
  const show = async (wrong: string, status = 400, version = seen, theirs?: Rule) =>
    request.render(rulePage(request, draft, await loadRuleOptions(request), { wrong, status, version, theirs }))
  const isNameTaken = (await loadRules(request)).some(
    ({ id, name }) => id !== before?.id && name.toLowerCase() === wanted.name.toLowerCase(),
  )
  if (isNameTaken) return show('Another rule has this name.')
  const performed = await request.audited(
    async (ctx, transaction) => {
      const rule = readRule(wanted).value as Static<typeof newRule>
      if (before)
        await lockUnlessStale(transaction, request, { table: 'form_rules', seen, read: () => versionOf(request) })
      return saveRule(ctx, rule, '', before?.id)
    },
    (id) => ({
      action: 'rule.saved',
      subject: id,
      detail: { name: wanted.name, gate: wanted.gate, isActive: wanted.isActive },
    }),
  )
  return request.answer(performed, {
    to: performed.isDone ? `/settings/forms/rules/${performed.data}` : '/settings/forms',
    done: 'saved',
    refused: async ({ status, message }) =>
      status === 412 ? show(message, status, await versionOf(request), await findRule(request)) : show(message, status),
  })
}

const anyJob: RuleMatch = { serviceIds: [], deviceTypes: [], assetCategoryIds: [], recurringScheduleIds: [] }
const blankRule: Rule = { id: '', name: '', templateId: '', gate: 'completion', isActive: true, match: anyJob }

function parseRuleForm(form: URLSearchParams) {
  const match: RuleMatch = {
    serviceIds: form.getAll('serviceIds'),
    deviceTypes: (form.get('deviceTypes') ?? '')
      .split('\n')
      .map((one) => one.trim())
      .filter(Boolean),
    assetCategoryIds: form.getAll('assetCategoryIds'),
    recurringScheduleIds: form.getAll('recurringScheduleIds'),
  }
  return {
    name: (form.get('name') ?? '').trim(),
    templateId: form.get('templateId') ?? '',
    gate: (form.get('gate') ?? '') as FormGate,
    isActive: form.has('isActive'),
    match,
  }
}
