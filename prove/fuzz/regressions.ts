// Requests that were once answered wrongly. They are sent again in every run, before anything is generated.
import type { Send } from './http-sender.ts'
import { basePath, type DescribedOperation } from './openapi-document.ts'
import type { ResponseChecker, Violation } from './response-checks.ts'

interface Regression {
  /** What was wrong. */
  readonly was: string
  readonly method: string
  /** Below the organisation. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly status: number
  /** Whose answer it is, where it is one that the document describes. */
  readonly operation?: string
}

export const regressions: readonly Regression[] = [
  { was: 'refused without X-RateLimit-*', method: 'GET', path: '/customers/%zz', status: 400 },
  { was: 'refused without X-RateLimit-*', method: 'POST', path: '/payments%', body: '{}', status: 400 },
  {
    was: 'refused for the type of a body that it does not have',
    method: 'DELETE',
    path: '/customers/never_seen',
    headers: { 'content-type': 'a/b/c' },
    status: 404,
    operation: 'deleteCustomer',
  },
]

/** What is wrong again. */
export async function replayRegressions(
  operations: readonly DescribedOperation[],
  checker: ResponseChecker,
  send: Send,
  { orgId, key }: { readonly orgId: string; readonly key: string },
): Promise<Violation[]> {
  const violations: Violation[] = []
  for (const { was, method, path, headers = {}, body, status, operation: name } of regressions) {
    const request = {
      method,
      path: `${basePath}/organisations/${orgId}${path}`,
      headers: { ...(body && { 'content-type': 'application/json' }), 'x-api-key': key, ...headers },
      body: body === undefined ? undefined : Buffer.from(body),
    }
    const answer = await send(request)
    const operation = operations.find((one) => one.name === name)
    const detail = `${method} ${path} (${was}): ${answer.status} ${answer.body.toString().slice(0, 300)}`
    if (answer.status !== status) violations.push({ kind: 'another status', detail })
    violations.push(...checker.violations(operation, request, answer).map(({ kind }) => ({ kind, detail })))
  }
  return violations
}
