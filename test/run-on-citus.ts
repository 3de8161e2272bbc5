// `npm run test:citus [-- FILE …]`: test files on a Citus cluster whose tables are distributed, as `npm test` runs them on
// one PostgreSQL. Without names it is a sample that touches every table and every kind of statement.

import { resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { citusSkipReason, createDistributedDatabase, startCitusCluster } from './citus-cluster.ts'

const sample = [
  'test/contract.test.ts',
  'src/operations/execute.test.ts',
  'src/resources/tickets/stock.test.ts',
  'src/resources/quotes/quotes.test.ts',
  'src/resources/invoices/invoices.test.ts',
  'src/resources/forms/submissions.test.ts',
  'src/resources/recurring/schedules.test.ts',
  'src/events/capture.test.ts',
]

if (citusSkipReason) {
  process.stderr.write(`• ${citusSkipReason}\n`)
  process.exit(0)
}
const named = process.argv.slice(2)
const cluster = await startCitusCluster()
const ports = [cluster.coordinator, ...cluster.workers].map(({ port }) => port)
await createDistributedDatabase(ports, 'jobwright')
process.env.TEST_DATABASE = 'citus'
process.env.TEST_POSTGRES_SOCKET = String(cluster.coordinator.port)
const tests = run({
  files: (named.length > 0 ? named : sample).map((file) => resolve(file)),
  concurrency: 2,
  timeout: 240_000,
})
let failureCount = 0
tests.on('test:fail', ({ todo, skip }) => {
  if (todo === undefined && skip === undefined) failureCount++
})
await new Promise((done) => tests.compose(spec()).on('end', done).pipe(process.stdout))
await cluster.stop()
process.exit(failureCount === 0 ? 0 : 1)
