// What reads of a shop and of its neighbour feel while one of them brings a hundred thousand customers: how long the slowest
// hundredth takes alone and meanwhile, and the memory of the processes that serve and bring.
import { setTimeout as delay } from 'node:timers/promises'
import { childMegabytes, residentMegabytes } from '../prove/resource-meter.ts'
import { type ConnectionOptions, Database } from '../src/db/database.ts'
import { createKey } from '../src/identity/keys.ts'
import { createOrganisation } from '../src/identity/organisations.ts'
import { scopeCatalogue } from '../src/resources/index.ts'
import type { ServerProcess } from '../test/programs.ts'
import { watchStolen } from './machine.ts'
import { percentile } from './percentiles.ts'

const allRows = 100_000
const fewRows = 5_000
const rowsAtOnce = 2_000
/** Before each part of an import and after the last, so that a machine whose speed changes is compared with itself. */
const aloneMs = 30_000
/** Of each shop: far below what the service can do, so that what is waited for is the import. */
const requestIntervalMs = 20
const customersThere = 2_000

/** A machine that stands still for some seconds spoils the slowest hundredth of minutes, but not of most windows. */
const windowReads = 500

interface Latency {
  readonly p50Ms: number
  readonly p99Ms: number
  /** The median of windows of ten seconds. */
  readonly usualP99Ms: number
}

export interface ImportMeasurement {
  readonly rows: number
  readonly seconds: number
  /** Of the process that serves before it began, the most meanwhile, and the most of the process that brings. */
  readonly idleMegabytes: number
  readonly maxMegabytes: number
  readonly maxBringingMegabytes: number
  /** The largest share of all cores that the host gave to others in a part, where it tells. */
  readonly stolen: { readonly alone: number | undefined; readonly beside: number | undefined }
  readonly reads: ReadonlyMap<string, ReadsBeside>
}

interface ReadsBeside {
  readonly alone: Latency
  readonly beside: Latency
  readonly p99Ratio: number
  readonly usualP99Ratio: number
}

export async function measureImport(
  connection: ConnectionOptions,
  { origin, pid }: ServerProcess,
  isQuick: boolean,
): Promise<ImportMeasurement> {
  const rows = isQuick ? fewRows : allRows
  const shops = await createShops(connection, origin)
  const [bringing] = shops as [Shop, Shop]
  await readWhile(shops, delay(2_000)) // the first requests fill caches
  const idleMegabytes = await residentMegabytes(pid)
  let seconds = 0
  let maxMegabytes = idleMegabytes
  let maxBringingMegabytes = 0
  const meter = setInterval(async () => {
    maxMegabytes = Math.max(maxMegabytes, await residentMegabytes(pid))
    maxBringingMegabytes = Math.max(maxBringingMegabytes, ...(await childMegabytes(pid)))
  }, 1_000)
  const stolen: Record<'alone' | 'beside', number[]> = { alone: [], beside: [] }
  const measure = async (where: 'alone' | 'beside', until: Promise<unknown>): Promise<Latencies> => {
    const stolenSince = watchStolen()
    const latencies = await readWhile(shops, until)
    stolen[where].push(stolenSince() ?? Number.NaN)
    return latencies
  }
  const alone = [await measure('alone', delay(aloneMs))]
  const beside: Latencies[] = []
  for (const part of await partsOf(bringing, rows)) {
    const startedAt = performance.now()
    beside.push(await measure('beside', part()))
    seconds += (performance.now() - startedAt) / 1_000
    alone.push(await measure('alone', delay(aloneMs)))
  }
  clearInterval(meter)
  const reads = new Map(shops.map(({ name }) => [name, compare(latencyOf(alone, name), latencyOf(beside, name))]))
  const most = (shares: readonly number[]) => (shares.some(Number.isNaN) ? undefined : Math.max(...shares))
  const mostStolen = { alone: most(stolen.alone), beside: most(stolen.beside) }
  return { rows, seconds, idleMegabytes, maxMegabytes, maxBringingMegabytes, stolen: mostStolen, reads }
}

const compare = (alone: Latency, beside: Latency): ReadsBeside => ({
  alone,
  beside,
  p99Ratio: beside.p99Ms / alone.p99Ms,
  usualP99Ratio: beside.usualP99Ms / alone.usualP99Ms,
})

/** In milliseconds, by shop. */
type Latencies = ReadonlyMap<string, readonly number[]>

function latencyOf(measured: readonly Latencies[], shop: string): Latency {
  const all = measured.flatMap((latencies) => latencies.get(shop)!)
  const windows = measured.flatMap((latencies) => windowsOf(latencies.get(shop)!))
  const p99s = windows.map((window) => percentile(window, 0.99))
  return { p50Ms: percentile(all, 0.5), p99Ms: percentile(all, 0.99), usualP99Ms: percentile(p99s, 0.5) }
}

/** What is left at the end belongs to the last one. */
function windowsOf(latencies: readonly number[]): (readonly number[])[] {
  const count = Math.max(1, Math.floor(latencies.length / windowReads))
  return Array.from({ length: count }, (_, n) =>
    latencies.slice(n * windowReads, n === count - 1 ? undefined : (n + 1) * windowReads),
  )
}

interface Shop {
  readonly name: string
  readonly customers: readonly string[]
  call(method: 'GET' | 'POST', path: string, body?: object): Promise<{ readonly data: Record<string, never> }>
}

async function createShops(connection: ConnectionOptions, origin: string): Promise<readonly Shop[]> {
  const database = new Database(connection)
  try {
    const shops: Shop[] = []
    for (const name of ['the shop that brings', 'another shop']) {
      const { id } = await createOrganisation(database, { name, entitlement: 'pro' })
      const { key } = await createKey(database, id, { scopes: ['full'] }, scopeCatalogue)
      const call: Shop['call'] = async (method, path, body) => {
        const response = await fetch(`${origin}/api/v1/organisations/${id}${path}`, {
          method,
          headers: { 'X-API-Key': key, ...(body && { 'Content-Type': 'application/json' }) },
          ...(body && { body: JSON.stringify(body) }),
        })
        const answer = await response.text()
        if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${answer}`)
        return JSON.parse(answer) as Awaited<ReturnType<Shop['call']>>
      }
      const customers: string[] = []
      while (customers.length < customersThere) {
        const some = Array.from({ length: 20 }, (_, n) => ({ firstName: `Customer ${customers.length + n}` }))
        const made = await Promise.all(some.map((one) => call('POST', '/customers', one)))
        customers.push(...made.map(({ data }) => String(data.id)))
      }
      shops.push({ name, customers, call })
    }
    return shops
  } finally {
    await database.close()
  }
}

/** One request of each shop every so often, whether the last was answered or not, until what is waited for is done. */
async function readWhile(shops: readonly Shop[], until: Promise<unknown>): Promise<Latencies> {
  let isDone = false
  const ended = until.finally(() => {
    isDone = true
  })
  ended.catch(() => {}) // whoever awaits it below hears of it
  const measured = await Promise.all(
    shops.map(async ({ name, customers, call }) => {
      const latencies: number[] = []
      const pending = new Set<Promise<void>>()
      const startedAt = performance.now()
      const send = async (n: number) => {
        const sentAt = performance.now()
        await call('GET', n % 4 === 0 ? '/customers?limit=50' : `/customers/${customers[(n * 37) % customers.length]}`)
        latencies.push(performance.now() - sentAt)
      }
      for (let n = 0; !isDone; n++) {
        const one = send(n).finally(() => pending.delete(one))
        pending.add(one)
        await delay(Math.max(0, startedAt + (n + 1) * requestIntervalMs - performance.now()))
      }
      await Promise.all(pending)
      return [name, latencies] as const
    }),
  )
  await ended
  return new Map(measured)
}

const columns = ['First name', 'Last name', 'Company', 'Email', 'Phone', 'Address', 'Notes']
const rowOf = (n: number) => [
  `First ${n}`,
  `Last ${n}`,
  n % 3 === 0 ? `Company ${n}` : '',
  `brought.${n}@mail.example`,
  `020 7${String(n).padStart(7, '0')}`,
  `${n % 400} Mill Lane, Bristol BS1 4DB`,
  'Came with the move',
]

/** As a program brings it: rows in chunks, judged, then written. */
async function partsOf({ call }: Shop, rows: number): Promise<readonly (() => Promise<void>)[]> {
  const { data } = await call('POST', '/imports', { kind: 'customers', columns })
  const path = `/imports/${data.id}`
  const reach = async (status: string) => {
    for (;;) {
      const { data } = await call('GET', path)
      if (data.status === status) return
      if (data.status === 'failed' || data.status === 'asking') throw new Error(`The import is ${data.status}`)
      await delay(500)
    }
  }
  return [
    async () => {
      for (let from = 0; from < rows; from += rowsAtOnce) {
        const some = Array.from({ length: Math.min(rowsAtOnce, rows - from) }, (_, n) => rowOf(from + n))
        await call('POST', `${path}/rows`, { rows: some })
      }
    },
    async () => {
      await call('POST', `${path}/judge`, {})
      await reach('judged')
    },
    async () => {
      await call('POST', `${path}/write`, {})
      await reach('written')
    },
  ]
}
