// `npm test`: types, style, dropped statements, generated files, then every test file on one PostgreSQL, each process with a database.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { startEmbeddedPostgres } from '../src/db/embedded/launcher.ts'
import { makeTemplate } from './test-database.ts'

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
/** Files that use a service as it comes and change nothing of their process: each group of them is one process with one service. */
const isGrouped = (text: string) => text.includes('await startTestService()') && !text.includes('process.env')
/** Judgement without I/O needs no service, but costs none either. */
const isPure = (file: string) => file.startsWith('src/domain/')
const groupCount = 9
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
const { lanes, queue } = named.length > 0 ? { lanes: [named], queue: [] } : await dealOut()
log(`${named.length > 0 ? named.length : allFiles.length} test files`)

const durations = new Map<string, number>()
/** Of each file's tests: how many there were, passed, failed. */
const countsOfFiles = new Map<string, Readonly<Record<string, number>>>()
/** The files with tests that failed, and which. */
const failed = new Map<string, readonly string[]>()
/** The counts of one file, which are added up. */
const isCount = (line: string) => /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) \d/.test(line)
let isOnCitusBegun = named.length > 0
await Promise.all(
  lanes.map(async (files) => {
    for (const file of files) await runFile(file)
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) await runFile(file)
    if (isOnCitusBegun) return
    isOnCitusBegun = true // by the first lane that has nothing else to do
    if (!(await runOnCitus())) failed.set('test/run-on-citus.ts', ['the sample on a Citus cluster'])
  }),
)
const unsteady = named.length > 0 ? [] : await runFailedAgain()
await postgres.stop()
await rm(dataDir, { recursive: true, force: true })
const slowest = [...durations].sort(([, a], [, b]) => b - a).slice(0, slowestShown)
log(`slowest: ${slowest.map(([file, ms]) => `${relative('.', file)} ${Math.round(ms / 1_000)} s`).join(', ')}`)
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
  for (const [file, names] of [...failed].filter(([file]) => countsOfFiles.has(file))) {
    log(`once more, alone: ${names.join(', ')}`)
    failed.delete(file)
    await runFile(file)
    if (!failed.has(file)) unsteady.push(...names)
  }
  return unsteady
}

function totals(): string {
  const sums = new Map<string, number>()
  for (const counts of countsOfFiles.values())
    for (const [kind, count] of Object.entries(counts)) sums.set(kind, (sums.get(kind) ?? 0) + count)
  return [...sums].map(([kind, count]) => `${kind} ${count}`).join(', ')
}

async function runFile(path: string): Promise<void> {
  const failures: string[] = []
  const tests = run({
    files: [resolve(path)],
    timeout: testTimeoutMs,
    // Starting a service makes much that is soon garbage; and what a failed test left open must not keep the run from ending.
    execArgv: ['--max-semi-space-size=32', '--test-force-exit'],
  })
  tests.on('test:fail', ({ todo, skip, name, file }) => {
    if (todo === undefined && skip === undefined) failures.push(`${name} (${file ? relative('.', file) : 'no file'})`)
  })
  tests.on('test:complete', ({ nesting, file, details }) => {
    if (nesting === 0 && file) durations.set(file, (durations.get(file) ?? 0) + details.duration_ms)
  })
  let text = ''
  const print = () => {
    process.stdout.write(text)
    text = ''
  }
  tests.on('test:summary', ({ file, counts }) => {
    if (file) return
    print() // a file's lines stay together
    countsOfFiles.set(path, { ...counts })
  })
  const lines = tests
    .filter(({ type, data }) => type !== 'test:diagnostic' || !isCount(data.message))
    .compose(spec())
    .on('data', (part: string) => {
      text += part
    })
  await once(lines, 'end')
  print()
  if (failures.length > 0) failed.set(path, failures)
}

/** Those that have a lane to themselves, and the queue for all lanes: what takes long is first, or all would wait for it at the end. */
async function dealOut(): Promise<{ lanes: string[][]; queue: string[] }> {
  const [trials, browsers, slow] = [trialFiles, browserFiles, slowFiles].map((patterns) => globSync(patterns).sort())
  const rest = allFiles.filter((file) => ![...trials!, ...browsers!, ...slow!].includes(file))
  const texts = await Promise.all(rest.map((file) => readFile(file, 'utf8')))
  const grouped = rest.filter((file, index) => isGrouped(texts[index]!) || isPure(file))
  const groups = Array.from({ length: groupCount }, (_, group) =>
    grouped.filter((_, position) => position % groupCount === group),
  )
  const alone = rest.filter((file) => !grouped.includes(file))
  return {
    lanes: [trials!, browsers!, []],
    queue: [...slow!, ...(await Promise.all(groups.map(writeGroup))), ...alone],
  }
}

/** A file that loads others. Its own test keeps theirs from running, and from ending the process, before all are loaded. */
async function writeGroup(group: readonly string[], index: number): Promise<string> {
  const file = join(dataDir, `group-${index + 1}.test.mjs`)
  const url = (name: string) => JSON.stringify(pathToFileURL(resolve(name)).href)
  await writeFile(
    file,
    `import { test } from 'node:test'
import { shareService } from ${url('test/test-service.ts')}
shareService()
const loaded = Promise.withResolvers()
test('the files of the group are loaded', () => loaded.promise)
try {
${group.map((name) => `  await import(${url(name)})`).join('\n')}
  loaded.resolve()
} catch (error) {
  loaded.reject(error)
}
`,
  )
  return file
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
