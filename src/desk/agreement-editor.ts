// Agreements made and changed: the form, the next ten visits before anything is saved, and what happens to jobs made already.

import { formats } from '../operations/fields.ts'
import { chooseCustomerView } from './agreement-customer.ts'
import { type Agreement, loadAgreement, loadSurroundings, nameOf, type Preset } from './agreement-data.ts'
import { conflictPage, previewOf, renderEdit, renderNew } from './agreement-editor-view.ts'
import { agreementFields, formOf, gatherTyped, newForm, typedSeries } from './agreement-fields.ts'
import { previewView } from './agreement-form-view.ts'
import { rowsOf, type TemplateRow, templateRow, templateRowView } from './agreement-lines.ts'
import { changeRecord } from './changes.ts'
import { searchCatalogue } from './job-lines.ts'
import { searchCustomers } from './new-job.ts'
import { formKey } from './once.ts'
import type { DeskRequest, DeskRouter } from './router.ts'

const write = ['recurring-schedules:write', 'customers:read'] as const

export function addAgreementEditorRoutes(router: DeskRouter): void {
  router.get('/recurring/new', write, async (request) => {
    const { query, clock, timeZone } = request
    if (!query.customer) return chooseCustomer(request)
    const preset = query.preset
      ? await request.read<Preset>('getRecurringPreset', { params: { presetId: query.preset } })
      : undefined
    return renderNew(request, newForm(clock.today, timeZone, valuesOf(preset)), query.customer)
  })
  router.post('/recurring/new', write, async (request) => {
    const { form, timeZone } = request
    const customerId = form.get('customerId') ?? ''
    const typed = await withRows(request)
    const series = typedSeries(typed, timeZone)
    if (isOnlyShown(form)) return renderNew(request, typed, customerId)
    if ('field' in series) return renderNew(request, typed, customerId, { status: 400, message: series.words }, series)
    gatherTyped(typed, series)
    const body = Object.assign(
      { customerId, timeZone },
      ...agreementFields(timeZone)
        .filter(({ name }) => (typed.get(name) ?? '').trim() !== '')
        .map(({ name, bodyOf }) => bodyOf(typed.get(name)!.trim())),
    )
    const performed = await request.performAll(
      (perform) =>
        perform<{ id: string }>({
          operation: 'createRecurringSchedule',
          body,
          subject: (made: Agreement) => `agreement ${nameOf(made)}`,
        }),
      form.get('once') ? formKey(form) : undefined,
    )
    return request.answer(performed, {
      to: performed.isDone ? `/recurring/${performed.data.id}` : '/recurring',
      done: 'saved',
      refused: (refusal) => renderNew(request, typed, customerId, refusal),
    })
  })

  /** What a script shows beside the form while one chooses. */
  router.get('/recurring/preview', write, async (request) => {
    const typed = new URLSearchParams()
    // What is chosen several times comes as a list.
    for (const [name, value] of Object.entries(request.query))
      for (const one of [value].flat()) typed.append(name, String(one))
    const zone = typed.get('timeZone') ?? ''
    return request.fragment(
      previewView(previewOf(typed, formats['time-zone']!.accepts(zone) ? zone : request.timeZone)),
    )
  })
  router.get('/recurring/row', write, async (request) => {
    const { source = '', q = '', key = '1' } = request.query
    const { taxRates } = await loadSurroundings(request, null)
    return request.fragment(templateRowView(await pickedRow(request, source, q, key), taxRates))
  })

  router.get('/recurring/:id/edit', write, async (request) => {
    const page = await loadAgreement(request)
    return renderEdit(request, page, formOf(page.record))
  })
  router.post('/recurring/:id', write, async (request) => {
    const page = await loadAgreement(request)
    const { timeZone } = page.record
    const typed = await withRows(request)
    if (isOnlyShown(request.form)) return renderEdit(request, page, typed)
    // The page that shows two versions sends what is compared as it is.
    if (typed.has('unit')) {
      const series = typedSeries(typed, timeZone)
      if ('field' in series) return renderEdit(request, page, typed, { status: 400, message: series.words }, series)
      gatherTyped(typed, series)
      for (const name of ['startsAt', 'rrule', 'durationMinutes', 'lineItems']) request.form.set(name, typed.get(name)!)
    }
    const isForLater = request.form.get('visits') !== 'new'
    const changed = await changeRecord<Agreement>(request, {
      read: 'getRecurringSchedule',
      operation: 'updateRecurringSchedule',
      params: { scheduleId: page.record.id },
      ...(isForLater && { query: { resync: 'thisAndFuture' } }),
      subject: `agreement ${page.name}`,
      fields: agreementFields(timeZone),
    })
    const to = `/recurring/${page.record.id}`
    if (changed && !changed.isDone && changed.refusal === undefined)
      return request.render(await conflictPage(request, page, changed.conflict))
    return request.answer(changed ?? { isDone: true, data: null, version: undefined }, {
      to,
      done: 'saved',
      more: { ids: [page.record.id] },
      refused: (refusal) => renderEdit(request, page, typed, refusal),
    })
  })
}

const isOnlyShown = (form: URLSearchParams): boolean => form.has('show') || form.has('add') || form.has('remove')

const valuesOf = (preset: Preset | undefined): Partial<Agreement> =>
  Object.fromEntries(
    Object.entries(preset ?? {}).filter(([name, value]) => value !== null && name !== 'name' && name !== 'id'),
  )

/** The form with a line more or less, where a button asks for that; scripts do it by themselves. */
async function withRows(request: DeskRequest): Promise<URLSearchParams> {
  const { form } = request
  const typed = new URLSearchParams(form)
  const rows = rowsOf(form)
  const words = (form.get('q') ?? '').trim()
  if (form.has('add') && words !== '') {
    const key = String(Math.max(0, ...rows.map((row) => Number(row.key) || 0)) + 1)
    return withTypedRows(typed, [...rows, await pickedRow(request, form.get('source') ?? '', words, key)])
  }
  return form.has('remove')
    ? withTypedRows(
        typed,
        rows.filter(({ key }) => key !== form.get('remove')),
      )
    : typed
}

function withTypedRows(typed: URLSearchParams, rows: readonly TemplateRow[]): URLSearchParams {
  const names = {
    key: 'key',
    line: 'line',
    lineName: 'name',
    quantity: 'quantity',
    unitPrice: 'unitPrice',
    taxRateId: 'taxRateId',
  } as const
  for (const [name, part] of Object.entries(names)) {
    typed.delete(name)
    for (const row of rows) typed.append(name, row[part])
  }
  typed.delete('q')
  return typed
}

/** What was chosen in the catalogue, the one of that name, or the words themselves. */
async function pickedRow(request: DeskRequest, source: string, words: string, key: string): Promise<TemplateRow> {
  const [, kind, id] = /^(service|inventory):(.+)$/.exec(source) ?? []
  const found = await searchCatalogue(request, words.slice(0, 100))
  const meant =
    found.find((one) => one.id === id) ?? found.find(({ name }) => name.toLowerCase() === words.toLowerCase())
  const reference = meant
    ? meant.kind === 'service'
      ? { serviceId: meant.id }
      : { inventoryItemId: meant.id }
    : kind === 'service'
      ? { serviceId: id! }
      : kind === 'inventory'
        ? { inventoryItemId: id! }
        : {}
  return templateRow({ ...reference, name: meant?.name ?? words, quantity: 1 }, key)
}

async function chooseCustomer(request: DeskRequest) {
  const words = (request.query.q ?? '').trim().slice(0, 100)
  const found = await searchCustomers(request, words)
  return request.render(chooseCustomerView(request, { words, found }))
}
