// The service as an operator runs it: first start, killed while writing, started again, stopped.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freePort, type ServerProcess, startService } from '../test/programs.ts'

const dataDir = await mkdtemp(join(tmpdir(), 'jobwright-main-'))
const port = await freePort()
const origin = `http://127.0.0.1:${port}`
let running: ServerProcess | undefined
after(async () => {
  running?.signal('SIGKILL')
  await running?.exited
  await rm(dataDir, { recursive: true, force: true, maxRetries: 20 })
})

let address = ''
let key = ''
const customers = (method: string, path: string, body?: object) =>
  fetch(`${address}${path}`, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })

test('a first start makes a demo, prints a line that works and says that it is ready', async () => {
  const { said } = await startApp()
  assert.match(said, new RegExp(`^ready ${origin}$`, 'm'))
  const [, printedKey, printedAddress] = /curl -H "X-API-Key: (\S+)" (\S+)/.exec(said)!
  key = printedKey!
  address = printedAddress!
  assert.equal((await customers('GET', '')).status, 200)
  assert.equal((await fetch(`${origin}/health/ready`)).status, 200)
})

const firstRequests = [
  {
    whose: 'an app',
    path: '/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=refresh_token&client_id=nobody',
    status: 401,
  },
  {
    whose: 'an agent',
    path: '/mcp',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    status: 200,
  },
]
for (const { whose, path, headers, body, status } of firstRequests)
  test(`while the first request of ${whose} loads its protocol, others are served`, async () => {
    let isAnswered = false
    const authorization = path === '/mcp' ? { authorization: `Bearer ${key}` } : {}
    const first = fetch(origin + path, { method: 'POST', headers: { ...headers, ...authorization }, body }).finally(
      () => {
        isAnswered = true
      },
    )
    let served = 0
    for (; !isAnswered; served++) assert.equal((await customers('GET', '?limit=1')).status, 200)
    assert.equal((await first).status, status)
    assert.ok(served > 10, `${served} were served meanwhile`)
  })

test('nothing that was confirmed is lost when the process is killed while eight write', async () => {
  const confirmed: string[] = []
  let isUp = true
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let n = 0; isUp; n++) {
      const reply = await customers('POST', '', { firstName: `Writer ${writer}`, notes: `${n}` }).catch(() => undefined)
      const body = (await reply?.json().catch(() => undefined)) as { data: { id: string } } | undefined
      if (reply?.status === 201 && body) confirmed.push(body.data.id)
    }
  })
  while (confirmed.length < 200) await new Promise((resolve) => setTimeout(resolve, 5))
  running!.signal('SIGKILL')
  await running!.exited
  isUp = false
  await Promise.all(writers)

  const { said } = await startApp()
  assert.doesNotMatch(said, /sk_live_/, 'a later start shows no key')
  for (const id of confirmed) assert.equal((await customers('GET', `/${id}`)).status, 200, id)
})

test('a request to stop ends it cleanly', async () => {
  assert.equal(await running!.stop(), 0)
})

test('wrong settings stop the start with every problem in one message', async () => {
  const child = spawn(process.execPath, ['src/main.ts'], {
    env: { PATH: process.env.PATH, PORT: 'x', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://x' },
  })
  let complaint = ''
  child.stderr.on('data', (text) => {
    complaint += text
  })
  const [code] = await once(child, 'exit')
  assert.equal(code, 1)
  for (const name of ['PORT', 'LOG_LEVEL', 'DATABASE_URL']) assert.match(complaint, new RegExp(`^  - ${name} `, 'm'))
})

async function startApp(): Promise<{ said: string }> {
  running = await startService({ DATA_DIR: dataDir, PORT: port, RATE_LIMIT_PER_MINUTE: '1000000' })
  return { said: running.output() }
}
