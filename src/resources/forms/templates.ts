// Form templates: what a compliance form asks and who signs it. Callers only read; the command line and the desk write.
import { sql } from '../../db/database.ts'
import { fieldTypes, signatureRoles } from '../../domain/forms.ts'
import { read } from '../../operations/crud.ts'
import { id, integer, nullable, oneOf, text } from '../../operations/fields.ts'
import { operation, resource } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { paging, table } from '../../operations/table.ts'
import { filter, filterSet } from '../filters.ts'
import { formsEntity } from './entity.ts'

export const templateStatuses = ['draft', 'published', 'archived'] as const
const status = oneOf(templateStatuses, {
  examples: ['published'],
  description: 'Rules ask for published templates only.',
})

export const field = t.Object(
  {
    id: id({ examples: ['flueType'] }),
    label: text(200, { examples: ['Flue type'] }),
    type: oneOf(fieldTypes, { examples: ['choice'], description: 'A section is a heading; it has no answer.' }),
    required: t.Boolean({ examples: [true], description: 'Whether it must be answered before the form is submitted.' }),
    options: t.Array(text(200), {
      maxItems: 100,
      examples: [['Room sealed', 'Open flue']],
      description: 'What can be chosen; empty for other types.',
    }),
  },
  { title: 'FormField' },
)
export const signatureRolesField = t.Array(oneOf(signatureRoles), {
  maxItems: signatureRoles.length,
  examples: [['technician', 'customer']],
  description: 'Whose signatures it needs.',
})

const templates = table({
  name: 'form_templates',
  noun: 'form template',
  prefix: 'tem',
  writable: {},
  readOnly: {
    name: text(120, { examples: ['Gas safety record'] }),
    description: nullable(text(5_000)),
    version: integer(1, 2_147_483_647, { examples: [1], description: 'Goes up when what it asks changes.' }),
    status,
    fields: t.Array(field, { maxItems: 200 }),
    signatureRoles: signatureRolesField,
  },
  order: { column: 'sort_name', type: 'text', direction: 'asc' },
})

const templateFilters = filterSet({
  status: filter(status, (status) => sql`form_templates.status = ${status}`),
})

export default resource({ entity: formsEntity, tables: [templates] }, [
  operation('GET /form-templates', {
    name: 'listFormTemplates',
    summary: 'List form templates by name',
    query: t.Object({ ...paging, ...templateFilters.query }),
    returns: templates.list,
    run: ({ query }, ctx) => templateFilters.page(templates, ctx, query),
  }),

  read('/form-templates/:templateId', templates),
])
