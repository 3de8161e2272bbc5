// Stock: found by name, SKU or barcode, corrected with a reason, changed, labelled; an item with where it was used.
import { parseTyped } from '../domain/typed-numbers.ts'
import { connectionOf } from '../operations/text-search.ts'
import { addCatalogueRoutes } from './catalogue.ts'
import { stockKind } from './catalogue-kinds.ts'
import { quantityText } from './formatting.ts'
import type { Performed } from './perform.ts'
import { wordRefusal } from './refusal-words.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import {
  addressOf,
  filterOf,
  type ItemRecord,
  type ListedItem,
  loadItem,
  perPage,
  type StockCounts,
  type StockFilter,
  searchOf,
  selectCounts,
  selectItems,
  selectScanned,
} from './stock-data.ts'
import { itemView } from './stock-item-view.ts'
import { labelsView } from './stock-labels-view.ts'
import { onHandText, stockView, type WrongRow } from './stock-view.ts'

/** What fits on a few sheets. */
const maxLabels = 200

export function addStockRoutes(router: DeskRouter): void {
  router.get('/stock', ['inventory:read'], async (request) => {
    const { orgId, database } = request
    const filter = filterOf(request.query)
    const scanned =
      filter.search === '' ? [] : await database.read<{ id: string }>(orgId, selectScanned(orgId, filter.search))
    // A scanner types a code and Enter: where it is one item's alone, that is what was meant.
    return scanned.length === 1 ? request.redirect(`/stock/${scanned[0]!.id}`) : showList(request, filter)
  })

  router.get('/stock/labels', ['inventory:read'], async (request) => {
    const { orgId, database } = request
    const filter = filterOf(request.query)
    const items = await database.read<ListedItem>(
      orgId,
      selectItems(orgId, filter, maxLabels + 1),
      connectionOf(searchOf(filter)),
    )
    const isMore = items.length > maxLabels
    return request.render(labelsView(request, { items: items.slice(0, maxLabels), copies: 1, isMore }))
  })
  router.get('/stock/:id/label', ['inventory:read'], async (request) => {
    const { item } = await loadItem(request)
    const copies = Math.min(Math.max(Math.trunc(Number(request.query.copies)) || 1, 1), maxLabels)
    return request.render(labelsView(request, { items: [item], copies, isMore: false, one: item }))
  })

  addCatalogueRoutes(router, stockKind)

  router.get('/stock/:id', ['inventory:read'], async (request) =>
    request.render(itemView(request, await loadItem(request))),
  )

  router.post('/stock/:id/corrections', ['inventory:write'], async (request) => {
    const { form, href } = request
    const itemId = request.params.id!
    const { data: item } = await request.readRecord<ItemRecord>('getInventoryItem', { itemId })
    const performed = await correct(request, item)
    // From a row of the list it leads back to that list, as it was.
    const back = form.get('back')
    const list = back === null ? undefined : filterOf(Object.fromEntries(new URLSearchParams(back)))
    return request.answer(wordRefusal(performed, stockKind.labels), {
      to: list ? addressOf('/stock', list) : `/stock/${item.id}`,
      done: 'corrected',
      more: { ids: [item.id], ...(performed.isDone && corrected(performed.data, form, href)) },
      refused: async ({ status, message }) => {
        const typed = {
          change: form.get('change') ?? '',
          counted: form.get('counted') ?? '',
          reason: form.get('reason') ?? '',
        }
        if (list) return showList(request, list, { id: item.id, message, typed }, status)
        return request.render({ ...itemView(request, await loadItem(request), { message, typed }), status })
      },
    })
  })
}

async function showList(request: DeskRequest, filter: StockFilter, wrong?: WrongRow, status = 200) {
  const { orgId, database } = request
  const connection = connectionOf(searchOf(filter))
  const [items, [counts]] = await Promise.all([
    database.read<ListedItem>(orgId, selectItems(orgId, filter), connection),
    database.read<StockCounts>(orgId, selectCounts(orgId, filter), connection),
  ])
  const shown = items.slice(0, perPage)
  const next = items.length > perPage ? shown.at(-1)!.id : undefined
  return request.render({ ...stockView(request, { filter, items: shown, counts: counts!, next, wrong }), status })
}

/** What a script shows in the row, and the way back: a correction that says so, for nothing of this is forgotten. */
function corrected(item: ItemRecord, form: URLSearchParams, href: DeskRequest['href']) {
  const change = parseTyped(form.get('change') ?? '')
  const now = { ...item, quantity: item.quantityOnHand, isLow: item.isLowStock }
  return {
    said: `${item.name}: ${quantityText(item.quantityOnHand)} on hand`,
    parts: { [`on-${item.id}`]: onHandText(now).toString() },
    ...(typeof change === 'number' && {
      undo: {
        path: href(`/stock/${item.id}/corrections`),
        fields: { change: String(-change), reason: `Taken back: ${form.get('reason')}`.slice(0, 500) },
      },
    }),
  }
}

/** Added to what is there by then, or set to what was counted. A reason is asked for, since others will wonder. */
async function correct(request: DeskRequest, item: ItemRecord): Promise<Performed<ItemRecord>> {
  const typed = (name: string) => (request.form.get(name) ?? '').trim()
  const [change, counted, reason] = [typed('change'), typed('counted'), typed('reason')]
  const wrong = (message: string) =>
    ({ isDone: false, refusal: { status: 400, message, code: undefined, data: undefined } }) as const
  if (reason === '') return wrong('Say why the quantity is corrected: others will wonder.')
  if ((change === '') === (counted === '')) return wrong('Give what to add or take away, or what was counted.')
  if (change !== '' && Number(parseTyped(change)) === 0) return wrong('The change must not be 0.')
  return request.perform<ItemRecord>({
    operation: stockKind.operations.update,
    params: { itemId: item.id },
    body: {
      reason,
      ...(change !== '' ? { quantityDelta: parseTyped(change) } : { quantityOnHand: parseTyped(counted) }),
    },
    subject: `item ${item.name}`,
  })
}
