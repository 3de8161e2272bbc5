// Categories: groups of one kind of thing. The kinds have the same fields and rules, and each its own table and address.
import { create, read, remove, update } from '../operations/crud.ts'
import { integer, optional, text } from '../operations/fields.ts'
import { operation, resource } from '../operations/operation.ts'
import { t } from '../operations/schemas.ts'
import { entity } from '../operations/scopes.ts'
import { maxIndex, table } from '../operations/table.ts'
import { maxUnpaged } from '../operations/table-lists.ts'

const categoryEntity = entity('categories', {
  title: 'Categories',
  description: 'Groups for inventory items and for devices.',
  scopeObject: 'inventory and device categories',
})

interface CategoryKind {
  readonly name: string
  readonly noun: string
  readonly plural: string
  readonly path: `/${string}`
  /** What its operations are named by. */
  readonly pluralTypeName: string
  readonly prefix: string
  /** What such a category might be called. */
  readonly example: string
}

export function categories({ name, noun, plural, path, pluralTypeName, prefix, example }: CategoryKind) {
  const records = table({
    name,
    noun,
    prefix,
    writable: {
      name: text(80, { examples: [example] }),
      index: t.Optional(
        integer(0, maxIndex, { examples: [0], description: 'Its place in the list; a new one goes to the end.' }),
      ),
      color: optional(integer(0, 4_294_967_295, { examples: [4_280_391_411], description: 'As an ARGB number.' })),
    },
    order: { column: 'index', type: 'integer', direction: 'asc', thenBy: 'sort_name' },
    maxRecords: { count: maxUnpaged, plural },
  })

  return resource({ entity: categoryEntity, tables: [records] }, [
    operation(`GET ${path}`, {
      name: `list${pluralTypeName}`,
      summary: `List all ${plural} in their order`,
      returns: records.list,
      run: (_, ctx) => records.all(ctx),
    }),

    create(path, records),
    read(`${path}/:categoryId`, records),
    update(`${path}/:categoryId`, records),
    remove(`${path}/:categoryId`, records),
  ])
}
