// An invoice as an e-invoice: the file, or a page that says in words what is missing or wrong and where that is corrected.
import type { Problem } from '../domain/e-invoice/reasons.ts'
import { ApiError } from '../operations/errors.ts'
import { type DocumentRecord, numberOf, operationsOf, paramsOf } from './document-data.ts'
import { eInvoiceProblemsView } from './e-invoice-view.ts'
import type { DeskRouter } from './router.ts'

export function addEInvoiceRoutes(router: DeskRouter): void {
  router.get('/invoices/:id/e-invoice/:format', ['invoices:read'], async (request) => {
    const { id = '', format = '' } = request.params
    try {
      return await request.sendFileOf('getEInvoice', { params: paramsOf('invoice', id), query: { format } })
    } catch (error) {
      const problems = problemsIn(error)
      if (!problems) throw error
      const record = await request.read<DocumentRecord>(operationsOf.invoice.read, { params: paramsOf('invoice', id) })
      return request.render(eInvoiceProblemsView(request, { record, number: numberOf(record), format, problems }))
    }
  })
}

function problemsIn(error: unknown): readonly Problem[] | undefined {
  if (!(error instanceof ApiError)) return undefined
  const { problems } = (error.details.data ?? {}) as { readonly problems?: readonly Problem[] }
  return problems
}
