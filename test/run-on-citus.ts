// `npm run test:citus [-- --whole | FILE …]`: test files on a Citus cluster whose tables are distributed, as `npm test` runs
// them on one PostgreSQL. Without names it is a sample that touches every table and every kind of statement.

import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { citusSkipReason, createDistributedDatabase, startCitusCluster } from './citus-cluster.ts'
import { writeEntry } from './test-process.ts'

const sample = ['src/operations/execute.test.ts', 'src/resources/quotes/quotes.test.ts', 'src/events/capture.test.ts']

/** Those that start a service but say nothing of a cluster. */
const leftOut = new Map<string, string>([])

if (citusSkipReason) {
  process.stderr.write(`• ${citusSkipReason}\n`)
  process.exit(0)
}
const cluster = await startCitusCluster()
const ports = [cluster.coordinator, ...cluster.workers].map(({ port }) => port)
await createDistributedDatabase(ports, 'jobwright')
process.env.TEST_DATABASE = 'citus'
process.env.TEST_POSTGRES_SOCKET = String(cluster.coordinator.port)
const folder = await mkdtemp(join(tmpdir(), 'jobwright-citus-tests-'))
const entries = chosenFiles(process.argv.slice(2)).map((file) => writeEntry(folder, { name: file, files: [file] }))
const tests = run({ files: await Promise.all(entries), concurrency: 2, timeout: 240_000 })
let failureCount = 0
tests.on('test:fail', ({ todo, skip }) => {
  if (todo === undefined && skip === undefined) failureCount++
})
await new Promise((done) => tests.compose(spec()).on('end', done).pipe(process.stdout))
await cluster.stop()
await rm(folder, { recursive: true })
process.exit(failureCount === 0 ? 0 : 1)

function chosenFiles(named: readonly string[]): readonly string[] {
  if (named.length === 0) return sample
  if (named[0] !== '--whole') return named
  return globSync(['src/**/*.test.ts', 'test/**/*.test.ts'])
    .sort()
    .filter((file) => readFileSync(file, 'utf8').includes('startTestService(') && !leftOut.has(file))
}
