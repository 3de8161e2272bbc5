// Writing templates and rules, for the import of a file and for the pages of settings.
import type { Static } from 'typebox'
import { raw, sql } from '../../db/database.ts'
import { type FormField, fieldsProblem, fieldTypes } from '../../domain/forms.ts'
import { badRequest, notFound } from '../../operations/errors.ts'
import { id, integer, oneOf, optional, text } from '../../operations/fields.ts'
import { newId } from '../../operations/ids.ts'
import { type Statement, statement } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import type { FormContext } from './audit-trail.ts'
import { gate } from './rules.ts'
import { signatureRolesField, templateStatuses } from './templates.ts'

/** What the service wrote may stand in a file that came from it; it is not read. */
const ignoredFields = { id: t.Optional(id()), createdAt: t.Optional(t.Any()), updatedAt: t.Optional(t.Any()) }
const strict = { additionalProperties: false }

const newField = t.Object(
  {
    id: id(),
    label: text(200),
    type: oneOf(fieldTypes),
    required: t.Optional(t.Boolean()),
    options: t.Optional(t.Array(text(200), { maxItems: 100 })),
  },
  strict,
)
export const newTemplate = t.Object(
  {
    ...ignoredFields,
    name: text(120),
    description: optional(text(5_000)),
    version: t.Optional(integer(1, 1_000_000)),
    status: t.Optional(oneOf(templateStatuses)),
    fields: t.Array(newField, { maxItems: 200 }),
    signatureRoles: t.Optional(signatureRolesField),
  },
  strict,
)
const ids = t.Optional(t.Array(id(), { maxItems: 200 }))
export const newRule = t.Object(
  {
    ...ignoredFields,
    name: text(120),
    template: t.Optional(text(120)),
    templateId: t.Optional(id()),
    gate,
    isActive: t.Optional(t.Boolean()),
    match: t.Optional(
      t.Object(
        {
          serviceIds: ids,
          deviceTypes: t.Optional(t.Array(text(100), { maxItems: 200 })),
          assetCategoryIds: ids,
          recurringScheduleIds: ids,
        },
        strict,
      ),
    ),
  },
  strict,
)
/** A file of forms: rules name their template, which may be in the same file. */
export const formsFile = t.Object(
  {
    templates: t.Array(newTemplate, { maxItems: 200, default: [] }),
    rules: t.Array(newRule, { maxItems: 500, default: [] }),
  },
  strict,
)
export type NewTemplate = Static<typeof newTemplate>
export type NewRule = Static<typeof newRule>

export interface ImportResult {
  readonly templates: readonly string[]
  readonly rules: readonly string[]
}

/** All of it or nothing. What has the name of a template or rule that is there changes that one. */
export async function importForms(ctx: FormContext, file: Static<typeof formsFile>): Promise<ImportResult> {
  refuseDuplicateNames('templates', file.templates)
  refuseDuplicateNames('rules', file.rules)
  const templates: string[] = []
  for (const [index, template] of file.templates.entries()) {
    templates.push(await saveTemplate(ctx, template, `templates[${index}].`))
  }
  const rules: string[] = []
  for (const [index, rule] of file.rules.entries()) rules.push(await saveRule(ctx, rule, `rules[${index}].`))
  return { templates, rules: rules }
}

/** A template is copied into every form that is made of it. */
const maxFieldCharacters = 100_000

/**
 * Answers its id. `path` is where refusals say the fault lies; `knownAs` is the id of the one to change, where its name
 * may change too.
 */
export async function saveTemplate(
  ctx: FormContext,
  template: NewTemplate,
  path = '',
  existingId?: string,
): Promise<string> {
  const fields = template.fields.map(
    ({ id, label, type, required = false, options = [] }): FormField => ({ id, label, type, required, options }),
  )
  const problem = fieldsProblem(fields)
  if (problem) throw badRequest(path + problem)
  const signers = template.signatureRoles ?? []
  const repeated = signers.findIndex((role, index) => signers.indexOf(role) !== index)
  if (repeated >= 0) throw badRequest(`${path}signatureRoles[${repeated}] is there twice`)
  if (JSON.stringify(fields).length > maxFieldCharacters) {
    throw badRequest(`${path}fields must be at most ${maxFieldCharacters} characters in all`)
  }
  if (existingId) await ctx.query(renameRecord(ctx, 'form_templates', 'form template', existingId, template.name))
  return ctx.query(upsertTemplate(ctx, template, fields))
}

/** The same for a rule. One that can never match would be a form that nobody is asked for: what it names must exist. */
export async function saveRule(ctx: FormContext, rule: NewRule, path = '', existingId?: string): Promise<string> {
  const { serviceIds = [], deviceTypes = [], assetCategoryIds = [], recurringScheduleIds = [] } = rule.match ?? {}
  if ((rule.template === undefined) === (rule.templateId === undefined)) {
    throw badRequest(`${path}template is required: the name of a template${rule.template ? ', or templateId' : ''}`)
  }
  const known = await ctx.query(selectReferences(ctx, rule, { serviceIds, assetCategoryIds, recurringScheduleIds }))
  if (!known.templateId) throw badRequest(`${path}${rule.templateId ? 'templateId' : 'template'} does not exist`)
  refuseUnknown(`${path}match.serviceIds`, serviceIds, known.serviceIds)
  refuseUnknown(`${path}match.assetCategoryIds`, assetCategoryIds, known.assetCategoryIds)
  refuseUnknown(`${path}match.recurringScheduleIds`, recurringScheduleIds, known.recurringScheduleIds)
  const match = { serviceIds, deviceTypes, assetCategoryIds, recurringScheduleIds }
  if (existingId) await ctx.query(renameRecord(ctx, 'form_rules', 'form rule', existingId, rule.name))
  return ctx.query(upsertRule(ctx, rule, known.templateId, match))
}

function refuseDuplicateNames(list: string, entries: readonly { readonly name: string }[]): void {
  const names = entries.map(({ name }) => name.toLowerCase())
  const repeated = names.findIndex((name, index) => names.indexOf(name) !== index)
  if (repeated >= 0) throw badRequest(`${list}[${repeated}].name is there twice`)
}

function refuseUnknown(path: string, ids: readonly string[], known: readonly string[]): void {
  const unknownIndex = ids.findIndex((one) => !known.includes(one))
  if (unknownIndex >= 0) throw badRequest(`${path}[${unknownIndex}] does not exist`)
}

/** Everything else goes by the name. */
const renameRecord = ({ orgId }: FormContext, table: string, noun: string, id: string, name: string): Statement<void> =>
  statement(
    sql`update ${raw(table)} set name = ${name}, updated_at = now() where org_id = ${orgId} and id = ${id}
        returning id`,
    (rows) => {
      if (rows.length === 0) throw notFound(noun)
    },
  )

/** The version goes up when people would see another form; forms that were asked for keep the one they have. */
function upsertTemplate(
  { orgId }: FormContext,
  template: NewTemplate,
  fields: readonly FormField[],
): Statement<string> {
  const { name, description = null, version = 1, status = 'published', signatureRoles = [] } = template
  const content = (row: string) => `${row}.name, ${row}.description, ${row}.fields, ${row}.signature_roles`
  const isDifferent = raw(`(${content('form_templates')}) is distinct from (${content('excluded')})`)
  return statement(
    sql`insert into form_templates (org_id, id, name, description, version, status, fields, signature_roles)
        values (${orgId}, ${newId('tem')}, ${name}, ${description}, ${version}, ${status},
          ${JSON.stringify(fields)}::jsonb, ${JSON.stringify(signatureRoles)}::jsonb)
        on conflict (org_id, lower(name)) do update set
          version = case when ${isDifferent} then greatest(form_templates.version + 1, excluded.version)
            else form_templates.version end,
          updated_at = case when ${isDifferent} or form_templates.status <> excluded.status then excluded.updated_at
            else form_templates.updated_at end,
          name = excluded.name, description = excluded.description, status = excluded.status,
          fields = excluded.fields, signature_roles = excluded.signature_roles
        returning id`,
    ([row]: { id: string }[]) => row!.id,
  )
}

interface KnownReferences {
  readonly templateId: string | null
  readonly serviceIds: readonly string[]
  readonly assetCategoryIds: readonly string[]
  readonly recurringScheduleIds: readonly string[]
}

const selectReferences = (
  { orgId }: FormContext,
  { template, templateId }: NewRule,
  { serviceIds, assetCategoryIds, recurringScheduleIds }: Omit<KnownReferences, 'templateId'>,
): Statement<KnownReferences> =>
  statement(
    sql`select
      (select id from form_templates where org_id = ${orgId}
        and ${templateId === undefined ? sql`lower(name) = lower(${template})` : sql`id = ${templateId}`}
      ) as "templateId",
      array(select id from services where org_id = ${orgId} and id = any(${serviceIds})) as "serviceIds",
      array(select id from asset_categories where org_id = ${orgId} and id = any(${assetCategoryIds}))
        as "assetCategoryIds",
      array(select id from recurring_schedules where org_id = ${orgId} and id = any(${recurringScheduleIds}))
        as "recurringScheduleIds"`,
    ([known]: KnownReferences[]) => known!,
  )

const upsertRule = (
  { orgId }: FormContext,
  { name, gate, isActive = true }: NewRule,
  templateId: string,
  match: object,
): Statement<string> =>
  statement(
    sql`insert into form_rules (org_id, id, name, template_id, gate, is_active, match)
        values (${orgId}, ${newId('rul')}, ${name}, ${templateId}, ${gate}, ${isActive}, ${JSON.stringify(match)}::jsonb)
        on conflict (org_id, lower(name)) do update set name = excluded.name, template_id = excluded.template_id,
          gate = excluded.gate, is_active = excluded.is_active, match = excluded.match,
          updated_at = case when (form_rules.name, form_rules.template_id, form_rules.gate, form_rules.is_active, form_rules.match)
            is distinct from (excluded.name, excluded.template_id, excluded.gate, excluded.is_active, excluded.match)
            then excluded.updated_at else form_rules.updated_at end
        returning id`,
    ([row]: { id: string }[]) => row!.id,
  )
