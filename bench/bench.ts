// `npm run bench`: the service against bare Fastify and pg doing the same SQL, measured side by side in one run.
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startEmbeddedPostgres } from '../src/db/embedded/launcher.ts'
import { fullDataset, loadData } from './data.ts'
import { measureMcpOverhead } from './mcp.ts'
import { directus } from './peers/directus.ts'
import { strapi } from './peers/strapi.ts'
import { measureRecurring } from './recurring.ts'
import { type Results, toJson, toTable } from './report.ts'
import {
  connections,
  type Measurement,
  type MeasurementPlan,
  measureAlternating,
  type RunningTarget,
} from './rounds.ts'
import { measureScale } from './scale.ts'
import { bare, checkoutIn, ours, type Target } from './targets.ts'
import { assertSameResponses } from './verify-responses.ts'
import { requestSpecs, type Workload, workloads } from './workloads.ts'

const usage = `Usage: npm run bench -- [--quick] [--json] [--only ${workloads.join(',')},mcp,recurring]
  --quick  shorter rounds: some two minutes instead of about fifteen
  --json   one JSON object on stdout instead of a table
  --only   some of the workloads; mcp compares a tool call with REST, recurring makes a year of visits for a
           thousand schedules
  --scale  a million jobs against ten thousand as well
  --against FOLDER  another checkout of the service beside this one, on the same data: what a change costs
  --peers  Directus and Strapi beside ours, for the workloads they can do; they are installed by npm at first
The whole run has scale and recurring unasked; the quick one has them only when asked.`

const targets: readonly Target[] = [ours, bare]
const insertingWorkloads: ReadonlySet<Workload> = new Set(['create', 'openJob'])
/** What is measured in a way of its own. */
const separateWorkloads: ReadonlySet<string> = new Set(['mcp', 'recurring'])
const thoroughPlan: MeasurementPlan = { rounds: 7, warmUpMs: 1_000, measuredMs: 3_000 }
const quickPlan: MeasurementPlan = { rounds: 5, warmUpMs: 500, measuredMs: 1_000 }
/** Enough that no cache of the machine holds them all, few enough to be sent to the generator in a moment. */
const requestCount = 10_000

interface Options {
  readonly workloads: readonly Workload[]
  readonly plan: MeasurementPlan
  readonly json: boolean
  readonly withScale: boolean
  readonly withRecurring: boolean
  readonly withMcp: boolean
  readonly withPeers: boolean
  readonly against: string | undefined
}

const cleanUp = new AsyncDisposableStack()
let exiting: Promise<never> | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => exit(130))
try {
  const options = parseOptions()
  const results = await bench(options)
  process.stdout.write(`${options.json ? toJson(results) : toTable(results)}\n`)
  await exit(0)
} catch (error) {
  if (!exiting) log((error as Error).message) // what fails because we are leaving is no news
  await exit(1)
}

/** The first reason to leave is the one that counts. */
function exit(code: number): Promise<never> {
  exiting ??= cleanUp.disposeAsync().then(() => process.exit(code))
  return exiting
}

function parseOptions(): Options {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      scale: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      against: { type: 'string' },
      only: { type: 'string', default: [...workloads, 'mcp'].join(',') },
    },
  })
  if (values.help) {
    process.stdout.write(`${usage}\n`)
    process.exit()
  }
  const requested = values.only.split(',')
  const unknown = requested.filter((name) => !workloads.includes(name as Workload) && !separateWorkloads.has(name))
  if (unknown.length > 0) throw new Error(`There is no workload ${unknown.join(', ')}.\n${usage}`)
  const isWhole = !values.quick && workloads.every((work) => requested.includes(work))
  return {
    workloads: workloads.filter((work) => requested.includes(work)),
    plan: values.quick ? quickPlan : thoroughPlan,
    json: values.json,
    withScale: values.scale || isWhole,
    withMcp: requested.includes('mcp'),
    withPeers: values.peers,
    against: values.against,
    withRecurring: requested.includes('recurring') || isWhole,
  }
}

async function bench(options: Options): Promise<Results> {
  const { workloads, plan, withScale, withRecurring, withMcp, withPeers, against } = options
  warnIfBusy()
  const dataDir = await mkdtemp(join(tmpdir(), 'jobwright-bench-'))
  cleanUp.defer(() => rm(dataDir, { recursive: true, force: true }))
  log('starting PostgreSQL')
  // Two versions of the service beside the bare server have more connections than one.
  const settings = { max_connections: '100' }
  const { connection } = await stopAtExit(startEmbeddedPostgres({ dataDir, mode: 'serve', settings }))
  log(`loading ${(fullDataset.organisations * fullDataset.customersPerOrganisation).toLocaleString('en-GB')} customers`)
  const organisations = await loadData(connection)

  const runningTargets: RunningTarget[] = []
  const others = [...(against ? [checkoutIn(against)] : []), ...(withPeers ? [directus, strapi] : [])]
  for (const target of [...targets, ...others]) {
    log(`starting ${target.name}`)
    runningTargets.push({ target, server: await stopAtExit(target.start(connection, organisations)) })
  }
  log('checking that all targets answer the same')
  await assertSameResponses(runningTargets, organisations)

  const roundSeconds = (plan.warmUpMs + plan.measuredMs) / 1_000
  const minutes = (workloads.length * plan.rounds * runningTargets.length * roundSeconds) / 60
  log(`measuring with ${connections} connections, about ${minutes.toFixed(1)} minutes`)
  const results = new Map<Workload, ReadonlyMap<string, Measurement>>()
  // What fills the table comes last, so that everything else is measured on the same data.
  for (const work of workloads.toSorted(
    (a, b) => Number(insertingWorkloads.has(a)) - Number(insertingWorkloads.has(b)),
  )) {
    const specs = requestSpecs(work, organisations, requestCount)
    const capableTargets = runningTargets.filter(({ target }) => target.workloads?.includes(work) ?? true)
    const measurements = await measureAlternating(capableTargets, specs, plan, async ({ name }, round) => {
      log(`${work}, round ${round} of ${plan.rounds}: ${name}`)
      await checkpoint(connection)
    })
    results.set(work, measurements)
  }
  const inOrder = new Map(workloads.map((work) => [work, results.get(work)!]))
  const { server } = runningTargets[0]!
  const { port } = server
  if (withMcp) log('comparing CPU time of tool calls and REST, about half a minute')
  const mcpMeasurement = withMcp ? await measureMcpOverhead(server, organisations[0]!) : undefined
  if (withRecurring) log('generating a year of visits for a thousand schedules, about two minutes')
  const recurringMeasurement = withRecurring ? await measureRecurring(connection, port) : undefined
  if (withScale)
    log('comparing p50 latency of a shop with a million jobs and one with ten thousand, about five minutes')
  return {
    workloads: inOrder,
    scale: withScale ? await measureScale(connection, port) : new Map(),
    recurring: recurringMeasurement,
    mcp: mcpMeasurement,
  }
}

/** Sees to it that what starts is stopped in the end, even if we leave before it is up. */
function stopAtExit<T extends { stop(): Promise<unknown> }>(startup: Promise<T>): Promise<T> {
  cleanUp.defer(() =>
    startup.then(
      async (one) => void (await one.stop()),
      () => {}, // it never came up
    ),
  )
  return startup
}

/** Rounds alternate, so ratios are less sensitive to other load than absolute values; neither is at its best. */
function warnIfBusy(): void {
  const load = loadavg()[0]!
  if (load < 0.5) return
  log(
    `this machine has other work (load ${load.toFixed(1)} on ${availableParallelism()} cores): throughput will be lower and latency higher`,
  )
}

/** What one round left for PostgreSQL to write must not be written in the next. */
async function checkpoint(connection: pg.ClientConfig): Promise<void> {
  const client = new pg.Client({ ...connection, statement_timeout: 60_000 })
  await client.connect()
  try {
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

function log(text: string): void {
  process.stderr.write(`${text}\n`)
}
