// Form templates and rules in the portal: the questions of a form, who signs it, and which jobs need it.
import type { Static } from 'typebox'
import { type Queryable, sql } from '../db/database.ts'
import { type FieldType, type FormField, fieldTypes, type RuleMatch, signatureRoles } from '../domain/forms.ts'
import type { FormGate } from '../domain/gates.ts'
import { notFound } from '../operations/errors.ts'
import { createBodyParser } from '../operations/input.ts'
import { newRule, newTemplate, saveRule, saveTemplate } from '../resources/forms/authoring.ts'
import { attempt, createPortalContext, type PortalRequest, type Router } from './router.ts'
import {
  type Rule,
  type RuleOptions,
  rulePage,
  type Template,
  templateListPage,
  templatePage,
} from './templates-view.ts'

const readTemplate = createBodyParser(newTemplate)
const readRule = createBodyParser(newRule)

export function addTemplateRoutes(router: Router): void {
  const { database } = router
  const createContextFor = (transaction: Queryable, request: PortalRequest) =>
    createPortalContext(router, transaction, request)
  const loadTemplates = ({ orgId }: PortalRequest): Promise<Template[]> =>
    database.query(sql`
      select id, name, description, version, status, fields, signature_roles as "signatureRoles" from form_templates
      where org_id = ${orgId} order by status = 'archived', sort_name, id`)
  const loadRules = ({ orgId }: PortalRequest): Promise<Rule[]> =>
    database.query(sql`
      select id, name, template_id as "templateId", gate, is_active as "isActive", match from form_rules
      where org_id = ${orgId} order by not is_active, sort_name, id`)
  const findRecord = <T extends { readonly id: string }>(
    records: readonly T[],
    { params }: PortalRequest,
    noun: string,
  ): T => {
    const record = records.find(({ id }) => id === params.id)
    if (!record) throw notFound(noun)
    return record
  }

  router.get('/templates', async (request) =>
    request.render(templateListPage(request, await loadTemplates(request), await loadRules(request))),
  )
  router.get('/templates/new', async (request) => request.render(templatePage(request, blankTemplate)))
  router.get('/templates/:id', async (request) =>
    request.render(templatePage(request, findRecord(await loadTemplates(request), request, 'form template'))),
  )

  const saveTemplateForm = async (request: PortalRequest, before: Template | undefined) => {
    const wanted = parseTemplateForm(request.form)
    const draft = { ...blankTemplate, ...before, ...wanted }
    if (request.form.get('button') === 'more') return request.render(templatePage(request, draft))
    const isNameTaken = (await loadTemplates(request)).some(
      ({ id, name }) => id !== before?.id && name.toLowerCase() === wanted.name.toLowerCase(),
    )
    if (isNameTaken) return request.render(templatePage(request, draft, 'Another template has this name.'))
    const saved = await attempt(() =>
      request.runAudited(
        (transaction) => {
          const template = readTemplate(wanted).value as Static<typeof newTemplate>
          return saveTemplate(createContextFor(transaction, request), template, '', before?.id)
        },
        (id) => ({ action: 'template.saved', subject: id, detail: { name: wanted.name, status: wanted.status } }),
      ),
    )
    if ('wrong' in saved) return request.render(templatePage(request, draft, readableError(saved.wrong, wanted.fields)))
    return request.redirect(`/templates/${saved.result}`, 'saved')
  }
  router.post('/templates', (request) => saveTemplateForm(request, undefined))
  router.post('/templates/:id', async (request) =>
    saveTemplateForm(request, findRecord(await loadTemplates(request), request, 'form template')),
  )

  async function loadRuleOptions(request: PortalRequest): Promise<RuleOptions> {
    const { orgId } = request
    const queryOptions = (query: ReturnType<typeof sql>) => database.query<{ id: string; name: string }>(query)
    return {
      templates: (await loadTemplates(request)).filter(({ status }) => status !== 'archived'),
      serviceIds: await queryOptions(
        sql`select id, name from services where org_id = ${orgId} order by folded(name), id limit 500`,
      ),
      assetCategoryIds: await queryOptions(
        sql`select id, name from asset_categories where org_id = ${orgId} order by folded(name), id limit 500`,
      ),
      recurringScheduleIds: await queryOptions(
        sql`select id, coalesce(name, service_required, id) as name from recurring_schedules where org_id = ${orgId} order by 2, id limit 500`,
      ),
    }
  }
  router.get('/rules/new', async (request) =>
    request.render(rulePage(request, blankRule, await loadRuleOptions(request))),
  )
  router.get('/rules/:id', async (request) =>
    request.render(
      rulePage(request, findRecord(await loadRules(request), request, 'form rule'), await loadRuleOptions(request)),
    ),
  )

  const saveRuleForm = async (request: PortalRequest, before: Rule | undefined) => {
    const wanted = parseRuleForm(request.form)
    const draft = { id: before?.id ?? '', ...wanted }
    const isNameTaken = (await loadRules(request)).some(
      ({ id, name }) => id !== before?.id && name.toLowerCase() === wanted.name.toLowerCase(),
    )
    if (isNameTaken)
      return request.render(rulePage(request, draft, await loadRuleOptions(request), 'Another rule has this name.'))
    const saved = await attempt(() =>
      request.runAudited(
        (transaction) => {
          const rule = readRule(wanted).value as Static<typeof newRule>
          return saveRule(createContextFor(transaction, request), rule, '', before?.id)
        },
        (id) => ({
          action: 'rule.saved',
          subject: id,
          detail: { name: wanted.name, gate: wanted.gate, isActive: wanted.isActive },
        }),
      ),
    )
    if ('wrong' in saved) return request.render(rulePage(request, draft, await loadRuleOptions(request), saved.wrong))
    return request.redirect(`/rules/${saved.result}`, 'saved')
  }
  router.post('/rules', (request) => saveRuleForm(request, undefined))
  router.post('/rules/:id', async (request) =>
    saveRuleForm(request, findRecord(await loadRules(request), request, 'form rule')),
  )
}

const blankTemplate: Template = {
  id: '',
  name: '',
  description: null,
  version: 1,
  status: 'published',
  fields: [],
  signatureRoles: [],
}
const anyJob: RuleMatch = { serviceIds: [], deviceTypes: [], assetCategoryIds: [], recurringScheduleIds: [] }
const blankRule: Rule = { id: '', name: '', templateId: '', gate: 'completion', isActive: true, match: anyJob }

const maxRows = 200

/** Rows without a label are left out; the place a row is given decides the order. */
function parseTemplateForm(form: URLSearchParams) {
  const rows = Array.from({ length: Math.min(maxRows, Number(form.get('rows')) || 0) }, (_, index) => ({
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
  const filledRows = rows.filter(({ label }) => label !== '').sort((one, other) => one.place - other.place)
  const taken = new Set(filledRows.map(({ id }) => id))
  const fields: FormField[] = filledRows.map(({ id, label, type, required, options }) => ({
    id: id || newFieldId(label, taken),
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
function newFieldId(label: string, taken: Set<string>): string {
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

/** `fields[2].options is required` is for programs; people know the row by its label. */
const readableError = (wrong: string, fields: readonly FormField[]): string =>
  wrong.replace(
    /^fields\[(\d+)\]\.options(\[\d+\])?/,
    (_, index: string) => `The choices of “${fields[Number(index)]?.label}”:`,
  )
