// Files for the bookkeeper: made for a period, given out once, and had again as they were.
import { addDays } from '../domain/wall-clock.ts'
import type { Scope } from '../operations/scopes.ts'
import { type ExportForm, exportsView, type ShownExport, type ShownRefusal } from './exports-view.ts'
import type { Refusal } from './perform.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { accountingLabels } from './settings-accounting-view.ts'

const exportScopes: readonly Scope[] = ['invoices:write', 'payments:read']

export function addExportRoutes(router: DeskRouter): void {
  router.get('/exports', exportScopes, (request) => show(request, lastMonth(request)))

  router.post('/exports', exportScopes, async (request) => {
    const asked = formOf(request)
    const { again, ...body } = asked
    const performed = await request.perform<ShownExport>({
      operation: 'createExport',
      body: { ...body, again },
      subject: ({ count }: ShownExport) => `${count} ${asked.kind} for ${asked.format}`,
    })
    return request.answer(performed, {
      to: '/exports',
      done: performed.isDone && performed.data.count === 0 ? 'exportedNothing' : 'exported',
      refused: (refusal) => show(request, asked, worded(refusal)),
    })
  })

  router.get('/exports/:export/file', exportScopes, (request) =>
    request.sendFileOf('getExportFile', { params: { exportId: request.params.export! } }),
  )
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

const formOf = ({ form }: DeskRequest): ExportForm => ({
  kind: form.get('kind') ?? '',
  format: form.get('format') ?? '',
  from: form.get('from') ?? '',
  to: form.get('to') ?? '',
  again: form.has('again'),
})

/** Settings that are missing are called what the page of settings calls them. */
function worded({ status, message, data }: Refusal): ShownRefusal {
  const { missing } = (data ?? {}) as { readonly missing?: readonly string[] }
  if (!missing) return { status, words: message, isSetUp: true }
  const names = missing.map((path) => accountingLabels[path.split('.').at(-1)!] ?? path)
  return { status, words: `This file needs to know: ${names.join(', ')}.`, isSetUp: false }
}
