// `npm test`: types, style, dropped statements, generated files, then every test file on one PostgreSQL, each process with a database.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { startEmbeddedPostgres } from '../src/db/embedded/launcher.ts'
import { makeTemplate } from './test-database.ts'
import { alone, dealOutFiles, type TestProcess, writeEntry } from './test-process.ts'

/**
 * Trials start many processes, and browsers are large: of either one file is under way at a time, in a lane of its own. What is
 * neither waits in one queue for whichever lane is free. A fourth lane was too much for two cores: tests failed that wait for something.
 */
const trialFiles = ['prove/short-*.test.ts']
const browserFiles = ['src/**/*.browser.test.ts', 'src/public/share-page.test.ts']
/** Others that take long: a slow file that starts last is all that the others wait for. */
const slowFiles = [
  'src/rendering/pdf/*.test.ts',
  'src/db/*.test.ts',
  'src/cli/jobwright.test.ts',
  'src/backup/backup.test.ts',
  'test/backup.test.ts',
  'src/worker/webhooks.test.ts',
  'src/resources/recurring/pending-work.test.ts',
]
const testTimeoutMs = 240_000
const slowestShown = 10

const named = process.argv.slice(2)
const allFiles = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'prove/*.test.ts']).sort()

await Promise.all([
  step('types', 'tsc', '--noEmit'),
  step('style', 'biome', 'check', '--error-on-warnings', '.'),
  step('dropped statements', 'node', 'test/dropped-statements.ts'),
])
const missing = ['redis-server', 'chromium', 'openssl', 'haproxy'].filter(
  (program) => spawnSync('which', [program]).status !== 0,
)
if (missing.length > 0 && process.env.CI === 'true') fail(`CI needs ${missing.join(' and ')} on the PATH`)
for (const program of missing) log(`${program} is not on the PATH: the tests that need it are skipped`)

const dataDir = await mkdtemp(join(tmpdir(), 'jobwright-tests-'))
const postgres = await startEmbeddedPostgres({
  dataDir,
  mode: 'serve',
  // Three processes, some with several services; nothing in it has to survive a power cut.
  settings: { max_connections: '300', autovacuum_naptime: '1min', fsync: 'off', full_page_writes: 'off' },
})
process.env.TEST_POSTGRES_SOCKET = postgres.connection.host
await makeTemplate(postgres)
process.env.NODE_COMPILE_CACHE = join(dataDir, 'compile-cache') // every file is a process that loads the same modules
const { lanes, queue } = named.length > 0 ? { lanes: [named.map(alone)], queue: [] } : await dealOut()
log(`${named.length > 0 ? named.length : allFiles.length} test files`)

const durations = new Map<string, number>()
/** Of each process's tests: how many there were, passed, failed. */
const countsOfProcesses = new Map<TestProcess, Readonly<Record<string, number>>>()
/** Those with tests that failed, and which. */
const failed = new Map<TestProcess, readonly string[]>()
/** The counts of one process, which are added up. */
const isCount = (line: string) => /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) \d/.test(line)
let isOnCitusBegun = named.length > 0
await Promise.all(
  lanes.map(async (processes) => {
    for (const one of processes) await runProcess(one)
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await runProcess(next)
    if (isOnCitusBegun) return
    isOnCitusBegun = true // by the first lane that has nothing else to do
    if (!(await runOnCitus())) failed.set(alone('test/run-on-citus.ts'), ['the sample on a Citus cluster'])
  }),
)
const unsteady = named.length > 0 ? [] : await runFailedAgain()
await postgres.stop()
await rm(dataDir, { recursive: true, force: true })
const slowest = [...durations].sort(([, a], [, b]) => b - a).slice(0, slowestShown)
log(`slowest: ${slowest.map(([name, ms]) => `${name} ${Math.round(ms / 1_000)} s`).join(', ')}`)
log(totals())
if (unsteady.length > 0) log(`unsteady, passed only when run again alone: ${unsteady.join(', ')}`)
if (failed.size > 0) fail(`failed: ${[...failed.values()].flat().join(', ')}`)
process.exit(0)

/**
 * What fails is run again when everything else is over: a test that has been too slow beside two others says nothing about the
 * service, and is named, to be mended. Answers the tests that passed this time.
 */
async function runFailedAgain(): Promise<string[]> {
  const unsteady: string[] = []
  for (const [one, names] of [...failed].filter(([one]) => countsOfProcesses.has(one))) {
    log(`once more, alone: ${names.join(', ')}`)
    failed.delete(one)
    await runProcess(one)
    if (!failed.has(one)) unsteady.push(...names)
  }
  return unsteady
}

function totals(): string {
  const sums = new Map<string, number>()
  for (const counts of countsOfProcesses.values())
    for (const [kind, count] of Object.entries(counts)) sums.set(kind, (sums.get(kind) ?? 0) + count)
  return [...sums].map(([kind, count]) => `${kind} ${count}`).join(', ')
}

async function runProcess(one: TestProcess): Promise<void> {
  const failures: string[] = []
  const tests = run({
    files: [await writeEntry(dataDir, one)],
    timeout: testTimeoutMs,
    execArgv: ['--max-semi-space-size=32'], // starting a service makes much that is soon garbage
  })
  tests.on('test:fail', ({ todo, skip, name }) => {
    if (todo === undefined && skip === undefined) failures.push(`${name} (${one.name})`)
  })
  tests.on('test:complete', ({ nesting, details }) => {
    if (nesting === 0) durations.set(one.name, (durations.get(one.name) ?? 0) + details.duration_ms)
  })
  let text = ''
  const print = () => {
    process.stdout.write(text)
    text = ''
  }
  tests.on('test:summary', ({ file, counts }) => {
    if (file) return
    print() // its lines stay together
    countsOfProcesses.set(one, { ...counts })
  })
  const lines = tests
    .filter(({ type, data }) => type !== 'test:diagnostic' || !isCount(data.message))
    .compose(spec())
    .on('data', (part: string) => {
      text += part
    })
  await once(lines, 'end')
  print()
  if (failures.length > 0) failed.set(one, failures)
}

/** Those that have a lane to themselves, and the queue for all lanes: what takes long is first, or all would wait for it at the end. */
async function dealOut(): Promise<{ lanes: TestProcess[][]; queue: TestProcess[] }> {
  const [trials, browsers, slow] = [trialFiles, browserFiles, slowFiles].map((patterns) => globSync(patterns).sort())
  const rest = allFiles.filter((file) => ![...trials!, ...browsers!, ...slow!].includes(file))
  return {
    lanes: [trials!.map(alone), browsers!.map(alone), []],
    queue: [...slow!.map(alone), ...(await dealOutFiles(rest))],
  }
}

/** The same service on several machines: a sample of the files above. */
function runOnCitus(): Promise<boolean> {
  log('a sample on a Citus cluster')
  return succeeds('node', 'test/run-on-citus.ts')
}

async function step(name: string, program: string, ...args: string[]): Promise<void> {
  log(name)
  if (!(await succeeds(program, ...args))) fail(`${name}: see above`)
}

async function succeeds(program: string, ...args: string[]): Promise<boolean> {
  const [code] = await once(spawn(join('node_modules', '.bin', program), args, { stdio: 'inherit' }), 'exit')
  return code === 0
}

function log(text: string): void {
  process.stderr.write(`• ${text}\n`)
}

function fail(text: string): never {
  log(text)
  process.exit(1)
}
