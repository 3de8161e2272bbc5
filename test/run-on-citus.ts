// `npm run test:citus [-- --whole | FILE …]`: test files on a Citus cluster whose tables are distributed, as `npm test` runs
// them on one PostgreSQL. Without names it is a sample that touches every table and every kind of statement.

import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import {
  citusSkipReason,
  copyDistributedTemplate,
  createDistributedTemplate,
  startCitusCluster,
} from './citus-cluster.ts'
import { alone, dealOutFiles, type TestProcess, writeEntry } from './test-process.ts'

const sample = ['src/operations/execute.test.ts', 'src/resources/quotes/quotes.test.ts', 'src/events/capture.test.ts']

const startsService = /\bstart(Own)?TestService\(/
/** Those that start a service but say nothing of a cluster. */
const leftOut = new Map([
  ['src/db/database.test.ts', 'the connections to one server, and its plans'],
  ['src/db/neighbours.test.ts', 'connections that writes share, which they do not on a cluster'],
  ['src/resources/list-plans.test.ts', 'the plans of one server'],
  ['src/resources/tickets/plans.test.ts', 'the plans of one server'],
])

/** A group of files is one process, and an emulated cluster is slow. */
const testTimeoutMs = 3_600_000

if (citusSkipReason) {
  process.stderr.write(`• ${citusSkipReason}\n`)
  process.exit(0)
}
const cluster = await startCitusCluster()
const ports = [cluster.coordinator, ...cluster.workers].map(({ port }) => port)
const template = 'jobwright_template'
await createDistributedTemplate(ports, template)
await copyDistributedTemplate(ports, template, 'jobwright')
process.env.TEST_DATABASE = 'citus'
process.env.TEST_POSTGRES_SOCKET = String(cluster.coordinator.port)
process.env.TEST_POSTGRES_TEMPLATE = template
const folder = await mkdtemp(join(tmpdir(), 'jobwright-citus-tests-'))
const queue = [...(await chosenProcesses(process.argv.slice(2)))]
let failureCount = 0
const inTurn = async () => {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) await runProcess(next)
}
await Promise.all([inTurn(), inTurn()])
await cluster.stop()
await rm(folder, { recursive: true })
process.exit(failureCount === 0 ? 0 : 1)

/** What fails is told at once; all lines of a process stay together. */
async function runProcess(one: TestProcess): Promise<void> {
  const tests = run({ files: [await writeEntry(folder, one)], timeout: testTimeoutMs })
  tests.on('test:fail', ({ todo, skip, name, details }) => {
    if (todo !== undefined || skip !== undefined) return
    failureCount++
    process.stderr.write(`• failed: ${name} (${one.name}): ${details.error.cause ?? details.error.message}\n`)
  })
  const lines = await tests.compose(spec()).toArray()
  process.stdout.write(lines.join(''))
}

async function chosenProcesses(named: readonly string[]): Promise<readonly TestProcess[]> {
  if (named.length === 0) return sample.map(alone)
  if (named[0] !== '--whole') return named.map(alone)
  return dealOutFiles(
    globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])
      .sort()
      .filter((file) => startsService.test(readFileSync(file, 'utf8')) && !leftOut.has(file)),
  )
}
