// Making, changing and deleting what the shop sells: the same for items of stock and for services.
import { sql } from '../db/database.ts'
import type { CatalogueKind, CatalogueRecord } from './catalogue-kinds.ts'
import { type CatalogueChoices, catalogueDeletionView, catalogueFormView } from './catalogue-view.ts'
import { changeRecord, conflictSentence } from './changes.ts'
import { conflictView } from './conflict-view.ts'
import type { Performed, Refusal } from './perform.ts'
import { inWords, wordRefusal } from './refusal-words.ts'
import type { DeskRequest, DeskRouter } from './router.ts'

export function addCatalogueRoutes(router: DeskRouter, kind: CatalogueKind): void {
  const { path, entity, param, operations, fields, noun } = kind
  const paramsOf = ({ params }: DeskRequest) => ({ [param]: params.id! })
  const read = (request: DeskRequest) => request.readRecord<CatalogueRecord>(operations.read, paramsOf(request))

  router.get(`${path}/new`, [`${entity}:write`], async (request) =>
    request.render(
      catalogueFormView(request, kind, { choices: await loadChoices(request), texts: newTexts(kind, request) }),
    ),
  )

  router.post(path, [`${entity}:write`], async (request) => {
    const texts = typedTexts(request, kind)
    const given = fields.filter(({ name }) => (texts[name] ?? '') !== '')
    const performed = await request.perform<{ id: string }>({
      operation: operations.create,
      body: Object.assign({}, ...given.map((field) => field.bodyOf(texts[field.name]!))),
      subject: `${noun} ${texts.name ?? ''}`,
    })
    return request.answer(said(request, kind, performed), {
      to: performed.isDone ? `${path}/${performed.data.id}` : path,
      done: 'saved',
      refused: async (refusal) => showAgain(request, kind, { texts, refusal }),
    })
  })

  router.get(`${path}/:id/edit`, [`${entity}:write`], async (request) => {
    const [choices, { data, version }] = await Promise.all([loadChoices(request), read(request)])
    const texts = Object.fromEntries(fields.map((field) => [field.name, field.textOf(data)]))
    return request.render(catalogueFormView(request, kind, { choices, texts, was: texts, version, record: data }))
  })

  router.post(`${path}/:id`, [`${entity}:write`], async (request) => {
    const { data: record } = await read(request)
    const to = `${path}/${record.id}`
    const changed = await changeRecord<CatalogueRecord>(request, {
      read: operations.read,
      operation: operations.update,
      params: paramsOf(request),
      fields,
      subject: `${noun} ${record.name}`,
    })
    const done = { isDone: true, data: null, version: undefined } as const
    if (!changed || changed.isDone || changed.refusal)
      return request.answer(said<unknown>(request, kind, changed ?? done), {
        to,
        done: 'saved',
        refused: async (refusal) =>
          showAgain(request, kind, { texts: typedTexts(request, kind), was: wasTexts(request, kind), refusal, record }),
      })
    const { conflict } = changed
    const refusal = { status: 412, message: conflictSentence(conflict), code: 'PRECONDITION_FAILED', data: conflict }
    const choices = await loadChoices(request)
    return request.answer(
      { isDone: false, refusal },
      {
        to,
        refused: () =>
          request.render(
            conflictView(request, {
              title: record.name,
              conflict,
              action: to,
              back: to,
              say: ({ name }, value) => sayValue(kind, choices, name, value),
              isText: ({ name }) => ['text', 'long', 'number'].includes(kindOf(kind, name)),
              place: kind.place,
            }),
          ),
      },
    )
  })

  router.get(`${path}/:id/delete`, [`${entity}:delete`], async (request) =>
    request.render(catalogueDeletionView(request, kind, (await read(request)).data)),
  )
  router.post(`${path}/:id/delete`, [`${entity}:delete`], async (request) => {
    const { data } = await read(request)
    const performed = await request.perform({
      operation: operations.remove,
      params: paramsOf(request),
      subject: `${noun} ${data.name}`,
    })
    return request.answer(performed, { to: path, done: 'deleted' })
  })
}

/** A script is told in the words of the page; the form itself finds the field first. */
const said = <T>({ isScript }: DeskRequest, { labels }: CatalogueKind, performed: Performed<T>): Performed<T> =>
  isScript ? wordRefusal(performed, labels) : performed

const kindOf = ({ fields }: CatalogueKind, name: string): string => fields.find((field) => field.name === name)!.kind

/** What a value is called, where the form has an id or a code for it. */
function sayValue(kind: CatalogueKind, { categories, taxes }: CatalogueChoices, name: string, value: string): string {
  const chosen = kindOf(kind, name)
  if (chosen === 'yes') return value === 'true' ? 'Yes' : 'No'
  if (chosen === 'category') return categories.find(({ id }) => id === value)?.name ?? ''
  return chosen === 'tax' ? (taxes.find(({ id }) => id === value)?.name ?? '') : value
}

const typedTexts = ({ form }: DeskRequest, { fields }: CatalogueKind): Record<string, string> =>
  Object.fromEntries(
    fields.flatMap(({ name }): [string, string][] => (form.has(name) ? [[name, form.get(name)!.trim()]] : [])),
  )

const wasTexts = ({ form }: DeskRequest, { fields }: CatalogueKind): Record<string, string> =>
  Object.fromEntries(
    fields.flatMap(({ name }): [string, string][] =>
      form.has(`was.${name}`) ? [[name, form.get(`was.${name}`)!]] : [],
    ),
  )

/** What a scanner typed where nothing was found is taken along. */
const newTexts = ({ fields }: CatalogueKind, { query }: DeskRequest): Record<string, string> => ({
  ...Object.fromEntries(fields.filter(({ kind }) => kind === 'yes').map(({ name }) => [name, 'true'])),
  price: '0',
  ...(query.barcode && { barcode: query.barcode.slice(0, 80) }),
})

interface Again {
  readonly texts: Readonly<Record<string, string>>
  readonly was?: Readonly<Record<string, string>>
  readonly refusal: Refusal
  readonly record?: CatalogueRecord
}

/** The form as it was typed, with the reason beside its field. */
async function showAgain(request: DeskRequest, kind: CatalogueKind, { refusal, ...form }: Again) {
  const version = request.form.get('version') ?? undefined
  const wrong = inWords(refusal.message, kind.labels)
  const choices = await loadChoices(request)
  const view = catalogueFormView(request, kind, { choices, ...form, version, wrong })
  return request.render({ ...view, status: refusal.status })
}

/** Categories and tax rates, in one statement. */
async function loadChoices({ database, orgId }: DeskRequest): Promise<CatalogueChoices> {
  const [choices] = await database.read<CatalogueChoices>(
    orgId,
    sql`select
      (select coalesce(json_agg(json_build_object('id', id, 'name', name) order by index, sort_name, id), '[]')
        from inventory_categories where org_id = ${orgId}) as categories,
      (select coalesce(json_agg(json_build_object('id', id, 'name', name) order by sort_name, id), '[]')
        from tax_rates where org_id = ${orgId}) as taxes`,
  )
  return choices!
}
