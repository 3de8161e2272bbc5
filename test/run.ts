// `npm test`: types, style, dropped statements, generated files, then every test file against one PostgreSQL of its own.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { startEmbeddedPostgres } from '../src/db/embedded/launcher.ts'

/** In the order in which they are started: a slow file that starts last is all that the others wait for. */
const slowFiles = [
  'prove/short-*.test.ts',
  'src/portal/portal.browser.test.ts',
  'src/rendering/page.browser.test.ts',
  'src/sign-in/session-pages.browser.test.ts',
  'src/rendering/pdf/*.test.ts',
  'src/public/share-page.test.ts',
  'src/db/*.test.ts',
  'src/cli/jobwright.test.ts',
  'test/scopes.test.ts',
]
/** Files whose tests use a service as it comes: each group of them is one process with one service. */
const groupedFiles = 'src/resources/**/*.test.ts'
const groupCount = 3
const testTimeoutMs = 240_000
const slowestShown = 10

const named = process.argv.slice(2)
const allFiles = globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'prove/*.test.ts']).sort()

step('types', 'tsc', '--noEmit')
step('style', 'biome', 'check', '--error-on-warnings', '.')
step('dropped statements', 'node', 'test/dropped-statements.ts')
const missing = ['redis-server', 'chromium', 'openssl', 'haproxy'].filter(
  (program) => spawnSync('which', [program]).status !== 0,
)
if (missing.length > 0 && process.env.CI === 'true') fail(`CI needs ${missing.join(' and ')} on the PATH`)
for (const program of missing) log(`${program} is not on the PATH: the tests that need it are skipped`)

const dataDir = await mkdtemp(join(tmpdir(), 'jobwright-tests-'))
const postgres = await startEmbeddedPostgres({
  dataDir,
  mode: 'serve',
  // Three processes, some with several services.
  settings: { max_connections: '300' },
})
process.env.TEST_POSTGRES_SOCKET = postgres.connection.host
process.env.NODE_COMPILE_CACHE = join(dataDir, 'compile-cache') // every file is a process that loads the same modules
const files = named.length > 0 ? named.map((file) => resolve(file)) : await orderFiles()
log(`${named.length > 0 ? named.length : allFiles.length} test files`)

const durations = new Map<string, number>()
let failureCount = 0
const tests = run({
  files,
  concurrency: 3,
  timeout: testTimeoutMs,
  execArgv: ['--max-semi-space-size=32'], // starting a service makes much that is soon garbage
})
tests.on('test:fail', ({ todo, skip }) => {
  if (todo === undefined && skip === undefined) failureCount++
})
tests.on('test:complete', ({ nesting, file, details }) => {
  if (nesting === 0 && file) durations.set(file, (durations.get(file) ?? 0) + details.duration_ms)
})
await new Promise((done) => tests.compose(spec()).on('end', done).pipe(process.stdout))
await postgres.stop()
if (named.length === 0 && !runOnCitus()) failureCount++
await rm(dataDir, { recursive: true, force: true })
const slowest = [...durations].sort(([, a], [, b]) => b - a).slice(0, slowestShown)
log(`slowest: ${slowest.map(([file, ms]) => `${relative('.', file)} ${Math.round(ms / 1_000)} s`).join(', ')}`)
process.exit(failureCount === 0 ? 0 : 1)

/** Slow files, groups, then the others. */
async function orderFiles(): Promise<string[]> {
  const slow = slowFiles.flatMap((pattern) => globSync(pattern).sort())
  const grouped = globSync(groupedFiles).sort()
  const groups = Array.from({ length: groupCount }, (_, group) =>
    grouped.filter((_, position) => position % groupCount === group),
  )
  const entries = await Promise.all(groups.map(writeGroup))
  const others = allFiles.filter((file) => !slow.includes(file) && !grouped.includes(file))
  return [...slow.map((file) => resolve(file)), ...entries, ...others.map((file) => resolve(file))]
}

/** A file that loads others. Its own test keeps theirs from running, and from ending the process, before all are loaded. */
async function writeGroup(group: readonly string[], index: number): Promise<string> {
  const file = join(dataDir, `resources-${index + 1}.test.mjs`)
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
function runOnCitus(): boolean {
  log('a sample on a Citus cluster')
  const program = join('node_modules', '.bin', 'node')
  return spawnSync(program, ['test/run-on-citus.ts'], { stdio: 'inherit' }).status === 0
}

function step(name: string, program: string, ...args: string[]): void {
  log(name)
  if (spawnSync(join('node_modules', '.bin', program), args, { stdio: 'inherit' }).status !== 0)
    fail(`${name}: see above`)
}

function log(text: string): void {
  process.stderr.write(`• ${text}\n`)
}

function fail(text: string): never {
  log(text)
  process.exit(1)
}
