// Callers who go on asking while something is broken, and how each of their requests was answered, after how long.
import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '../../src/api/errors.ts'
import type { Shop } from '../fleet.ts'
import { atMost, type Figure, none } from '../trial.ts'

export interface Answer {
  readonly kind: Kind
  /** 0: there was none. */
  readonly status: number
  readonly text: string
  readonly requestId: string | null
  readonly sentAt: number
  readonly ms: number
}

/** One look, one statement that writes, a transaction of several, and what a proxy asks. */
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
export type Kind = keyof typeof requests
export const serving: readonly Kind[] = ['read', 'write', 'transaction']
const everyKind: readonly Kind[] = [...serving, 'readiness']

/** Nobody waits for ever, not even for a service that hangs. */
const patienceMs = 20_000

export async function ask(
  origin: string,
  { orgId, key }: Shop,
  kind: Kind,
  path?: string,
  sent?: object,
): Promise<Answer> {
  const request: { method: string; path: string; body?: object } = requests[kind]
  const body = sent ?? request.body
  const sentAt = performance.now()
  const address = kind === 'readiness' ? request.path : `/api/v1/organisations/${orgId}${path ?? request.path}`
  const done = (status: number, text: string, requestId: string | null = null): Answer => {
    return { kind, status, text, requestId, sentAt, ms: performance.now() - sentAt }
  }
  try {
    const reply = await fetch(origin + address, {
      method: request.method,
      headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patienceMs),
    })
    return done(reply.status, await reply.text(), reply.headers.get('x-request-id'))
  } catch (error) {
    return done(0, String((error as Error).cause ?? error))
  }
}

export interface Crowd {
  readonly answers: readonly Answer[]
  /** Sends nothing more, and waits for what is under way. */
  stop(): Promise<readonly Answer[]>
}

/** One request of each kind every so often, whether or not those before are answered. */
export function crowd(origin: string, shop: Shop, { kinds = everyKind, everyMs = 100 } = {}): Crowd {
  const answers: Answer[] = []
  const underWay = new Set<Promise<unknown>>()
  const send = () => {
    for (const kind of kinds) {
      const asked = ask(origin, shop, kind).then((answer) => {
        answers.push(answer)
        underWay.delete(asked)
      })
      underWay.add(asked)
    }
  }
  send()
  const timer = setInterval(send, everyMs)
  return {
    answers,
    async stop() {
      clearInterval(timer)
      while (underWay.size > 0) await Promise.all(underWay)
      return answers
    },
  }
}

/** Milliseconds until a request of each kind is answered well, and readiness says so. */
export async function untilServing(origin: string, shop: Shop): Promise<number> {
  const since = performance.now()
  while (performance.now() - since < patienceMs) {
    const answers = await Promise.all(everyKind.map((kind) => ask(origin, shop, kind)))
    if (answers.every(isGood)) return performance.now() - since
    await delay(20)
  }
  return Number.POSITIVE_INFINITY
}

export const isGood = ({ status }: Answer): boolean => status >= 200 && status < 300

/** 503 as it must be: the one sentence, the request's id, and nothing about what is broken. */
export function isUnavailable({ status, text, kind, requestId }: Answer): boolean {
  if (status !== 503) return false
  if (kind === 'readiness') return text === '{"status":"not ready"}'
  return text === JSON.stringify({ success: false, error: unavailable().message, requestId })
}

interface Bounds {
  /** The longest that anybody may have to wait. */
  readonly waitMs: number
  /** What must not be answered well in this span of time, if anything. */
  readonly away?: { readonly kinds: readonly Kind[]; readonly from: number; readonly to: number }
}

/** Every request is answered in time, with what was asked for or with 503. */
export function figures(fault: string, answers: readonly Answer[], { waitMs, away }: Bounds): Figure[] {
  const strange = answers.filter((answer) => !isGood(answer) && !isUnavailable(answer))
  const good = answers.filter(isGood).length
  const refused = answers.length - good - strange.length
  const longest = Math.max(...answers.map(({ ms }) => ms))
  const during = answers.filter(
    ({ kind, sentAt, ms }) => away?.kinds.includes(kind) && sentAt > away.from && sentAt + ms < away.to,
  )
  return [
    none(
      `${fault}: answers that are neither what was asked for (${good}) nor 503 with its sentence (${refused})`,
      strange.length,
    ),
    atMost(`${fault}: longest wait for an answer`, waitMs / 1_000, longest / 1_000, 's'),
    ...(away ? [none(`${fault}: answered as if nothing were wrong`, during.filter(isGood).length, said(during))] : []),
  ]
}
const said = ({ length }: readonly Answer[]) => length.toLocaleString('en-GB')

export const recovery = (fault: string, ms: number): Figure =>
  atMost(`${fault}: until everything is served again`, 5, ms / 1_000, 's')
