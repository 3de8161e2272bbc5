// Reports: each with its plot, its figures and a CSV; the period and what is grouped by stand in the address.
import { groupings } from '../domain/report-periods.ts'
import { ApiError } from '../operations/errors.ts'
import { type Report, reportKinds, reportScopes } from './report-kinds.ts'
import { type ReportPage, reportView } from './reports-view.ts'
import type { DeskRequest, DeskRouter } from './router.ts'

export function addReportRoutes(router: DeskRouter): void {
  router.get('/reports', reportScopes, async (request) => {
    const asked = askedFor(request)
    try {
      const report = await request.read<Report>(asked.kind.operation, { query: queryOf(asked) })
      return request.render(reportView(request, { ...asked, report }))
    } catch (error) {
      // What was asked for is kept beside the reason.
      if (!(error instanceof ApiError) || error.status !== 400) throw error
      return request.render(reportView(request, { ...asked, wrong: error.message }))
    }
  })

  router.get('/reports/csv', reportScopes, async (request) => {
    const asked = askedFor(request)
    return request.sendFileOf(asked.kind.operation, { query: { ...queryOf(asked), format: 'csv' } })
  })
}

type Asked = Omit<ReportPage, 'report' | 'wrong'>

function askedFor({ query }: DeskRequest): Asked {
  const kind = reportKinds.find(({ name }) => name === query.report) ?? reportKinds[0]!
  const groupBy = groupings.find((one) => one === query.groupBy) ?? 'week'
  return { kind, groupBy, from: query.from?.slice(0, 10) || undefined, to: query.to?.slice(0, 10) || undefined }
}

const queryOf = ({ kind, from, to, groupBy }: Asked): Record<string, string> => ({
  ...(kind.hasPeriod && from && { from }),
  ...(kind.hasPeriod && to && { to }),
  ...(kind.isGrouped && { groupBy }),
})
