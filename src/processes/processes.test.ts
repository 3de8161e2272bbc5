// Several processes on one machine: quotas, metrics, one that is killed and all that are replaced, while others serve.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  databaseUrl,
  freePort,
  programEnvironment,
  runProgram,
  type ServerProcess,
  startService,
} from '../../test/programs.ts'
import { Database } from '../db/database.ts'
import { startEmbeddedPostgres } from '../db/embedded/launcher.ts'
import { createKey } from '../identity/keys.ts'
import { createOrganisation } from '../identity/organisations.ts'
import { scopeCatalogue } from '../resources/index.ts'

const requestsPerMinute = 400
const failuresPerMinute = 4
const dataDir = await mkdtemp(join(tmpdir(), 'jobwright-processes-'))
const settings = {
  DATA_DIR: dataDir,
  PORT: await freePort(),
  PROCESSES: '2',
  DEMO: 'off',
  LOG_LEVEL: 'info',
  RATE_LIMIT_PER_MINUTE: String(requestsPerMinute),
  FAILED_AUTH_PER_MINUTE: String(failuresPerMinute),
}
let service: ServerProcess = await startService(settings)
const { origin } = service
const postgres = await startEmbeddedPostgres({ dataDir, mode: 'join' })
const database = new Database(postgres.connection)
after(async () => {
  await database.close()
  await service.stop()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 20 })
})

const { id: orgId } = await createOrganisation(database, { name: 'Two Processes', entitlement: 'pro' })
const newKey = async () => (await createKey(database, orgId, { scopes: ['full'] }, scopeCatalogue)).key
const customersPath = `/api/v1/organisations/${orgId}/customers`

/** A caller with one connection, which it keeps as long as it is let. */
const caller = () => new Agent({ keepAlive: true, maxSockets: 1 })
interface Answer {
  readonly status: number
}

function send(agent: Agent, path: string, key: string, body?: object): Promise<Answer> {
  const call = open(agent, path, key, body !== undefined)
  call.end(body && JSON.stringify(body))
  return answerOf(call)
}

const open = (agent: Agent, path: string, key: string, isPost: boolean): ClientRequest =>
  request(origin + path, {
    agent,
    method: isPost ? 'POST' : 'GET',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
  })

async function answerOf(call: ClientRequest): Promise<Answer> {
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return { status: response.statusCode! }
}

/** Lines of the log that the first process wrote about one process, oldest first. */
const told = (msg: string, process?: string): { readonly processId: number }[] =>
  service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line))
    .filter((line) => line.msg === msg && (process === undefined || line.process === process))
const pidOf = (process: string) => told('a process is ready', process).at(-1)!.processId

async function waitUntil(isDone: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isDone())) await delay(20)
}

const metrics = async () => (await fetch(`${origin}/metrics`)).text()
/** How often each process answered an operation. */
async function answered(operation: string): Promise<Map<string, number>> {
  const lines = (await metrics()).matchAll(
    new RegExp(`^jobwright_requests_total\\{process="([^"]+)",operation="${operation}",status="\\d+"\\} (\\d+)$`, 'gm'),
  )
  const counts = new Map<string, number>()
  for (const [, process, count] of lines) counts.set(process!, (counts.get(process!) ?? 0) + Number(count))
  return counts
}

test('a quota is exact over both processes, however many ask at once, without Redis', async () => {
  const key = await newKey()
  const callers = Array.from({ length: 16 }, caller)
  const asked = requestsPerMinute + 40
  const answers = await Promise.all(
    Array.from({ length: asked }, (_, n) => send(callers[n % callers.length]!, customersPath, key)),
  )
  for (const agent of callers) agent.destroy()
  assert.equal(answers.filter(({ status }) => status === 200).length, requestsPerMinute)
  assert.equal(answers.filter(({ status }) => status === 429).length, asked - requestsPerMinute)
  const byProcess = await answered('listCustomers')
  assert.deepEqual([...byProcess.keys()].sort(), ['http-1', 'http-2'], 'both had their share')
  assert.equal(
    [...byProcess.values()].reduce((sum, count) => sum + count),
    asked,
  )
})

test('failed authentications of an address are counted over both processes', async () => {
  const wrong = `${await newKey()}x`
  const callers = Array.from({ length: 12 }, caller)
  const answers = await Promise.all(callers.map((agent) => send(agent, customersPath, wrong)))
  for (const agent of callers) agent.destroy()
  assert.equal(answers.filter(({ status }) => status === 401).length, failuresPerMinute)
  assert.equal(answers.filter(({ status }) => status === 429).length, 12 - failuresPerMinute)
})

test('one process does the background work, behind the others, and one answer has the metrics of all', async () => {
  const text = await metrics()
  const labelled = (family: string) =>
    [...new Set([...text.matchAll(new RegExp(`^${family}\\{process="([^"]+)"`, 'gm'))].map(([, name]) => name))].sort()
  assert.deepEqual(labelled('process_resident_memory_bytes'), ['background', 'http-1', 'http-2', 'primary'])
  assert.deepEqual(labelled('jobwright_task_last_success_seconds'), ['background'])
  assert.deepEqual(labelled('jobwright_outbox_waiting'), ['background'])
  assert.deepEqual(labelled('jobwright_ready'), ['http-1', 'http-2'])
  const headings = text.match(/^# TYPE \S+/gm)!
  assert.equal(new Set(headings).size, headings.length)
  assert.deepEqual(
    ['http-1', 'http-2', 'background'].map((name) => getPriority(pidOf(name))),
    [0, 0, 10],
  )
})

test('what a terminal sends to all processes ends none of them', async () => {
  const pids = ['http-1', 'http-2', 'background'].map(pidOf)
  for (const signal of ['SIGINT', 'SIGHUP'] as const) for (const pid of pids) process.kill(pid, signal)
  await delay(200)
  assert.deepEqual(told('a process ended; it is started again'), [])
  const agent = caller()
  const key = await newKey()
  for (let n = 0; n < 10; n++) assert.equal((await send(agent, customersPath, key)).status, 200)
  agent.destroy()
  assert.match(await metrics(), /^jobwright_process_failures_total\{process="primary",name="http-1"\} 0$/m)
  assert.deepEqual(['http-1', 'http-2', 'background'].map(pidOf), pids)
})

test('a process that is killed is followed by another, and those whom the others serve notice nothing', async () => {
  const callers = Array.from({ length: 6 }, caller)
  const served = new Map<string, Agent[]>()
  for (const agent of callers) {
    const before = await answered('GET /health/ready')
    await send(agent, '/health/ready', '')
    const after = await answered('GET /health/ready')
    const name = [...after].find(([process, count]) => count > (before.get(process) ?? 0))![0]
    served.set(name, [...(served.get(name) ?? []), agent])
  }
  assert.deepEqual([...served.keys()].sort(), ['http-1', 'http-2'])
  let isOver = false
  const failures = new Map<Agent, unknown[]>(callers.map((agent) => [agent, []]))
  const working = callers.map(async (agent) => {
    while (!isOver) {
      const status = await send(agent, '/health/ready', '').then(
        (answer) => answer.status,
        (error: unknown) => error,
      )
      if (status !== 200) failures.get(agent)!.push(status)
      await delay(25)
    }
  })
  // Others come anew all the time; none of them is left waiting for a process that is no more.
  const newcomers = Array.from({ length: 40 }, async () => {
    const agent = new Agent({ keepAlive: false })
    for (let n = 0; n < 10; n++) await send(agent, '/health/live', '').catch(() => {})
  })
  await delay(20)
  const killed = pidOf('http-1')
  process.kill(killed, 'SIGKILL')
  await Promise.all(newcomers)
  await waitUntil(() => pidOf('http-1') !== killed)
  isOver = true
  await Promise.all(working)
  for (const agent of served.get('http-2')!) assert.deepEqual(failures.get(agent), [])
  for (const agent of served.get('http-1')!) assert.ok(failures.get(agent)!.length <= 1, 'it found the other one')
  for (const agent of callers) agent.destroy()
  assert.match(await metrics(), /^jobwright_process_failures_total\{process="primary",name="http-1"\} 1$/m)
})

test('SIGHUP replaces all processes one after the other, and no request fails', async () => {
  const keys = await Promise.all(Array.from({ length: 16 }, newKey))
  const before = ['http-1', 'http-2', 'background'].map(pidOf)
  let isOver = false
  const statuses = new Map<number, number>()
  const note = ({ status }: Answer) => statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const working = Array.from({ length: 4 }, async (_, position) => {
    const agent = caller()
    for (let n = position; !isOver; n++) {
      const body = n % 8 === 0 ? { firstName: `Number ${n}` } : undefined
      note(await send(agent, customersPath, keys[n % keys.length]!, body))
      await delay(25)
    }
    agent.destroy()
  })
  // Two that are in the middle of a request when their process is told to end.
  const slow = [caller(), caller()].map((agent) => ({ agent, call: open(agent, customersPath, keys[0]!, true) }))
  for (const { call } of slow) call.write('{ "firstName":')
  const finished = slow.map(({ call }) => answerOf(call))
  await delay(100)
  service.signal('SIGHUP')
  await waitUntil(() => pidOf('http-1') !== before[0])
  await delay(200)
  for (const { call } of slow) call.end('"Slow" }')
  assert.deepEqual(
    (await Promise.all(finished)).map(({ status }) => status),
    [201, 201],
  )
  await waitUntil(() => told('all processes are replaced').length === 1)
  isOver = true
  await Promise.all(working)
  for (const { agent } of slow) agent.destroy()
  assert.deepEqual([...statuses.keys()].sort(), [200, 201])
  const now = ['http-1', 'http-2', 'background'].map(pidOf)
  for (const [position, pid] of now.entries()) assert.notEqual(pid, before[position])
})

test('where something else listens, the start says so once and ends', async () => {
  const { code, output } = await runProgram(process.execPath, [fileURLToPath(new URL('../main.ts', import.meta.url))], {
    cwd: tmpdir(),
    env: {
      ...programEnvironment(),
      ...settings,
      ROLE: 'rest,auth',
      LOG_LEVEL: 'error',
      DATABASE_URL: databaseUrl(postgres.connection),
      RATE_LIMIT_STORE: 'memory',
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    },
  })
  assert.equal(code, 1)
  assert.equal(output.match(/EADDRINUSE/g)?.length, 1, output)
  assert.match(output, /set PORT to another port/)
})

test('SIGTERM ends all of them, PostgreSQL last, with 0', async () => {
  const pids = ['http-1', 'http-2', 'background'].map(pidOf)
  assert.equal(await service.stop(), 0)
  for (const pid of pids) assert.throws(() => process.kill(pid, 0), /ESRCH/)
})

test('a process that ends again and again ends the service, with words', async () => {
  service = await startService({ ...settings, ROLE: 'rest,auth' })
  const killed = new Set<number>()
  const isEnded = service.exited.then(() => true)
  while (!(await Promise.race([isEnded, delay(5, false)]))) {
    const pid = told('a process starts', 'http-2').at(-1)!.processId
    if (killed.has(pid)) continue
    killed.add(pid)
    process.kill(pid, 'SIGKILL')
  }
  assert.equal(await service.exited, 1)
  assert.equal(killed.size, 5)
  assert.match(service.output(), /^http-2 ended too often within a minute, the last time with: .*SIGKILL/m)
})
