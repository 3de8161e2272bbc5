// Categories: groups of one kind of thing. The kinds have the same fields and rules, and each its own table and address.
import { Type as t } from 'typebox'
import { camel, capitalised } from '../api/errors.ts'
import { optional, text, whole } from '../api/fields.ts'
import { operation, resource } from '../api/operation.ts'
import { create, read, remove, update } from '../api/plain.ts'
import { mostIndex, mostUnpaged, table } from '../api/table.ts'

interface Kind {
  readonly name: string
  readonly noun: string
  readonly prefix: string
  /** What such a category might be called. */
  readonly example: string
}

export function categories({ name, noun, prefix, example }: Kind) {
  const records = table({
    name,
    noun,
    prefix,
    writable: {
      name: text(80, { examples: [example] }),
      index: t.Optional(
        whole(0, mostIndex, { examples: [0], description: 'Its place in the list; a new one goes to the end.' }),
      ),
      color: optional(whole(0, 4_294_967_295, { examples: [4_280_391_411], description: 'As an ARGB number.' })),
    },
    order: { column: 'index', type: 'integer', direction: 'asc', thenBy: 'sort_name' },
    most: mostUnpaged,
  })
  const path = `/${name.replaceAll('_', '-')}` as const

  return resource('categories', [
    operation(`GET ${path}`, {
      name: `list${capitalised(camel(name))}`,
      summary: `List all ${name.replaceAll('_', ' ')} in their order`,
      returns: records.list,
      run: (_, ctx) => records.all(ctx),
    }),

    create(path, records),
    read(`${path}/:categoryId`, records),
    update(`${path}/:categoryId`, records),
    remove(`${path}/:categoryId`, records),
  ])
}
