// Files for the bookkeeper: made for a period, given out once, and had again as they were.
import { toldWords } from '../domain/books/told.ts'
import { addDays, isCalendarDay } from '../domain/wall-clock.ts'
import type { Scope } from '../operations/scopes.ts'
import { type ExportForm, exportsView, type ShownExport, type ShownRefusal } from './exports-view.ts'
import type { Refusal } from './perform.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { accountingLabels, type NamedTax, untaxed } from './settings-accounting-view.ts'

const exportScopes: readonly Scope[] = ['invoices:write', 'payments:read']

export function addExportRoutes(router: DeskRouter): void {
  router.get('/exports', exportScopes, (request) =>
    show(request, { ...lastMonth(request), ...chosenIn(request.query) }),
  )

  router.post('/exports', exportScopes, async (request) => {
    const asked = formOf(request)
    const { again, ...body } = asked
    const performed = await request.perform<ShownExport>({
      operation: 'createExport',
      body: { ...body, again },
      subject: ({ count }: ShownExport) => `${count} ${asked.kind} for ${asked.format}`,
    })
    return request.answer(performed, {
      // After the invoices of a month come its payments.
      to: `/exports?${new URLSearchParams({ kind: asked.kind, format: asked.format, from: asked.from, to: asked.to })}`,
      done: performed.isDone ? doneWords(performed.data) : 'exported',
      refused: async (refusal) => show(request, asked, await worded(request, refusal)),
    })
  })

  router.get('/exports/:export/file', exportScopes, (request) =>
    request.sendFileOf('getExportFile', { params: { exportId: request.params.export! } }),
  )
}

function doneWords({ count, ...told }: ShownExport): string {
  if (toldWords(told).length > 0) return count === 0 ? 'toldAlone' : 'exportedTold'
  return count === 0 ? 'exportedNothing' : 'exported'
}

async function show(request: DeskRequest, form: ExportForm, wrong?: ShownRefusal) {
  const { exports } = await request.read<{ exports: readonly ShownExport[] }>('listExports', { query: { limit: 50 } })
  return request.render(exportsView(request, { form, exports, wrong }))
}

/** What a bookkeeper asks for most. */
function lastMonth({ clock }: DeskRequest): ExportForm {
  const to = addDays(`${clock.today.slice(0, 7)}-01`, -1)
  return { kind: 'invoices', format: 'csv', from: `${to.slice(0, 7)}-01`, to, again: false }
}

/** What was chosen last. What is not there or makes no sense is no choice. */
const chosenIn = ({ kind, format, from, to }: DeskRequest['query']): Partial<ExportForm> => ({
  ...(kind && { kind }),
  ...(format && { format }),
  ...(isCalendarDay(from) && { from }),
  ...(isCalendarDay(to) && { to }),
})

const formOf = ({ form }: DeskRequest): ExportForm => ({
  kind: form.get('kind') ?? '',
  format: form.get('format') ?? '',
  from: form.get('from') ?? '',
  to: form.get('to') ?? '',
  again: form.has('again'),
})

/** Settings that are missing are called what the page of settings calls them. */
async function worded(request: DeskRequest, { status, message, data }: Refusal): Promise<ShownRefusal> {
  const { missing } = (data ?? {}) as { readonly missing?: readonly string[] }
  if (!missing) return { status, words: message, isSetUp: true }
  const taxIds = missing.flatMap((path) => /\.taxNames\.(.+)$/.exec(path)?.[1] ?? [])
  const fields = missing.filter((path) => !path.includes('.taxNames.')).map((path) => path.split('.').at(-1)!)
  const sentences = [
    fields.length > 0 &&
      `This file needs to know: ${fields.map((field) => accountingLabels[field] ?? field).join(', ')}.`,
    fields.includes('debtorAccount') &&
      'The account of customers has as many digits as the account of sales, or one more.',
    taxIds.length > 0 &&
      `DATEV needs a tax key (BU-Schlüssel) for each of these taxes but the one that the account of sales knows by itself: ${(await taxNames(request, taxIds)).join(', ')}.`,
  ]
  return { status, words: sentences.filter(Boolean).join(' '), isSetUp: false }
}

/** A tax that is gone has no name any more. */
async function taxNames(request: DeskRequest, ids: readonly string[]): Promise<readonly string[]> {
  const { taxRates } = await request.read<{ taxRates: readonly NamedTax[] }>('listTaxRates')
  const all = [...taxRates, untaxed]
  return ids.map((id) => all.find((tax) => tax.id === id)?.name ?? id)
}
