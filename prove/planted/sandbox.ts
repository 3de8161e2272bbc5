// A copy of the service for mutants: each is applied alone, run against its tests, and reverted.
import { spawn, spawnSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded/launcher.ts'
import { makeTemplate, onServer } from '../../test/test-database.ts'
import type { Mutant } from './mutant.ts'
import type { Verdict } from './verdicts.ts'

export const root = fileURLToPath(new URL('../../', import.meta.url))
const reporter = new URL('./verdicts.ts', import.meta.url).href
const testTimeoutMs = 120_000

export interface TestRun {
  /** The first test that failed. */
  readonly failed: string | undefined
  readonly hasPassed: boolean
  readonly isOverdue: boolean
}

export interface Sandbox extends AsyncDisposable {
  /** Runs a test file on the unchanged service. */
  passes(test: string): Promise<boolean>
  /** Applies a mutant. The name of the test that killed it, or undefined if it survived. */
  findKillingTest(mutant: Mutant): Promise<string | undefined>
}

export async function createSandbox(): Promise<Sandbox> {
  await using disposables = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'jobwright-mutant-'))
  disposables.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }))
  const tree = join(folder, 'tree')
  await copyTree(tree)
  // As in the tests: nothing in it has to survive a power cut.
  const settings = { max_connections: '300', fsync: 'off', full_page_writes: 'off' }
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), mode: 'serve', settings })
  disposables.defer(() => postgres.stop())
  await makeMigrated(postgres)

  const runTest = async (test: string, begin: Begin, untilFails?: string): Promise<TestRun> => {
    await removeDatabases(postgres)
    return runTestFile({ folder, tree, postgres }, test, begin, untilFails)
  }
  const owned = disposables.move()
  return {
    async passes(test) {
      const { failed, hasPassed, isOverdue } = await runTest(test, 'migrated')
      return failed === undefined && hasPassed && !isOverdue
    },
    async findKillingTest({ file, find, replace, tests, expectedFailure = '', isTimeout = false }) {
      const path = join(tree, file)
      const original = await readFile(path, 'utf8')
      await writeFile(
        path,
        original.replace(find, () => replace),
      )
      try {
        for (const test of tests) {
          const begin = migrates.test(file) ? 'empty' : 'migrated'
          const { failed, hasPassed, isOverdue } = await runTest(test, begin, expectedFailure)
          // Where nothing passes, the service did not run at all, which proves nothing of the control.
          if (failed !== undefined && hasPassed) return failed
          if (isOverdue && isTimeout) return `${test} did not come to its end`
        }
        return undefined
      } finally {
        await writeFile(path, original)
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** What git knows or would take, so that nothing of a developer's own settings and data comes along. */
async function copyTree(tree: string): Promise<void> {
  const { stdout, status } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error('The files to copy are those that git knows: run this in a checkout')
  for (const file of stdout.split('\0').filter(Boolean)) {
    await mkdir(dirname(join(tree, file)), { recursive: true })
    // What was deleted and not yet committed is still listed.
    await copyFile(join(root, file), join(tree, file)).catch(ignoreMissing)
  }
  await symlink(join(root, 'node_modules'), join(tree, 'node_modules'))
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** What a database is before a test file begins. Migrating takes longer than most of them, so it is done once. */
type Begin = 'migrated' | 'empty'
const template = 'migrated'
/** A mutant here may change what a migrated database is. */
const migrates = /^(migrations\/|src\/db\/migrat)/

async function makeMigrated({ connection }: EmbeddedPostgres): Promise<void> {
  await onServer(connection, `create database ${template}`)
  await makeTemplate({ connection: { ...connection, database: template } })
}

/** Nothing of one mutant may be left for the next: what its tests had is dropped, and the first one is empty again. */
async function removeDatabases({ connection }: EmbeddedPostgres): Promise<void> {
  const { database: first } = connection
  const client = new Client({ ...connection, database: 'postgres' })
  await client.connect()
  try {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where not datistemplate and datname <> all ($1)',
      [['postgres', template]],
    )
    for (const { datname } of rows) await client.query(`drop database ${datname} with (force)`)
    await client.query(`create database ${first}`)
  } finally {
    await client.end()
  }
}

interface Place {
  readonly folder: string
  readonly tree: string
  readonly postgres: EmbeddedPostgres
}

/** One test file. `untilFails`: stops at the failure of a test whose name contains it, once another has passed. */
async function runTestFile(
  { folder, tree, postgres }: Place,
  test: string,
  begin: Begin,
  untilFails?: string,
): Promise<TestRun> {
  const runDir = await mkdtemp(join(folder, 'run-'))
  const running = spawn(process.execPath, ['--test', `--test-reporter=${reporter}`, test], {
    cwd: tree,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TMPDIR: runDir,
      TEST_POSTGRES_SOCKET: postgres.connection.host,
      ...(begin === 'migrated' && { TEST_POSTGRES_TEMPLATE: template }),
      ...(process.env.CITUS_ADDON && { CITUS_ADDON: process.env.CITUS_ADDON }),
      ...(process.env.CITUS_POSTGRES && { CITUS_POSTGRES: process.env.CITUS_POSTGRES }),
      NODE_COMPILE_CACHE: join(folder, 'compiled'), // most of the code is the same each time
    },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true, // a group of its own, which can be ended with all that the tests have started
  })
  processGroups.add(running.pid!)
  const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()))
  let buffered = ''
  let failed: string | undefined
  let hasPassed = false
  const enough = new Promise<void>((resolve) => {
    running.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (buffered + text).split('\n')
      buffered = lines.pop()!
      for (const verdict of lines.map((line): Verdict => JSON.parse(line))) {
        hasPassed ||= verdict.hasPassed
        if (!verdict.hasPassed && verdict.name.includes(untilFails ?? '')) failed ??= verdict.name
      }
      if (untilFails !== undefined && failed !== undefined && hasPassed) resolve()
    })
  })
  const isOverdue = await Promise.race([ended, enough, delay(testTimeoutMs, true, { ref: false })])
  await endGroup(running.pid!)
  await ended
  processGroups.delete(running.pid!)
  await rm(runDir, { recursive: true, force: true, maxRetries: 20 })
  return { failed, hasPassed, isOverdue: isOverdue === true }
}

/** They would outlive this process: signals of the terminal go to its own group only. */
const processGroups = new Set<number>()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    for (const pid of processGroups) process.kill(-pid, 'SIGKILL')
    process.kill(process.pid, name)
  })
}

/** SIGTERM to the whole group, SIGKILL after five seconds; resolves when it is gone. */
async function endGroup(pid: number): Promise<void> {
  const signalGroup = (signal: NodeJS.Signals | 0) => {
    try {
      return process.kill(-pid, signal)
    } catch {
      return false // no process is left
    }
  }
  const deadline = performance.now() + 5_000
  for (signalGroup('SIGTERM'); signalGroup(0); await delay(20)) if (performance.now() > deadline) signalGroup('SIGKILL')
}
