// Form templates: the questions of a form and who signs it, written and changed here.
import type { Static } from 'typebox'
import { sql } from '../db/database.ts'
import { type FieldType, type FormField, fieldTypes, signatureRoles } from '../domain/forms.ts'
import { createBodyParser } from '../operations/input.ts'
import { newTemplate, saveTemplate } from '../resources/forms/authoring.ts'
import type { Refusal } from './perform.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { needsOf } from './settings.ts'
import { findRecord, lockUnlessStale } from './settings-form-records.ts'
import { loadRules } from './settings-form-rules.ts'
import { type Template, templateListPage, templatePage } from './settings-forms-view.ts'

const readTemplate = createBodyParser(newTemplate)

export function addFormSettings(router: DeskRouter): void {
  const needs = needsOf('forms')
  router.get('/settings/forms', needs, async (request) => {
    const [templates, rules] = await Promise.all([loadTemplates(request), loadRules(request)])
    return request.render(templateListPage(request, templates, rules))
  })
  router.get('/settings/forms/new', needs, async (request) => request.render(templatePage(request, blankTemplate)))
  router.get('/settings/forms/:id', needs, async (request) => {
    const template = await findTemplate(request)
    return request.render(templatePage(request, template, { version: await versionOf(request) }))
  })
  router.post('/settings/forms', needs, (request) => save(request, undefined))
  router.post('/settings/forms/:id', needs, async (request) => save(request, await findTemplate(request)))
}

const loadTemplates = ({ database, orgId }: DeskRequest): Promise<Template[]> =>
  database.read<Template>(
    orgId,
    sql`select id, name, description, version, status, fields, signature_roles as "signatureRoles" from form_templates
      where org_id = ${orgId} order by status = 'archived', sort_name, id`,
  )

const findTemplate = async (request: DeskRequest): Promise<Template> =>
  findRecord(await loadTemplates(request), request, 'form template')

const versionOf = (request: DeskRequest): Promise<string | undefined> =>
  request.version('getFormTemplate', { templateId: request.params.id! })

async function save(request: DeskRequest, before: Template | undefined) {
  const { form } = request
  const wanted = parseTemplateForm(form)
  const draft = { ...blankTemplate, ...before, ...wanted }
  const seen = form.get('version') || undefined
  const show = (wrong?: string, status?: number, version = seen, theirs?: Template) =>
    request.render(templatePage(request, draft, { wrong, status, version, theirs }))
  if (form.get('button') === 'more') return show()
  const isNameTaken = (await loadTemplates(request)).some(
    ({ id, name }) => id !== before?.id && name.toLowerCase() === wanted.name.toLowerCase(),
  )
  if (isNameTaken) return show('Another template has this name.')
  const performed = await request.audited(
    async (ctx, transaction) => {
      const template = readTemplate(wanted).value as Static<typeof newTemplate>
      if (before)
        await lockUnlessStale(transaction, request, { table: 'form_templates', seen, read: () => versionOf(request) })
      return saveTemplate(ctx, template, '', before?.id)
    },
    (id) => ({ action: 'template.saved', subject: id, detail: { name: wanted.name, status: wanted.status } }),
  )
  return request.answer(performed, {
    to: performed.isDone ? `/settings/forms/${performed.data}` : '/settings/forms',
    done: 'saved',
    refused: async ({ status, message }: Refusal) =>
      status === 412
        ? show(message, status, await versionOf(request), await findTemplate(request))
        : show(readableError(message, wanted.fields), status),
  })
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

/** `fields[2].options is required` is for programs; people know the row by its label. */
const readableError = (wrong: string, fields: readonly FormField[]): string =>
  wrong.replace(
    /^fields\[(\d+)\]\.options(\[\d+\])?/,
    (_, index: string) => `The choices of “${fields[Number(index)]?.label}”:`,
  )
