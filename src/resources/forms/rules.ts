// Form rules: which jobs need which form, and what waits for it. Callers only read; the command line and the desk write.
import { sql } from '../../db/database.ts'
import { formGates } from '../../domain/gates.ts'
import { read } from '../../operations/crud.ts'
import { id, oneOf, text } from '../../operations/fields.ts'
import { operation, resource } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { paging, table } from '../../operations/table.ts'
import { formsEntity } from './entity.ts'

export const gate = oneOf(formGates, {
  examples: ['completion'],
  description:
    'What waits until the form is submitted or voided: starting the job, closing it, invoicing it, or nothing.',
})

const ids = (description: string) => t.Array(id(), { maxItems: 200, examples: [[]], description })
export const match = t.Object(
  {
    serviceIds: ids('Services on the lines of the job.'),
    deviceTypes: t.Array(text(100), {
      maxItems: 200,
      examples: [['Boiler']],
      description: 'Types of its device (`customerDeviceType`), without regard to case and outer spaces.',
    }),
    assetCategoryIds: ids('Categories of its device.'),
    recurringScheduleIds: ids('Schedules that it was made by.'),
  },
  { title: 'FormMatch', description: 'Which jobs: those that meet every list. An empty list means any.' },
)

const rules = table({
  name: 'form_rules',
  noun: 'form rule',
  prefix: 'rul',
  writable: {},
  readOnly: {
    name: text(120, { examples: ['Boilers need a gas safety record'] }),
    templateId: id(),
    gate,
    isActive: t.Boolean({ examples: [true] }),
    match,
  },
  order: { column: 'sort_name', type: 'text', direction: 'asc' },
})

export default resource({ entity: formsEntity, tables: [rules] }, [
  operation('GET /form-rules', {
    name: 'listFormRules',
    summary: 'List form rules by name',
    query: t.Object({ ...paging, templateId: t.Optional(id()) }),
    returns: rules.list,
    run: ({ query: { templateId, ...page } }, ctx) =>
      rules.page(ctx, page, {
        where: templateId === undefined ? undefined : sql`form_rules.template_id = ${templateId}`,
      }),
  }),

  read('/form-rules/:ruleId', rules),
])
