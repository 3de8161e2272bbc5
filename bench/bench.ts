// `npm run bench`: the service against bare Fastify and pg doing the same SQL, measured side by side in one run.
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startEmbeddedPostgres } from '../src/embedded-postgres.ts'
import { refuseDisagreement } from './agreement.ts'
import { fullAmount, loadData } from './data.ts'
import { errandsOf, type Work, works } from './errands.ts'
import { mcp } from './mcp.ts'
import { directus } from './peers/directus.ts'
import { strapi } from './peers/strapi.ts'
import { recurring } from './recurring.ts'
import { asJson, asTable, type Results } from './report.ts'
import { alternate, type Contender, connections, type Figures, type Pace } from './rounds.ts'
import { scale } from './scale.ts'
import { bare, ours, type Target } from './targets.ts'

const usage = `Usage: npm run bench -- [--quick] [--json] [--only ${works.join(',')},mcp,recurring]
  --quick  shorter rounds: some two minutes instead of about fifteen
  --json   one JSON object on stdout instead of a table
  --only   some of the works; mcp compares a tool call with REST, recurring makes a year of visits for a
           thousand schedules
  --scale  a million jobs against ten thousand as well
  --peers  Directus and Strapi beside ours, for the works they can do; they are installed by npm at first
The whole run has scale and recurring unasked; the quick one has them only when asked.`

const targets: readonly Target[] = [ours, bare]
const fills: ReadonlySet<Work> = new Set(['create', 'openJob'])
/** What is measured in a way of its own. */
const apart: ReadonlySet<string> = new Set(['mcp', 'recurring'])
const thorough: Pace = { rounds: 7, warmUpMs: 1_000, measuredMs: 3_000 }
const quick: Pace = { rounds: 5, warmUpMs: 500, measuredMs: 1_000 }
/** Enough that no cache of the machine holds them all, few enough to be sent to the generator in a moment. */
const errandCount = 10_000

interface Wish {
  readonly works: readonly Work[]
  readonly pace: Pace
  readonly json: boolean
  readonly withScale: boolean
  readonly withRecurring: boolean
  readonly withMcp: boolean
  readonly withPeers: boolean
}

const cleanUp = new AsyncDisposableStack()
let leaving: Promise<never> | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => leave(130))
try {
  const wish = readWish()
  const results = await bench(wish)
  process.stdout.write(`${wish.json ? asJson(results) : asTable(results)}\n`)
  await leave(0)
} catch (error) {
  if (!leaving) say((error as Error).message) // what fails because we are leaving is no news
  await leave(1)
}

/** The first reason to leave is the one that counts. */
function leave(code: number): Promise<never> {
  leaving ??= cleanUp.disposeAsync().then(() => process.exit(code))
  return leaving
}

function readWish(): Wish {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      scale: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      only: { type: 'string', default: [...works, 'mcp'].join(',') },
    },
  })
  if (values.help) {
    process.stdout.write(`${usage}\n`)
    process.exit()
  }
  const wanted = values.only.split(',')
  const unknown = wanted.filter((name) => !works.includes(name as Work) && !apart.has(name))
  if (unknown.length > 0) throw new Error(`There is no work ${unknown.join(', ')}.\n${usage}`)
  const isWhole = !values.quick && works.every((work) => wanted.includes(work))
  return {
    works: works.filter((work) => wanted.includes(work)),
    pace: values.quick ? quick : thorough,
    json: values.json,
    withScale: values.scale || isWhole,
    withMcp: wanted.includes('mcp'),
    withPeers: values.peers,
    withRecurring: wanted.includes('recurring') || isWhole,
  }
}

async function bench({ works, pace, withScale, withRecurring, withMcp, withPeers }: Wish): Promise<Results> {
  warnOfOtherWork()
  const dataDir = await mkdtemp(join(tmpdir(), 'jobwright-bench-'))
  cleanUp.defer(() => rm(dataDir, { recursive: true, force: true }))
  say('starting PostgreSQL')
  const { connection } = await started(startEmbeddedPostgres({ dataDir, mode: 'serve' }))
  say(`loading ${(fullAmount.organisations * fullAmount.customersEach).toLocaleString('en-GB')} customers`)
  const organisations = await loadData(connection)

  const contenders: Contender[] = []
  for (const target of withPeers ? [...targets, directus, strapi] : targets) {
    say(`starting ${target.name}`)
    contenders.push({ target, running: await started(target.start(connection, organisations)) })
  }
  say('checking that all answer alike')
  await refuseDisagreement(contenders, organisations)

  const roundSeconds = (pace.warmUpMs + pace.measuredMs) / 1_000
  const minutes = (works.length * pace.rounds * contenders.length * roundSeconds) / 60
  say(`measuring with ${connections} connections, about ${minutes.toFixed(1)} minutes`)
  const results = new Map<Work, ReadonlyMap<string, Figures>>()
  // What fills the table comes last, so that everything else is measured on the same data.
  for (const work of works.toSorted((a, b) => Number(fills.has(a)) - Number(fills.has(b)))) {
    const errands = errandsOf(work, organisations, errandCount)
    const able = contenders.filter(({ target }) => target.works?.includes(work) ?? true)
    const figures = await alternate(able, errands, pace, async ({ name }, round) => {
      say(`${work}, round ${round} of ${pace.rounds}: ${name}`)
      await settle(connection)
    })
    results.set(work, figures)
  }
  const inOrder = new Map(works.map((work) => [work, results.get(work)!]))
  const { running } = contenders[0]!
  const { port } = running
  if (withMcp) say('comparing tool calls with REST, about half a minute')
  const calls = withMcp ? await mcp(running, organisations[0]!) : undefined
  if (withRecurring) say('generating a year of visits for a thousand schedules, about two minutes')
  const visits = withRecurring ? await recurring(connection, port) : undefined
  if (withScale) say('comparing a shop with a million jobs with one of ten thousand, about five minutes')
  return { works: inOrder, scale: withScale ? await scale(connection, port) : new Map(), recurring: visits, mcp: calls }
}

/** Sees to it that what starts is stopped in the end, even if we leave before it is up. */
function started<T extends { stop(): Promise<unknown> }>(starting: Promise<T>): Promise<T> {
  cleanUp.defer(() =>
    starting.then(
      async (one) => void (await one.stop()),
      () => {}, // it never came up
    ),
  )
  return starting
}

/** Rounds alternate, so ratios bear other work better than figures do; neither is at its best. */
function warnOfOtherWork(): void {
  const busy = loadavg()[0]!
  if (busy < 0.5) return
  say(`this machine has other work (load ${busy.toFixed(1)} on ${availableParallelism()} cores): figures will be lower`)
}

/** What one round left for PostgreSQL to write must not be written in the next. */
async function settle(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client({ ...connection, statement_timeout: 60_000 })
  await client.connect()
  try {
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
