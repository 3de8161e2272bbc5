// Metrics of tool calls: agents use one address, so each operation they call is counted where it is executed.
import { toApiError } from '../http/envelope.ts'
import type { CallMetrics } from '../metrics/prometheus.ts'
import type { Execute } from '../operations/execute.ts'

export const withCallMetrics =
  (execute: Execute, { observe }: CallMetrics): Execute =>
  async (request, caller) => {
    const startedAt = performance.now()
    let status = 200
    try {
      const result = await execute(request, caller)
      status = result.status
      return result
    } catch (error) {
      status = toApiError(error).status
      throw error
    } finally {
      observe(request.operation.name, status, performance.now() - startedAt)
    }
  }
