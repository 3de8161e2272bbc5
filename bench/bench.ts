// `npm run bench`: the service against bare Fastify and pg doing the same SQL, measured side by side in one run.
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startEmbeddedPostgres } from '../src/db/embedded/launcher.ts'
import { citusSkipReason } from '../test/citus-cluster.ts'
import { measureCapture } from './capture.ts'
import { measureCluster } from './cluster.ts'
import { type DatasetSize, fullDataset, loadData, type Organisation } from './data.ts'
import { measureDesk } from './desk.ts'
import { measureImport } from './import.ts'
import { limitOf, pipelinedLimitOf } from './limit.ts'
import { besideLoad, loadOfTheLastMinute } from './machine.ts'
import { measureMcpOverhead } from './mcp.ts'
import { directus } from './peers/directus.ts'
import { strapi } from './peers/strapi.ts'
import { measureRecurring } from './recurring.ts'
import { type Results, toJson, toTable } from './report.ts'
import {
  type Contestant,
  connections,
  type Measurement,
  type MeasurementPlan,
  measureAlternating,
  overHttp,
  type RunningTarget,
} from './rounds.ts'
import { measureScale } from './scale.ts'
import { measureSearchScale } from './search-scale.ts'
import { bare, checkoutIn, ours, type Target, withProcesses } from './targets.ts'
import { assertSameResponses } from './verify-responses.ts'
import { requestSpecs, type Workload, workloads } from './workloads.ts'

const usage = `Usage: npm run bench -- [--quick] [--json] [--only ${workloads.join(',')},mcp,recurring,capture,desk,search-scale,import,cluster]
  --quick  shorter rounds: some three minutes instead of about twenty
  --rounds N  how many rounds the medians are of: an odd number
  --customers N, --organisations N  how many there are, 100,000 in 20 unless given: one large shop, or many small ones
  --json   one JSON object on stdout instead of a table
  --only   some of the workloads; mcp compares a tool call with REST, recurring makes a year of visits for a
           thousand schedules, capture compares creates that are told as events with creates that are not,
           desk times pages of a shop with 50,000 jobs, search-scale searches among up to a million customers,
           import reads while a shop brings 100,000 customers (5,000 with --quick), cluster tells what statements cost
           the coordinator and the worker of a Citus cluster, where CITUS_ADDON names the extension
  --scale  a million jobs against ten thousand as well
  --against FOLDER  another checkout of the service beside this one, on the same data: what a change costs
  --processes N  the service with PROCESSES=N beside the one that is measured, on the same data
  --peers  Directus and Strapi beside ours, for the workloads they can do; they are installed by npm at first
The whole run has scale and recurring unasked; the quick one has them only when asked.`

const targets: readonly Target[] = [ours, bare]
const insertingWorkloads: ReadonlySet<Workload> = new Set(['create', 'openJob'])
/** What is measured in a way of its own. */
const separateWorkloads: ReadonlySet<string> = new Set([
  'mcp',
  'recurring',
  'capture',
  'desk',
  'search-scale',
  'import',
  'cluster',
])
const thoroughPlan: MeasurementPlan = { rounds: 7, warmUpMs: 1_000, measuredMs: 3_000 }
const quickPlan: MeasurementPlan = { rounds: 5, warmUpMs: 500, measuredMs: 1_000 }
/** Enough that no cache of the machine holds them all, few enough to be sent to the generator in a moment. */
const requestCount = 10_000

interface Options {
  readonly dataset: DatasetSize
  readonly workloads: readonly Workload[]
  readonly plan: MeasurementPlan
  readonly json: boolean
  readonly withScale: boolean
  readonly withSearchScale: boolean
  readonly withRecurring: boolean
  readonly withMcp: boolean
  readonly withCapture: boolean
  readonly withDesk: boolean
  readonly withImport: boolean
  readonly withCluster: boolean
  readonly isQuick: boolean
  readonly withPeers: boolean
  readonly against: string | undefined
  readonly processes: string | undefined
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
      rounds: { type: 'string' },
      customers: { type: 'string', default: String(fullDataset.organisations * fullDataset.customersPerOrganisation) },
      organisations: { type: 'string', default: String(fullDataset.organisations) },
      against: { type: 'string' },
      processes: { type: 'string' },
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
  if (requested.includes('cluster') && citusSkipReason) throw new Error(citusSkipReason)
  const [customers, organisations] = [positive('customers'), positive('organisations')]
  const plan = values.quick ? quickPlan : thoroughPlan
  const isWhole = !values.quick && workloads.every((work) => requested.includes(work))
  return {
    dataset: { organisations, customersPerOrganisation: Math.max(1, Math.round(customers / organisations)) },
    workloads: workloads.filter((work) => requested.includes(work)),
    plan: values.rounds === undefined ? plan : { ...plan, rounds: positive('rounds') },
    json: values.json,
    withScale: values.scale || isWhole,
    withSearchScale: requested.includes('search-scale') || isWhole,
    withMcp: requested.includes('mcp'),
    withCapture: requested.includes('capture') || isWhole,
    withDesk: requested.includes('desk') || isWhole,
    withImport: requested.includes('import') || isWhole,
    withCluster: requested.includes('cluster'),
    isQuick: values.quick,
    withPeers: values.peers,
    against: values.against,
    processes: values.processes,
    withRecurring: requested.includes('recurring') || isWhole,
  }

  function positive(name: 'customers' | 'organisations' | 'rounds'): number {
    const value = Number(values[name])
    if (Number.isInteger(value) && value > 0) return value
    throw new Error(`--${name} must be a number from 1 on, not ${values[name]}.`)
  }
}

async function bench(options: Options): Promise<Results> {
  const {
    dataset,
    workloads,
    plan,
    withScale,
    withSearchScale,
    withRecurring,
    withMcp,
    withCapture,
    withDesk,
    withImport,
    withCluster,
    isQuick,
    withPeers,
    against,
    processes,
  } = options
  const loadBefore = loadOfTheLastMinute()
  warnIfBusy(loadBefore)
  const dataDir = await mkdtemp(join(tmpdir(), 'jobwright-bench-'))
  cleanUp.defer(() => rm(dataDir, { recursive: true, force: true }))
  log('starting PostgreSQL')
  // Several of the service beside the bare server have more connections than one.
  const settings = { max_connections: '200' }
  const { connection } = await stopAtExit(startEmbeddedPostgres({ dataDir, mode: 'serve', settings }))
  const customers = dataset.organisations * dataset.customersPerOrganisation
  log(
    `loading ${customers.toLocaleString('en-GB')} customers of ${dataset.organisations.toLocaleString('en-GB')} shops`,
  )
  const organisations = await loadData(connection, dataset)

  const runningTargets: RunningTarget[] = []
  const others = [
    ...(against ? [checkoutIn(against)] : []),
    ...(processes ? [withProcesses(processes)] : []),
    ...(withPeers ? [directus, strapi] : []),
  ]
  for (const target of [...targets, ...others]) {
    log(`starting ${target.name}`)
    runningTargets.push({ target, server: await stopAtExit(target.start(connection, organisations)) })
  }
  log('checking that all targets answer the same')
  await assertSameResponses(runningTargets, organisations)

  const contestants = [...runningTargets.map(overHttp), limitOf(connection), pipelinedLimitOf(connection)]
  const [inOrder, machine] = await besideLoad(loadBefore, () =>
    measureWorkloads(connection, contestants, organisations, workloads, plan),
  )
  const { server } = runningTargets[0]!
  const { port } = server
  if (withCapture) log('comparing creates that are told as events with creates that are not')
  const captureMeasurement = withCapture
    ? await measureCapture(connection, server, organisations, plan, requestCount)
    : undefined
  if (withDesk) log('timing pages of the desk in a shop with 50,000 jobs')
  const deskMeasurements = withDesk ? await measureDesk(connection, port) : undefined
  if (withMcp) log('comparing CPU time of tool calls and REST, about half a minute')
  const mcpMeasurement = withMcp ? await measureMcpOverhead(server, organisations[0]!) : undefined
  if (withRecurring) log('generating a year of visits for a thousand schedules, about two minutes')
  const recurringMeasurement = withRecurring ? await measureRecurring(connection, port) : undefined
  if (withScale)
    log('comparing p50 latency of a shop with a million jobs and one with ten thousand, about five minutes')
  const scaleMeasurements = withScale ? await measureScale(connection, port) : new Map()
  if (withSearchScale)
    log('searching among ten thousand, a hundred thousand and a million customers, about three minutes')
  const searchScale = withSearchScale ? await measureSearchScale(connection, port) : new Map()
  if (withCluster) log('comparing CPU time of statements on a cluster and on one server')
  if (withImport) log('reading while a shop brings customers, some minutes')
  return {
    machine,
    dataset,
    workloads: inOrder,
    scale: scaleMeasurements,
    searchScale,
    recurring: recurringMeasurement,
    mcp: mcpMeasurement,
    capture: captureMeasurement,
    desk: deskMeasurements,
    cluster: withCluster ? await measureCluster(connection) : undefined,
    bringing: withImport ? await measureImport(connection, server, isQuick) : undefined,
  }
}

/** Every workload, by everybody who can do it. */
async function measureWorkloads(
  connection: pg.ClientConfig,
  contestants: readonly Contestant[],
  organisations: readonly Organisation[],
  workloads: readonly Workload[],
  plan: MeasurementPlan,
): Promise<Results['workloads']> {
  const roundSeconds = (plan.warmUpMs + plan.measuredMs) / 1_000
  const minutes = (workloads.length * plan.rounds * contestants.length * roundSeconds) / 60
  log(`measuring with ${connections} connections, about ${minutes.toFixed(1)} minutes`)
  const results = new Map<Workload, ReadonlyMap<string, Measurement>>()
  // What fills the table comes last, so that everything else is measured on the same data.
  for (const work of workloads.toSorted(
    (a, b) => Number(insertingWorkloads.has(a)) - Number(insertingWorkloads.has(b)),
  )) {
    const specs = requestSpecs(work, organisations, requestCount)
    const capable = contestants.filter((one) => one.workloads?.includes(work) ?? true)
    const measurements = await measureAlternating(capable, specs, plan, async (name, round) => {
      log(`${work}, round ${round} of ${plan.rounds}: ${name}`)
      await checkpoint(connection)
    })
    results.set(work, measurements)
  }
  return new Map(workloads.map((work) => [work, results.get(work)!]))
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
function warnIfBusy(load: number): void {
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
