// The page of a quote or an invoice, and how it is changed: drafts as one types, what the customer has with a button.
import { type Sql, sql } from '../db/database.ts'
import { notFound } from '../operations/errors.ts'
import { changeRecord, conflictSentence } from './changes.ts'
import { conflictView } from './conflict-view.ts'
import type { DocumentRecord } from './document-data.ts'
import {
  type DocumentPage,
  findByNumber,
  isLocked,
  isWithCustomer,
  loadDocument,
  operationsOf,
  paramsOf,
} from './document-data.ts'
import { gatheredTexts, refusalIn, typedEditor } from './document-editor.ts'
import { lineTotalId, rowView, wasFields } from './document-editor-view.ts'
import { documentFields, documentWords, gatherTyped, type Row, rowOf, sentLine, typedRows } from './document-fields.ts'
import type { DocumentKind } from './document-marks.ts'
import { sumsView } from './document-sums.ts'
import { documentView } from './document-view.ts'
import { money } from './formatting.ts'
import { searchCatalogue } from './job-lines.ts'
import { explainInvoiceGate } from './job-lookup.ts'
import type { DeskRequest, DeskRouter } from './router.ts'

const idPrefix = { quote: 'quo_', invoice: 'inv_' } as const

/** Documents have up to two hundred lines: mount it where large forms are read. */
export function addDocumentRoutes(router: DeskRouter): void {
  for (const kind of ['quote', 'invoice'] as const) addRoutesOf(router, kind)
}

function addRoutesOf(router: DeskRouter, kind: DocumentKind): void {
  const read = `${kind}s:read` as const
  const write = `${kind}s:write` as const

  router.get(`/${kind}s/:id`, [read], async (request) => {
    // The number in place of the id leads there; addresses that are kept have the id.
    if (!request.params.id!.startsWith(idPrefix[kind]))
      return request.redirect(`/${kind}s/${await findByNumber(request, kind)}`)
    return request.render(documentView(request, await loadDocument(request, kind)))
  })

  router.get(`/${kind}s/:id/pdf`, [read], async (request) =>
    request.sendFileOf(operationsOf[kind].pdf, {
      params: paramsOf(kind, request.params.id!),
      query: { preview: request.query.preview === 'yes' },
    }),
  )

  /** A row for what was chosen in the catalogue. */
  router.get(`/${kind}s/:id/row`, [write], async (request) => {
    const { source = '', q = '', key = '' } = request.query
    const [page, row] = await Promise.all([loadDocument(request, kind), newRow(request, source, q, key)])
    return request.fragment(rowView(row, { currency: page.record.currency, taxRates: page.taxRates }))
  })

  router.post(`/${kind}s/:id`, [write], async (request) => {
    const { form } = request
    const page = await loadDocument(request, kind)
    const rows = await rowsAfter(request, typedRows(form))
    const isOtherRows = form.has('remove') || form.has('add')
    if (isOtherRows) setRows(form, rows)
    // What the customer has is changed by the button that says so, and by no other.
    if (isOtherRows && isWithCustomer(page) && !isLocked(page))
      return request.render(documentView(request, page, { editor: typedEditor(request) }))
    return save(request, page, rows)
  })
}

async function save(request: DeskRequest, page: DocumentPage, rows: readonly Row[]) {
  const { form } = request
  const { kind, record, number } = page
  gatherTyped(form)
  const path = `/${kind}s/${record.id}`
  const changed = await changeRecord<DocumentRecord>(request, {
    read: operationsOf[kind].read,
    operation: operationsOf[kind].update,
    params: paramsOf(kind, record.id),
    fields: documentFields(request, kind),
    subject: `${kind} ${number}`,
  })
  if (changed && !changed.isDone && !changed.refusal) {
    const { conflict } = changed
    const refusal = { status: 412, message: conflictSentence(conflict), code: 'PRECONDITION_FAILED', data: conflict }
    const both = {
      title: `${kind === 'quote' ? 'Quote' : 'Invoice'} ${number}`,
      conflict,
      action: path,
      back: path,
      say: ({ name }: { name: string }, value: string) => documentWords(name, value, record.currency),
      isText: ({ name }: { name: string }) => longFields.includes(name),
      place: `${kind}s`,
    }
    return request.answer(
      { isDone: false, refusal },
      { to: path, refused: () => request.render(conflictView(request, both)) },
    )
  }
  if (changed === undefined || changed.isDone)
    return request.answer(changed ?? { isDone: true, data: null, version: form.get('version') ?? undefined }, {
      to: path,
      done: 'saved',
      more: { ids: [record.id], ...(changed && { parts: savedParts(form, changed.data) }) },
    })
  const explained = await explainInvoiceGate(request, record.ticketId, changed)
  const { refusal, wrong } = refusalIn((explained as typeof changed).refusal, rows)
  return request.answer(
    { isDone: false, refusal },
    {
      to: path,
      refused: ({ status }) =>
        request.render(documentView(request, page, { status, editor: typedEditor(request, wrong) })),
    },
  )
}

const longFields: readonly string[] = ['title', 'notes', 'terms', 'paymentInstructions']

/** What a script puts into the page: the sums of the same answer, and what the form is now made from. */
function savedParts(form: URLSearchParams, record: DocumentRecord): Readonly<Record<string, string>> {
  const texts = gatheredTexts(form)
  const lineTotals = typedRows(form).flatMap(({ key }, index) => {
    const line = record.lineItems[index]
    return line ? [[lineTotalId(key), money(line.lineTotal, record.currency)]] : []
  })
  return {
    ...Object.fromEntries(lineTotals),
    totals: sumsView(record).toString(),
    was: wasFields((name) => texts[name] ?? '').toString(),
  }
}

/** Without scripts: one fewer, or one more. */
async function rowsAfter(request: DeskRequest, rows: readonly Row[]): Promise<readonly Row[]> {
  const { form } = request
  const removed = form.get('remove')
  if (removed !== null) return rows.filter(({ key }) => key !== removed)
  const name = (form.get('q') ?? '').trim()
  if (!form.has('add') || name === '') return rows
  const found = await searchCatalogue(request, name)
  const exact = found.find((one) => one.name.toLowerCase() === name.toLowerCase())
  const key = String(Math.max(0, ...rows.map((row) => Number(row.key) || 0)) + 1)
  return [...rows, await newRow(request, exact ? `${exact.kind}:${exact.id}` : 'text', name, key)]
}

function setRows(form: URLSearchParams, rows: readonly Row[]): void {
  for (const name of ['key', 'line', 'name', 'quantity', 'unitPrice', 'taxRateId'] as const) {
    form.delete(name)
    for (const row of rows) form.append(name, row[name])
  }
  form.delete('q')
}

/** As a line copies it when it is sold: from the catalogue, or just the words. */
async function newRow({ orgId, database, currency }: DeskRequest, source: string, text: string, key: string) {
  const [, kind, id = ''] = /^(service|inventory):(.+)$/.exec(source) ?? []
  const [entry] = await database.read<{ name: string; unitPrice: number; taxRateId: string | null }>(
    orgId,
    kind === undefined ? selectNothing(orgId, text) : selectEntry(orgId, kind, id),
  )
  if (!entry) throw notFound(kind === 'inventory' ? 'part' : 'service')
  const sources = { service: { serviceId: id }, inventory: { inventoryItemId: id } }
  const line = { kind: kind ?? 'custom', quantity: 1, ...sources[kind as 'service'], ...entry }
  return rowOf(sentLine(line), key.slice(0, 20), currency)
}

const defaultRate = (orgId: string): Sql => sql`(select id from tax_rates where org_id = ${orgId} and default_enabled)`

const selectEntry = (orgId: string, kind: string, id: string): Sql => {
  const columns = sql`name, left(description, 2000) as description, price::float8 as "unitPrice",
    warranty_days as "warrantyDays", coalesce(tax_rate_id, ${defaultRate(orgId)}) as "taxRateId"`
  return kind === 'inventory'
    ? sql`select ${columns} from inventory where org_id = ${orgId} and id = ${id}`
    : sql`select ${columns} from services where org_id = ${orgId} and id = ${id}`
}

const selectNothing = (orgId: string, text: string): Sql =>
  sql`select ${text.trim().slice(0, 200)}::text as name, 0::float8 as "unitPrice", ${defaultRate(orgId)} as "taxRateId"`
