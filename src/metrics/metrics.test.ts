// The metrics at /metrics: that they count what happened, and who may read them.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { databaseUrl, freePort, startService } from '../../test/programs.ts'
import { createSecondDatabase } from '../../test/test-database.ts'
import { startTestService } from '../../test/test-service.ts'

const token = 'a-token-for-metrics'
const here = await startTestService({ METRICS_TOKEN: token, RATE_LIMIT_PER_MINUTE: '5', FAILED_AUTH_PER_MINUTE: '2' })

const read = (headers: Record<string, string> = {}) => fetch(`${here.origin}/metrics`, { headers })
/** The value of one line, 0 where it is not there. */
const value = async (line: string): Promise<number> => {
  const found = (await (await read()).text()).split('\n').find((text) => text.startsWith(`${line} `))
  return Number(found?.slice(line.length + 1) ?? 0)
}
/** By how much a line rises while something is done. */
async function rise(line: string, work: () => Promise<unknown>): Promise<number> {
  const before = await value(line)
  await work()
  return (await value(line)) - before
}

describe('who may read the metrics', () => {
  it('this machine may, without a token', async () => {
    const answer = await read()
    assert.deepEqual([answer.status, answer.headers.get('content-type')?.split(';')[0]], [200, 'text/plain'])
  })

  it('what a proxy on this machine forwards is from elsewhere, and needs the token', async () => {
    for (const header of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via']) {
      assert.equal((await read({ [header]: '127.0.0.1' })).status, 401, header)
    }
    const forwarded = { 'X-Forwarded-For': '203.0.113.7' }
    assert.equal((await read({ ...forwarded, authorization: `Bearer ${token}` })).status, 200)
    assert.equal((await read({ ...forwarded, authorization: `Bearer ${token}x` })).status, 401)
    assert.equal((await read({ ...forwarded, authorization: 'Bearer' })).status, 401)
  })

  it('without METRICS_TOKEN, no bearer opens them', async () => {
    const closed = await startTestService()
    const headers = { 'X-Forwarded-For': '203.0.113.7', authorization: 'Bearer ' }
    assert.equal((await fetch(`${closed.origin}/metrics`, { headers })).status, 401)
  })
})

describe('what is counted', () => {
  it('each answer by its operation and status, and how long it took', async () => {
    const shop = await here.organisation()
    const found = 'jobwright_requests_total{operation="listCustomers",status="200"}'
    assert.equal(await rise(found, () => shop.get('/customers')), 1)
    const refused = 'jobwright_requests_total{operation="createCustomer",status="400"}'
    assert.equal(await rise(refused, () => shop.post('/customers', { firstName: 7 })), 1)
    const timed = 'jobwright_request_duration_seconds_count{operation="listCustomers"}'
    assert.equal(await rise(timed, () => shop.get('/customers')), 1)
    assert.equal(
      await value('jobwright_request_duration_seconds_bucket{operation="listCustomers",le="+Inf"}'),
      await value(timed),
    )
  })

  it('what matches no route under one name, however it is spelt', async () => {
    const line = 'jobwright_requests_total{operation="unmatched",status="404"}'
    assert.equal(await rise(line, () => Promise.all([here.request('GET', '/a'), here.request('GET', '/b')])), 2)
    const text = await (await read()).text()
    assert.doesNotMatch(text, /operation="[^"]*org_/, 'no name holds an id')
  })

  it('what agents call as tools, by the operation behind them', async () => {
    const shop = await here.organisation()
    const headers = { authorization: `Bearer ${shop.key}`, accept: 'application/json, text/event-stream' }
    const call = (name: string, given: object) =>
      here.request('POST', '/mcp', {
        headers,
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
      })
    const done = 'jobwright_tool_calls_total{operation="listCustomers",status="200"}'
    assert.equal(await rise(done, () => call('list_customers', {})), 1)
    const missing = 'jobwright_tool_calls_total{operation="updateCustomer",status="404"}'
    assert.equal(
      await rise(missing, () => call('update_customer', { customerId: 'cus_nobody', firstName: 'Nobody' })),
      1,
    )
    assert.ok((await value('jobwright_requests_total{operation="mcp",status="200"}')) >= 2)
  })

  it('refusals of each limit, and failed authentications', async () => {
    const shop = await here.organisation()
    const over = 'jobwright_rate_limited_total{limit="requests"}'
    assert.equal(await rise(over, () => sixTimes(() => shop.get('/customers'))), 1)
    const stranger = () => here.request('GET', `/api/v1/organisations/${shop.orgId}/customers`)
    assert.equal(await rise('jobwright_failed_authentications_total', () => sixTimes(stranger)), 6)
    assert.equal(await rise('jobwright_rate_limited_total{limit="failures"}', stranger), 1)
  })

  it('sign-ins that were tried, and those that were right', async () => {
    const wrong = () =>
      here.request('POST', '/identity/token', { body: { email: 'nobody@example.com', password: 'wrong' } })
    assert.equal(await rise('jobwright_sign_ins_total{outcome="attempted"}', wrong), 1)
    assert.equal(await value('jobwright_sign_ins_total{outcome="succeeded"}'), 0)
  })

  it('statements by their connection, and the time they took', async () => {
    const shop = await here.organisation()
    const line = 'jobwright_database_statements_total{connection="read"}'
    assert.ok((await rise(line, () => shop.get('/customers'))) >= 1)
    assert.ok((await value('jobwright_database_seconds_total{connection="read"}')) > 0)
    assert.equal(await value('jobwright_database_in_flight{connection="transaction"}'), 0)
  })

  it('nothing of a worker where there is none', async () => {
    assert.doesNotMatch(await (await read()).text(), /^jobwright_(outbox|task|mails|events|webhooks?)(_\w+)?[ {]/m)
  })

  it('is written as Prometheus reads it', async () => {
    const lines = (await (await read()).text()).trimEnd().split('\n')
    const form = /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? -?[0-9.e+-]+)$/
    assert.deepEqual(
      lines.filter((line) => !form.test(line)),
      [],
    )
  })
})

describe('a process with a worker', () => {
  it('tells of its tasks and of the mail in its queue', async () => {
    const service = await startService({
      PORT: await freePort(),
      ROLE: 'worker',
      DATABASE_URL: databaseUrl(await createSecondDatabase(here)),
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      RATE_LIMIT_STORE: 'memory',
    })
    after(() => service.stop())
    const text = await (await fetch(`${service.origin}/metrics`)).text()
    const tasks = [
      'mail',
      'events',
      'webhooks',
      'reminders',
      'recurring visits',
      'deletions',
      'imports',
      'deadlines',
      'webhook upkeep',
    ]
    for (const task of [...tasks, 'sweeping']) {
      assert.match(text, new RegExp(`^jobwright_task_last_success_seconds\\{task="${task}"\\} \\d{10}`, 'm'))
    }
    assert.match(text, /^jobwright_outbox_waiting \d+$/m)
    assert.match(text, /^jobwright_webhook_deliveries_waiting \d+$/m)
    assert.match(text, /^jobwright_webhook_oldest_due_seconds \d/m)
    for (const state of ['failing', 'paused'])
      assert.match(text, new RegExp(`^jobwright_webhooks\\{state="${state}"\\} \\d`, 'm'))
    assert.match(text, /^jobwright_webhook_deliveries_total\{outcome="delivered"\} 0$/m)
    assert.match(text, /^jobwright_outbox_oldest_seconds \d/m)
    assert.match(text, /^jobwright_events_waiting \d+$/m)
    assert.match(text, /^jobwright_events_numbered_total \d+$/m)
    assert.match(text, /^jobwright_events_lag_seconds \d/m)
    assert.match(text, /^jobwright_mails_total\{outcome="failed"\} 0$/m)
  })
})

async function sixTimes(work: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < 6; time++) await work()
}
