// Form templates and rules in the portal: what a sheet asks, who signs it, and which jobs need it.
import type { Static } from 'typebox'
import { notFound } from '../api/errors.ts'
import { bodyReader } from '../api/input.ts'
import { type Executor, sql } from '../database.ts'
import { type Field, type FieldType, fieldTypes, type Match, signatureRoles } from '../domain/forms.ts'
import type { FormGate } from '../domain/gates.ts'
import { newRule, newTemplate, saveRule, saveTemplate } from '../resources/forms/authoring.ts'
import { listPage, type Offer, type Rule, rulePage, type Template, templatePage } from './authoring-pages.ts'
import { actingIn, attempt, type Desk, type Visit } from './desk.ts'

const readTemplate = bodyReader(newTemplate)
const readRule = bodyReader(newRule)

export function authoringPages(desk: Desk): void {
  const { database } = desk
  const asking = (transaction: Executor, visit: Visit) => actingIn(desk, transaction, visit)
  const templates = ({ orgId }: Visit): Promise<Template[]> =>
    database.query(sql`
      select id, name, description, version, status, fields, signature_roles as "signatureRoles" from form_templates
      where org_id = ${orgId} order by status = 'archived', sort_name, id`)
  const rules = ({ orgId }: Visit): Promise<Rule[]> =>
    database.query(sql`
      select id, name, template_id as "templateId", gate, is_active as "isActive", match from form_rules
      where org_id = ${orgId} order by not is_active, sort_name, id`)
  const found = <T extends { readonly id: string }>(records: readonly T[], { params }: Visit, noun: string): T => {
    const record = records.find(({ id }) => id === params.id)
    if (!record) throw notFound(noun)
    return record
  }

  desk.get('/templates', async (visit) => visit.show(listPage(visit, await templates(visit), await rules(visit))))
  desk.get('/templates/new', async (visit) => visit.show(templatePage(visit, blank)))
  desk.get('/templates/:id', async (visit) =>
    visit.show(templatePage(visit, found(await templates(visit), visit, 'form template'))),
  )

  const saveTemplateOf = async (visit: Visit, before: Template | undefined) => {
    const wanted = templateIn(visit.form)
    const sheet = { ...blank, ...before, ...wanted }
    if (visit.form.get('button') === 'more') return visit.show(templatePage(visit, sheet))
    const namesake = (await templates(visit)).some(
      ({ id, name }) => id !== before?.id && name.toLowerCase() === wanted.name.toLowerCase(),
    )
    if (namesake) return visit.show(templatePage(visit, sheet, 'Another template has this name.'))
    const saved = await attempt(() =>
      visit.act(
        (transaction) => {
          const template = readTemplate(wanted).value as Static<typeof newTemplate>
          return saveTemplate(asking(transaction, visit), template, '', before?.id)
        },
        (id) => ({ action: 'template.saved', subject: id, detail: { name: wanted.name, status: wanted.status } }),
      ),
    )
    if ('wrong' in saved) return visit.show(templatePage(visit, sheet, readable(saved.wrong, wanted.fields)))
    return visit.goTo(`/templates/${saved.result}`, 'saved')
  }
  desk.post('/templates', (visit) => saveTemplateOf(visit, undefined))
  desk.post('/templates/:id', async (visit) =>
    saveTemplateOf(visit, found(await templates(visit), visit, 'form template')),
  )

  async function offer(visit: Visit): Promise<Offer> {
    const { orgId } = visit
    const named = (query: ReturnType<typeof sql>) => database.query<{ id: string; name: string }>(query)
    return {
      templates: (await templates(visit)).filter(({ status }) => status !== 'archived'),
      serviceIds: await named(
        sql`select id, name from services where org_id = ${orgId} order by folded(name), id limit 500`,
      ),
      assetCategoryIds: await named(
        sql`select id, name from asset_categories where org_id = ${orgId} order by folded(name), id limit 500`,
      ),
      recurringScheduleIds: await named(
        sql`select id, coalesce(name, service_required, id) as name from recurring_schedules where org_id = ${orgId} order by 2, id limit 500`,
      ),
    }
  }
  desk.get('/rules/new', async (visit) => visit.show(rulePage(visit, blankRule, await offer(visit))))
  desk.get('/rules/:id', async (visit) =>
    visit.show(rulePage(visit, found(await rules(visit), visit, 'form rule'), await offer(visit))),
  )

  const saveRuleOf = async (visit: Visit, before: Rule | undefined) => {
    const wanted = ruleIn(visit.form)
    const sheet = { id: before?.id ?? '', ...wanted }
    const namesake = (await rules(visit)).some(
      ({ id, name }) => id !== before?.id && name.toLowerCase() === wanted.name.toLowerCase(),
    )
    if (namesake) return visit.show(rulePage(visit, sheet, await offer(visit), 'Another rule has this name.'))
    const saved = await attempt(() =>
      visit.act(
        (transaction) => {
          const rule = readRule(wanted).value as Static<typeof newRule>
          return saveRule(asking(transaction, visit), rule, '', before?.id)
        },
        (id) => ({
          action: 'rule.saved',
          subject: id,
          detail: { name: wanted.name, gate: wanted.gate, isActive: wanted.isActive },
        }),
      ),
    )
    if ('wrong' in saved) return visit.show(rulePage(visit, sheet, await offer(visit), saved.wrong))
    return visit.goTo(`/rules/${saved.result}`, 'saved')
  }
  desk.post('/rules', (visit) => saveRuleOf(visit, undefined))
  desk.post('/rules/:id', async (visit) => saveRuleOf(visit, found(await rules(visit), visit, 'form rule')))
}

const blank: Template = {
  id: '',
  name: '',
  description: null,
  version: 1,
  status: 'published',
  fields: [],
  signatureRoles: [],
}
const anyJob: Match = { serviceIds: [], deviceTypes: [], assetCategoryIds: [], recurringScheduleIds: [] }
const blankRule: Rule = { id: '', name: '', templateId: '', gate: 'completion', isActive: true, match: anyJob }

const mostRows = 200

/** Rows without a label are left out; the place a row is given decides the order. */
function templateIn(form: URLSearchParams) {
  const rows = Array.from({ length: Math.min(mostRows, Number(form.get('rows')) || 0) }, (_, index) => ({
    id: form.get(`id.${index}`) ?? '',
    place: Number(form.get(`place.${index}`)) || index + 1,
    label: (form.get(`label.${index}`) ?? '').trim(),
    type: (fieldTypes.find((one) => one === form.get(`type.${index}`)) ?? 'text') as FieldType,
    required: form.has(`required.${index}`),
    options: (form.get(`options.${index}`) ?? '')
      .split('\n')
      .map((option) => option.trim())
      .filter(Boolean),
  }))
  const kept = rows.filter(({ label }) => label !== '').sort((one, other) => one.place - other.place)
  const taken = new Set(kept.map(({ id }) => id))
  const fields: Field[] = kept.map(({ id, label, type, required, options }) => ({
    id: id || freshId(label, taken),
    label,
    type,
    required: required && type !== 'section',
    options: type === 'choice' || type === 'multiChoice' ? options : [],
  }))
  return {
    name: (form.get('name') ?? '').trim(),
    description: (form.get('description') ?? '').trim() || null,
    status: (['draft', 'published', 'archived'] as const).find((one) => one === form.get('status')) ?? 'draft',
    fields,
    signatureRoles: signatureRoles.filter((role) => form.getAll('signatureRole').includes(role)),
  }
}

/** A field is known by its id for ever: answers hang on it. It is made from the label, once. */
function freshId(label: string, taken: Set<string>): string {
  const words = label
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9 ]/g, '')
    .trim()
    .split(/\s+/)
    .slice(0, 5)
  const stem =
    words
      .map((word, index) =>
        index === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1).toLowerCase(),
      )
      .join('')
      .slice(0, 60) || 'field'
  let id = stem
  for (let count = 2; taken.has(id); count++) id = `${stem}${count}`
  taken.add(id)
  return id
}

function ruleIn(form: URLSearchParams) {
  const match: Match = {
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

/** `fields[2].options is required` is for programs; people know the row by its label. */
const readable = (wrong: string, fields: readonly Field[]): string =>
  wrong.replace(
    /^fields\[(\d+)\]\.options(\[\d+\])?/,
    (_, index: string) => `The choices of “${fields[Number(index)]?.label}”:`,
  )
