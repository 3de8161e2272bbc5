// The lines of a job: found in the catalogue as one types, added, changed, and removed with a way back.
import { sql } from '../db/database.ts'
import { parseTyped } from '../domain/typed-numbers.ts'
import { notFound } from '../operations/errors.ts'
import { beginningOf, connectionOf, matchingRows, searchForText } from '../operations/text-search.ts'
import { changeRecord, conflictSentence, type EditedField } from './changes.ts'
import { money } from './formatting.ts'
import { answerOnJob, showRefused } from './job.ts'
import { type CatalogueEntry, type LineKind, seesPrices } from './job-data.ts'
import { jobLabels, priceText } from './job-fields.ts'
import {
  catalogueChoiceView,
  catalogueOptions,
  lineRemovalView,
  type TotalsOfJob,
  totalId,
  totalsList,
} from './job-lines-view.ts'
import { findJob, type JobName } from './job-lookup.ts'
import { wordRefusal } from './refusal-words.ts'
import type { DeskRequest, DeskRouter } from './router.ts'

const maxFound = 8
const maxQuery = 100

/** What the operations on both kinds of lines are called. */
const operations = {
  service: {
    read: 'getTicketService',
    add: 'addTicketService',
    update: 'updateTicketService',
    remove: 'deleteTicketService',
  },
  inventory: {
    read: 'getTicketInventory',
    add: 'addTicketInventory',
    update: 'updateTicketInventory',
    remove: 'deleteTicketInventory',
  },
} as const

interface Line {
  readonly name: string
  readonly description: string | null
  readonly serviceId?: string | null
  readonly inventoryItemId?: string | null
  readonly quantity: number
  readonly unitPrice: number
  readonly taxRateId: string | null
  readonly warrantyDays: number | null
  readonly serialNumber?: string | null
  readonly lineTotal: number
}

const lineFields = ({ currency }: DeskRequest): readonly EditedField<Line>[] => [
  {
    name: 'quantity',
    label: 'Quantity',
    textOf: ({ quantity }) => String(quantity),
    bodyOf: (typed) => ({ quantity: parseTyped(typed) }),
  },
  {
    name: 'unitPrice',
    label: 'Price',
    textOf: ({ unitPrice }) => priceText(unitPrice, currency),
    bodyOf: (typed) => ({ unitPrice: parseTyped(typed) }),
  },
]

export function addJobLineRoutes(router: DeskRouter): void {
  router.get('/catalogue', ['services:read', 'inventory:read'], async (request) => {
    const text = (request.query.q ?? '').trim().slice(0, maxQuery)
    return request.fragment(catalogueOptions(request, text, await searchCatalogue(request, text)))
  })

  router.post('/jobs/:job/lines', ['tickets:write'], async (request) => {
    const job = await findJob(request)
    const { form } = request
    const name = (form.get('q') ?? '').trim()
    let source = form.get('source') ?? ''
    if (source === '' && name !== '' && !form.has('again')) {
      // Without scripts nobody has chosen yet: the one of that name is meant, or people are asked.
      const found = await searchCatalogue(request, name)
      const exact = found.find((one) => one.name.toLowerCase() === name.toLowerCase())
      if (!exact && found.length > 0) return request.render(catalogueChoiceView(request, job, name, found))
      source = exact ? `${exact.kind}:${exact.id}` : 'text'
    }
    const { kind, body } = form.has('again') ? removedLine(form.get('again')!) : newLine(form, source, name)
    const performed = await request.perform<{ id: string; name: string }>({
      operation: operations[kind].add,
      params: { ticketId: job.id },
      body,
      subject: `job #${job.number}`,
    })
    return answerOnJob(request, job, performed, 'added')
  })

  router.get('/jobs/:job/lines/:kind/:line', ['tickets:write'], async (request) => {
    const { job, kind, params } = await findLine(request)
    const line = await request.read<Line>(operations[kind].read, { params })
    return request.render(lineRemovalView(request, job, { kind, id: params.lineId, name: line.name }))
  })

  router.post('/jobs/:job/lines/:kind/:line', ['tickets:write'], async (request) => {
    const { job, kind, params } = await findLine(request)
    const act = { params, subject: `job #${job.number}` }
    if (request.form.has('remove')) {
      const line = await request.read<Line>(operations[kind].read, { params })
      const removed = await request.perform({ ...act, operation: operations[kind].remove })
      const more = {
        said: `${line.name} is removed`,
        isGone: true,
        ...(seesPrices(request) && { undo: wayBack(request, job, kind, line) }),
      }
      return answerOnJob(
        request,
        job,
        removed,
        'removed',
        removed.isDone ? { ...more, ...(await totalsOf(request, job)) } : {},
      )
    }
    const changed = await changeRecord<Line>(request, {
      ...act,
      read: operations[kind].read,
      operation: operations[kind].update,
      fields: lineFields(request),
    })
    if (changed === undefined)
      return answerOnJob(request, job, { isDone: true, data: null, version: undefined }, 'saved')
    if (changed.isDone) {
      const { lineTotal } = changed.data
      const parts = { [totalId(params.lineId)]: money(lineTotal, request.currency) }
      return answerOnJob(request, job, changed, 'saved', await totalsOf(request, job, parts))
    }
    const { name } = await request.read<Line>(operations[kind].read, { params })
    const refused = changed.refusal
      ? wordRefusal(changed, jobLabels, name)
      : {
          isDone: false as const,
          refusal: {
            status: 412,
            message: `${name}: ${conflictSentence(changed.conflict)}`,
            code: 'PRECONDITION_FAILED',
            data: changed.conflict,
          },
        }
    return request.answer(refused, { to: `/jobs/${job.id}`, refused: showRefused(request, job) })
  })
}

async function findLine(request: DeskRequest) {
  const { kind, line } = request.params
  if (kind !== 'service' && kind !== 'inventory') throw notFound('line')
  const job = await findJob(request)
  return { job, kind: kind as LineKind, params: { ticketId: job.id, lineId: line! } }
}

function newLine(
  form: URLSearchParams,
  source: string,
  name: string,
): { kind: LineKind; body: Record<string, unknown> } {
  const [, kind, id] = /^(service|inventory):(.+)$/.exec(source) ?? []
  const quantity = (form.get('quantity') ?? '').trim()
  const price = (form.get('unitPrice') ?? '').trim()
  const amounts = {
    ...(quantity !== '' && { quantity: parseTyped(quantity) }),
    ...(price !== '' && { unitPrice: parseTyped(price) }),
  }
  if (kind === 'inventory') return { kind, body: { inventoryItemId: id, ...amounts } }
  if (kind === 'service') return { kind, body: { serviceId: id, ...amounts } }
  return { kind: 'service', body: { name, ...amounts } }
}

/** A line that was removed comes back as it was sold, whatever its price in the catalogue is now. */
function wayBack({ href }: DeskRequest, job: JobName, kind: LineKind, line: Line) {
  const { name, description, quantity, unitPrice, taxRateId, warrantyDays, serviceId, inventoryItemId, serialNumber } =
    line
  const body = {
    name,
    description,
    quantity,
    unitPrice,
    taxRateId,
    warrantyDays,
    ...(kind === 'service' ? { serviceId } : { inventoryItemId, serialNumber }),
  }
  return { path: href(`/jobs/${job.id}/lines`), fields: { again: JSON.stringify({ kind, body }) } }
}

/** Whatever is in it is judged by the operation that adds it. */
function removedLine(text: string): { kind: LineKind; body: Record<string, unknown> } {
  try {
    const { kind, body } = JSON.parse(text) as { kind?: unknown; body?: unknown }
    return { kind: kind === 'inventory' ? 'inventory' : 'service', body: (body ?? {}) as Record<string, unknown> }
  } catch {
    return { kind: 'service', body: {} }
  }
}

/** The sums as the service reckons them, for the same answer that saves. */
async function totalsOf(request: DeskRequest, { id }: JobName, parts: Readonly<Record<string, string>> = {}) {
  if (!seesPrices(request) || !request.isScript) return {}
  const totals = await request.read<TotalsOfJob>('getTicketTotals', { params: { ticketId: id } })
  return { parts: { ...parts, totals: totalsList(request, totals).toString() } }
}

/** Services that are still sold and parts, those that begin so first. */
export async function searchCatalogue({ orgId, database }: DeskRequest, text: string): Promise<CatalogueEntry[]> {
  if (text === '') return []
  const matching = (table: string) =>
    matchingRows({ table, tenant: sql`org_id = ${orgId}`, search: searchForText(table, text) })
  const begins = sql`sort_name not like ${beginningOf(text)}`
  return database.read<CatalogueEntry>(
    orgId,
    sql`select kind, id, name, detail, price, "onHand", "isLow" from (
      (select 'service' as kind, id, name, null::text as detail, price::float8 as price, null::float8 as "onHand",
        false as "isLow", ${begins} as rank, sort_name
      from ${matching('services')} where is_active order by rank, sort_name, id limit ${maxFound}::int)
      union all
      (select 'inventory', id, name, sku, price::float8, case when track_stock then quantity_on_hand::float8 end,
        is_low_stock or (track_stock and quantity_on_hand <= 0), ${begins} as rank, sort_name
      from ${matching('inventory')} order by rank, sort_name, id limit ${maxFound}::int)
    ) found order by rank, sort_name, id limit ${maxFound}::int`,
    connectionOf(searchForText('services', text)),
  )
}
