// `npm test`: types, style, dropped statements, generated files, then every test file against one PostgreSQL of its own.
import { spawn, spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../src/db/embedded/launcher.ts'

const files =
  process.argv.length > 2
    ? process.argv.slice(2)
    : globSync(['src/**/*.test.ts', 'test/**/*.test.ts', 'prove/*.test.ts']).sort()

step('types', 'tsc', '--noEmit')
step('style', 'biome', 'check', '--error-on-warnings', '.')
step('dropped statements', 'node', 'test/dropped-statements.ts')
const missing = ['redis-server', 'chromium', 'openssl', 'haproxy'].filter(
  (program) => spawnSync('which', [program]).status !== 0,
)
if (missing.length > 0 && process.env.CI === 'true') fail(`CI needs ${missing.join(' and ')} on the PATH`)
for (const program of missing) log(`${program} is not on the PATH: the tests that need it are skipped`)

const dataDir = await mkdtemp(join(tmpdir(), 'jobwright-tests-'))
const postgres = await startEmbeddedPostgres({ dataDir, mode: 'serve' })
log(`${files.length} test files`)
const tests = spawn(process.execPath, ['--test', '--test-concurrency=3', '--test-timeout=240000', ...files], {
  stdio: 'inherit',
  env: {
    ...process.env,
    TEST_POSTGRES_SOCKET: postgres.connection.host,
    NODE_COMPILE_CACHE: join(dataDir, 'compile-cache'), // every file is a process that loads the same modules
  },
})
const code = await new Promise<number>((resolve) => tests.on('exit', (status) => resolve(status ?? 1)))
await postgres.stop()
await rm(dataDir, { recursive: true, force: true })
process.exit(code)

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
