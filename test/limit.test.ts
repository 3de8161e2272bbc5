// The benchmark's limit runs what the service runs: the same statement gives the same answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitWorkloads, statementOf } from '../bench/limit.ts'
import { restRequest } from '../bench/targets.ts'
import { requestSpecs } from '../bench/workloads.ts'
import type { Json } from '../src/operations/answers.ts'
import { runStatement } from '../src/operations/context.ts'
import { startTestService } from './test-service.ts'

const here = await startTestService()

test('what the limit asks PostgreSQL for is what the service answers', async () => {
  const shop = await here.organisation()
  const created = []
  for (const lastName of ['Okafor', 'Nowak', 'García', 'Lee'])
    created.push((await shop.post('/customers', { firstName: 'Amara', lastName })).body.data)
  const ticket = await shop.post('/tickets', { customerId: created[0].id, serviceRequired: 'Screen' })
  const organisation = { id: shop.orgId, key: '', customers: created, jobs: [ticket.body.data.id] }
  for (const workload of limitWorkloads) {
    const [spec] = requestSpecs(workload, [organisation], 1)
    const { method, path, body } = restRequest(spec!, {})
    const { sql, ...rest } = statementOf(spec!)
    if (method !== 'GET') {
      assert.match(sql.text, /^\s*insert into customers /)
      assert.ok(sql.returning && body)
      continue
    }
    const answer = (await runStatement(here.database, shop.orgId, { sql, ...rest })) as Json
    const { status, body: served } = await shop.get(path.slice(path.indexOf(shop.orgId) + shop.orgId.length))
    assert.equal(status, 200, workload)
    assert.deepEqual(JSON.parse(answer.text), served.data, workload)
  }
})
