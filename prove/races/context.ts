// Where races are run: a shop, and requests that go to the instances of the service round robin.
import type { Fleet, Shop } from '../fleet.ts'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: races read whatever the service answers
  readonly body: any
  /** By the clock of `performance`. */
  readonly sentAt: number
  readonly answeredAt: number
}

export interface RaceContext {
  readonly fleet: Fleet
  readonly shop: Shop
  /** The next instance, round robin. */
  origin(): string
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Reply>
  post(path: string, body?: object, headers?: Record<string, string>): Promise<Reply>
  put(path: string, body: object): Promise<Reply>
  get(path: string): Promise<Reply>
  delete(path: string): Promise<Reply>
  /** The record that a POST makes; throws where it makes none, because then there is nothing to race about. */
  // biome-ignore lint/suspicious/noExplicitAny: races read whatever the service answers
  create(path: string, body: object): Promise<any>
}

export interface Race {
  /** What must hold. */
  readonly what: string
  /** Fifty at once instead of sixteen, in fewer rounds. */
  readonly isWide?: true
  /** Prepares what its rounds share; returns one round, which returns what did not hold. */
  prepare(context: RaceContext): Promise<(round: number) => Promise<readonly string[]>>
}

/** With a new shop. `serverErrors` collects the answers that no race may ever lead to. */
export async function createRaceContext(
  fleet: Fleet,
  origins: readonly string[],
  serverErrors: string[],
): Promise<RaceContext> {
  const shop = await fleet.createShop()
  let turn = 0
  const origin = () => origins[turn++ % origins.length]!
  const call: RaceContext['call'] = async (method, path, body, headers = {}) => {
    const sentAt = performance.now()
    const response = await fetch(`${origin()}/api/v1/organisations/${shop.orgId}${path}`, {
      method,
      headers: { 'x-api-key': shop.key, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status >= 500) serverErrors.push(`${method} ${path} was answered ${response.status}: ${text}`)
    return {
      status: response.status,
      headers: response.headers,
      body: JSON.parse(text),
      sentAt,
      answeredAt: performance.now(),
    }
  }
  const post: RaceContext['post'] = (path, body = {}, headers) => call('POST', path, body, headers)
  return {
    fleet,
    shop,
    origin,
    call,
    post,
    put: (path, body) => call('PUT', path, body),
    get: (path) => call('GET', path),
    delete: (path) => call('DELETE', path),
    async create(path, body) {
      const { status, body: answer } = await post(path, body)
      if (status !== 201) throw new Error(`POST ${path} was answered ${status}: ${JSON.stringify(answer)}`)
      return answer.data
    },
  }
}

export const times = <T>(count: number, work: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => work(index))

/** All at once, in an order that is another one each time. */
export function runConcurrently<T>(work: readonly (() => Promise<T>)[]): Promise<T[]> {
  const order = work.map((_, index) => index).sort(() => Math.random() - 0.5)
  const started: Promise<T>[] = []
  for (const index of order) started[index] = work[index]!()
  return Promise.all(started)
}

/** `HTTP status`, and the code where there is one. */
export const outcomeOf = ({ status, body }: Reply): string => (body?.code ? `${status} ${body.code}` : String(status))

/** Nothing, or what was expected and what came instead. */
export const check = (holds: boolean, what: string, found: unknown): string[] =>
  holds ? [] : [`${what}: ${JSON.stringify(found)}`]

/** How often each outcome came. */
export function countOutcomes(replies: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const reply of replies) counts[outcomeOf(reply)] = (counts[outcomeOf(reply)] ?? 0) + 1
  return counts
}

/** Exactly so many of each outcome, and no other. */
export function expectOutcomes(wanted: Record<string, number>, replies: readonly Reply[]): string[] {
  const found = countOutcomes(replies)
  const names = Object.keys({ ...wanted, ...found })
  return check(
    names.every((name) => (wanted[name] ?? 0) === (found[name] ?? 0)),
    'answers',
    found,
  )
}

/** No outcome but these. */
export const expectOnly = (allowed: readonly string[], replies: readonly Reply[]): string[] =>
  check(
    replies.every((reply) => allowed.includes(outcomeOf(reply))),
    'answers',
    countOutcomes(replies),
  )
