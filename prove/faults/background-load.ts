// Background load while a part is broken: the answer to each request, and its latency.
import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '../../src/operations/errors.ts'
import type { Shop } from '../fleet.ts'
import { atMost, none, type Result } from '../trial.ts'

export interface ProbeResponse {
  readonly kind: ProbeKind
  /** 0: there was none. */
  readonly status: number
  readonly text: string
  readonly requestId: string | null
  readonly sentAt: number
  readonly ms: number
}

/** A read, a write of one statement, a transaction of several, and the readiness check of a proxy. */
const requests = {
  read: { method: 'GET', path: '/customers?limit=3' },
  write: { method: 'POST', path: '/customers', body: { firstName: 'Amara' } },
  transaction: { method: 'POST', path: '/tickets', body: { customerName: 'Amara' } },
  change: { method: 'PUT', path: '/customers', body: { notes: 'Rang twice' } },
  quote: {
    method: 'POST',
    path: '/quotes',
    body: {
      customerName: 'Amara',
      customerEmail: 'amara@okafor.example',
      lineItems: [{ name: 'Valve', unitPrice: 48 }],
    },
  },
  send: { method: 'POST', path: '/quotes', body: {} },
  readiness: { method: 'GET', path: '/health/ready' },
} as const
export type ProbeKind = keyof typeof requests
export const servingKinds: readonly ProbeKind[] = ['read', 'write', 'transaction']
const allKinds: readonly ProbeKind[] = [...servingKinds, 'readiness']

/** For a service that hangs. */
const timeoutMs = 20_000

export async function probe(
  origin: string,
  { orgId, key }: Shop,
  kind: ProbeKind,
  path?: string,
  bodyOverride?: object,
): Promise<ProbeResponse> {
  const request: { method: string; path: string; body?: object } = requests[kind]
  const body = bodyOverride ?? request.body
  const sentAt = performance.now()
  const pathname = kind === 'readiness' ? request.path : `/api/v1/organisations/${orgId}${path ?? request.path}`
  const response = (status: number, text: string, requestId: string | null = null): ProbeResponse => {
    return { kind, status, text, requestId, sentAt, ms: performance.now() - sentAt }
  }
  try {
    const answer = await fetch(origin + pathname, {
      method: request.method,
      headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return response(answer.status, await answer.text(), answer.headers.get('x-request-id'))
  } catch (error) {
    return response(0, String((error as Error).cause ?? error))
  }
}

export interface BackgroundLoad {
  readonly answers: readonly ProbeResponse[]
  /** Sends nothing more; resolves when all pending requests are answered. */
  stop(): Promise<readonly ProbeResponse[]>
}

/** One request of each kind every so often, whether or not those before are answered. */
export function startBackgroundLoad(
  origin: string,
  shop: Shop,
  { kinds = allKinds, everyMs = 100 } = {},
): BackgroundLoad {
  const answers: ProbeResponse[] = []
  const pending = new Set<Promise<unknown>>()
  const send = () => {
    for (const kind of kinds) {
      const request = probe(origin, shop, kind).then((answer) => {
        answers.push(answer)
        pending.delete(request)
      })
      pending.add(request)
    }
  }
  send()
  const timer = setInterval(send, everyMs)
  return {
    answers,
    async stop() {
      clearInterval(timer)
      while (pending.size > 0) await Promise.all(pending)
      return answers
    },
  }
}

/** Milliseconds until a request of each kind is answered well, and readiness says so. */
export async function measureRecovery(origin: string, shop: Shop): Promise<number> {
  const startedAt = performance.now()
  while (performance.now() - startedAt < timeoutMs) {
    const answers = await Promise.all(allKinds.map((kind) => probe(origin, shop, kind)))
    if (answers.every(isSuccess)) return performance.now() - startedAt
    await delay(20)
  }
  return Number.POSITIVE_INFINITY
}

export const isSuccess = ({ status }: ProbeResponse): boolean => status >= 200 && status < 300

/** 503 as it must be: the one sentence, the request's id, and nothing about what is broken. */
export function isUnavailable({ status, text, kind, requestId }: ProbeResponse): boolean {
  if (status !== 503) return false
  if (kind === 'readiness') return text === '{"status":"not ready"}'
  return text === JSON.stringify({ success: false, error: unavailable().message, requestId })
}

interface FaultBounds {
  /** The highest latency allowed. */
  readonly maxLatencyMs: number
  /** What must not succeed in this interval, if anything. */
  readonly outage?: { readonly kinds: readonly ProbeKind[]; readonly from: number; readonly to: number }
}

/** Every request is answered in time, with success or with 503. */
export function faultResults(
  fault: string,
  answers: readonly ProbeResponse[],
  { maxLatencyMs, outage }: FaultBounds,
): Result[] {
  const unexpected = answers.filter((answer) => !isSuccess(answer) && !isUnavailable(answer))
  const successes = answers.filter(isSuccess).length
  const unavailable = answers.length - successes - unexpected.length
  const maxLatency = Math.max(...answers.map(({ ms }) => ms))
  const during = answers.filter(
    ({ kind, sentAt, ms }) => outage?.kinds.includes(kind) && sentAt > outage.from && sentAt + ms < outage.to,
  )
  return [
    none(
      `${fault}: answers that are neither a success (${successes}) nor 503 with its sentence (${unavailable})`,
      unexpected.length,
    ),
    atMost(`${fault}: max latency`, maxLatencyMs / 1_000, maxLatency / 1_000, 's'),
    ...(outage
      ? [none(`${fault}: answered as if nothing were wrong`, during.filter(isSuccess).length, formatCount(during))]
      : []),
  ]
}
const formatCount = ({ length }: readonly ProbeResponse[]) => length.toLocaleString('en-GB')

export const recoveryResult = (fault: string, ms: number): Result =>
  atMost(`${fault}: recovery time`, 5, ms / 1_000, 's')
