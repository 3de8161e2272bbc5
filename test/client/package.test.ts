// The client as it is shipped: packed, installed into an empty folder, and what its README and examples show is run there.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { createDestinations } from '../../src/http/safe-fetch.ts'
import { postEvent } from '../../src/webhooks/send.ts'
import { newWebhookSecret } from '../../src/webhooks/signature.ts'
import { numberAll, testSequencer } from '../events.ts'
import { freePort, programEnvironment, runProgram, startProgram } from '../programs.ts'
import { type Client, startTestService } from '../test-service.ts'
import { until } from '../webhook-receiver.ts'

const here = await startTestService()
const sequencer = await testSequencer(here)
const client = fileURLToPath(new URL('../../client', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
/** The project: what is installed there. */
const folder = await mkdtemp(join(tmpdir(), 'jobwright-project-'))
after(() => rm(folder, { recursive: true, force: true }))

/** This Node, and that of the system, which is another version where the package brings its own. */
const systemNode = spawnSync('sh', ['-c', 'PATH=/usr/local/bin:/usr/bin:/bin command -v node']).stdout.toString().trim()
const nodes = [...new Set([process.execPath, ...(systemNode ? [systemNode] : [])])]

await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}')
await npm('pack', client, '--pack-destination', folder)
const [packed] = globSync('jobwright-client-*.tgz', { cwd: folder })
await npm('install', '--offline', '--no-audit', '--no-fund', join(folder, packed!))
await cp(join(client, 'examples'), join(folder, 'examples'), { recursive: true })

async function npm(...args: string[]): Promise<void> {
  const { code, output } = await runProgram('npm', args, { cwd: folder })
  assert.equal(code, 0, output)
}

const settingsFor = ({ orgId, key }: Client) => ({
  JOBWRIGHT_URL: `${here.origin}/api/v1`,
  JOBWRIGHT_ORG: orgId,
  JOBWRIGHT_KEY: key,
})

async function runFile(node: string, args: readonly string[], settings: Record<string, string>): Promise<string> {
  const { code, output } = await runProgram(node, args, { cwd: folder, env: { ...programEnvironment(), ...settings } })
  assert.equal(code, 0, `${node} ${args.join(' ')}:\n${output}`)
  return output
}

test('it is small, whole and without dependencies', async () => {
  const installed = join(folder, 'node_modules/jobwright-client')
  const scripts = globSync('dist/**/*.js', { cwd: installed }).sort()
  const texts = await Promise.all(scripts.map((name) => readFile(join(installed, name), 'utf8')))
  const size = gzipSync(texts.join('\n')).length
  assert.ok(size <= 12_000, `${size} bytes`)
  for (const text of texts) assert.doesNotMatch(text, /from '[^.]/, 'it imports nothing but itself')
  const {
    dependencies,
    scripts: hooks,
    sideEffects,
  } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  assert.deepEqual([dependencies, hooks, sideEffects], [undefined, undefined, false])
  const unexpected = globSync('**/*.*', { cwd: installed }).filter(
    (name) => !/^(dist|examples)\/|^README|^package/.test(name),
  )
  assert.deepEqual(unexpected, [])
})

test('its types are known to a project of its own, under strict', async () => {
  await writeFile(
    join(folder, 'typed.ts'),
    `import { ConflictError, Jobwright, type Customer } from 'jobwright-client'
const jobwright = new Jobwright({ baseUrl: 'https://a.example/api/v1', organisation: 'org_1', apiKey: 'sk_live_1' })
export const first = async (): Promise<Customer | undefined> => (await jobwright.customers.list().page()).items[0]
// @ts-expect-error: there is no such field
jobwright.customers.create({ firstName: 'A', nickname: 'B' })
export const ids = (error: unknown): readonly string[] =>
  error instanceof ConflictError && error.is('CUSTOMER_HAS_TICKETS') ? error.data.ticketIds : []
`,
  )
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--types',
    '',
    '--lib',
    'es2022,dom',
  ]
  const { code, output } = await runProgram(join(root, 'node_modules/.bin/tsc'), [...options, 'typed.ts'], {
    cwd: folder,
  })
  assert.equal(code, 0, output)
})

for (const node of nodes) {
  test(`what the README shows works as it stands there, with ${node === process.execPath ? 'this Node' : 'that of the system'}`, async () => {
    const shop = await here.organisation()
    const readme = await readFile(join(client, 'README.md'), 'utf8')
    const blocks = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, text]) => text!)
    assert.ok(blocks.length >= 6)
    for (const [index, block] of blocks.entries()) {
      const file = join(folder, `readme-${index}.js`)
      await writeFile(file, block)
      await numberAll(sequencer, shop.orgId) // there is no worker here
      await runFile(node, [file], settingsFor(shop))
    }
  })
}

test('every example can be taken in at a glance', async () => {
  for (const name of globSync('*.js', { cwd: join(client, 'examples') }))
    assert.ok((await readFile(join(client, 'examples', name), 'utf8')).split('\n').length <= 60, name)
})

/** An example that serves, on a port of its own. */
async function startExample(name: string, settings: Record<string, string>) {
  const port = await freePort()
  const options = { args: [join(folder, 'examples', name)], environment: { ...settings, PORT: port }, ready: /^http:/m }
  const program = await startProgram(process.execPath, options)
  after(() => program.stop())
  return { program, url: `http://127.0.0.1:${port}/` }
}

test('the booking form books once, and knows who was here before', async () => {
  const shop = await here.organisation()
  const { url } = await startExample('booking-form.js', settingsFor(shop))
  const open = async () => /name="booking" value="([\w-]+)"/.exec(await (await fetch(url)).text())![1]!
  const send = (booking: string, problem = 'Does not drain', email = 'amara@okafor.example') =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ booking, name: 'Amara', email, problem }) })
  const booking = await open()
  const answers = await Promise.all([send(booking), send(booking)].map(async (answer) => (await answer).text()))
  assert.equal(new Set(answers.map((text) => /number is (\S+)\./.exec(text)?.[1])).size, 1, answers.join('\n'))
  await send(await open(), 'New screen')
  assert.equal((await send(await open(), 'Lid', 'no address')).status, 400)
  assert.equal((await shop.get('/customers')).body.data.customers.length, 1)
  assert.equal((await shop.get('/tickets')).body.data.tickets.length, 2)
})

test('the spreadsheet is written once and follows what changes', async () => {
  const shop = await here.organisation()
  const { id: customerId } = (await shop.post('/customers', { firstName: 'Amara' })).body.data
  const create = async (serviceRequired: string): Promise<string> =>
    (await shop.post('/tickets', { customerId, serviceRequired })).body.data.id
  const [kept, deleted] = [await create('=Pump'), await create('Screen')]
  const run = async () => {
    await numberAll(sequencer, shop.orgId)
    await runFile(process.execPath, [join('examples', 'sync-to-spreadsheet.js'), 'jobs.csv'], settingsFor(shop))
    return (await readFile(join(folder, 'jobs.csv'), 'utf8')).trim().split('\r\n')
  }
  const first = await run()
  assert.equal(first.length, 3)
  assert.ok(
    first.some((line) => line.includes(`"'=Pump"`)),
    'no formula',
  )
  await shop.delete(`/tickets/${deleted}`)
  await shop.put(`/tickets/${kept}/status`, { status: 'In Progress' })
  await create('Hinge')
  const second = await run()
  assert.equal(second.length, 3)
  assert.match(second.find((line) => line.includes(kept))!, /"In Progress"/)
  assert.ok(!second.some((line) => line.includes(deleted)))
})

test('the receiver takes what is signed, once', async () => {
  const secret = newWebhookSecret()
  const { program, url } = await startExample('webhook-receiver.js', { WEBHOOK_SECRET: secret })
  const send = async (id: string, secrets: string[]) => {
    const body = JSON.stringify({ id, type: 'ticket.created', recordId: `for ${id}` })
    return (await postEvent(createDestinations(['127.0.0.0/8']), { url, secrets, eventId: id, body })).attempt
      .statusCode
  }
  const statuses = [
    await send('chg_1', [secret]),
    await send('chg_1', [secret]),
    await send('chg_2', [newWebhookSecret()]),
  ]
  assert.deepEqual([...statuses, await send('chg_3', [newWebhookSecret(), secret])], [204, 204, 401, 204])
  await until(() => program.output().includes('for chg_3'))
  assert.deepEqual(program.output().match(/for \w+/g), ['for chg_1', 'for chg_3'])
})

test('the agent reads what is open, and leaves its note', async () => {
  const shop = await here.organisation()
  const { id: customerId } = (await shop.post('/customers', { firstName: 'Amara' })).body.data
  const { id } = (await shop.post('/tickets', { customerId, serviceRequired: 'Pump' })).body.data
  assert.match(await runFile(process.execPath, [join('examples', 'agent.js')], settingsFor(shop)), /left a note on job/)
  const { messages } = (await shop.get(`/tickets/${id}/messages`)).body.data
  assert.ok(messages.some(({ text }: { text: string }) => text.startsWith('Has waited longest')))
})
