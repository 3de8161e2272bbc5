// An invoice as an e-invoice: the file, or a page that says in words what it lacks and where that is filled in.
import { ApiError } from '../operations/errors.ts'
import { type DocumentRecord, numberOf, operationsOf, paramsOf } from './document-data.ts'
import { eInvoiceLackingView } from './e-invoice-view.ts'
import type { DeskRouter } from './router.ts'

export function addEInvoiceRoutes(router: DeskRouter): void {
  router.get('/invoices/:id/e-invoice/:format', ['invoices:read'], async (request) => {
    const { id = '', format = '' } = request.params
    try {
      return await request.sendFileOf('getEInvoice', { params: paramsOf('invoice', id), query: { format } })
    } catch (error) {
      const missing = missingIn(error)
      if (!missing) throw error
      const record = await request.read<DocumentRecord>(operationsOf.invoice.read, { params: paramsOf('invoice', id) })
      return request.render(eInvoiceLackingView(request, { record, number: numberOf(record), format, missing }))
    }
  })
}

function missingIn(error: unknown): readonly string[] | undefined {
  if (!(error instanceof ApiError)) return undefined
  const { missing } = (error.details.data ?? {}) as { readonly missing?: readonly string[] }
  return missing
}
