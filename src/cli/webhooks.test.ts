// The commands of webhooks, and the one that forwards events to a developer's machine.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { commandLine } from '../../test/command-line.ts'
import { databaseUrl, startProgram } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { tellEvents } from '../../test/told-events.ts'
import { startWebhookReceiver, until } from '../../test/webhook-receiver.ts'
import { sql } from '../db/database.ts'
import { newWebhookSecret, signatureHeaders } from '../webhooks/signature.ts'

const here = await startTestService()
const settings = {
  DATABASE_URL: databaseUrl(here.connection),
  SECRETS_KEY: here.config.secretsKey![0]!.toString('base64'),
}
const jobwright = commandLine(settings)

test('a webhook is made, listed, tested, rotated, replayed and deleted, and each is in the audit log', async () => {
  const { orgId, ...shop } = await here.organisation()
  const org = ['--org', orgId]
  const made = (
    await jobwright(
      'webhook',
      'create',
      ...org,
      '--url',
      'https://shop.example/hooks',
      '--type',
      'ticket.*',
      '--type',
      'customer.created',
      '--json',
    )
  ).json
  assert.match(made.secret, /^whsec_/)
  assert.deepEqual(
    [made.types, made.createdBy],
    [['ticket.*', 'customer.created'], { kind: 'operator', id: null, name: 'command line' }],
  )
  const webhook = [...org, made.id]
  const listed = (await jobwright('webhook', 'list', ...org, '--json')).json
  assert.deepEqual([listed.webhooks.length, 'secret' in listed.webhooks[0]], [1, false])
  assert.match((await jobwright('webhook', 'list', ...org)).stdout, /https:\/\/shop\.example\/hooks .* works/)
  const tested = (await jobwright('webhook', 'test', ...webhook, '--json')).json
  assert.equal(tested.eventType, 'webhook.test')
  const rotated = (await jobwright('webhook', 'rotate', ...webhook, '--overlap-hours', '1', '--json')).json
  assert.deepEqual(Object.keys(rotated), ['id', 'secret'])
  await tellEvents(here.database, orgId, [{}, {}])
  assert.deepEqual((await jobwright('webhook', 'replay', ...webhook, '--from', '1', '--to', '9', '--json')).json, {
    count: 2,
  })
  assert.deepEqual((await jobwright('webhook', 'replay', ...webhook, '--failed', '--json')).json, { count: 0 })
  const { deliveries } = (await jobwright('webhook', 'deliveries', ...webhook, '--json')).json
  assert.equal(deliveries.length, 3)
  assert.match((await jobwright('webhook', 'deliveries', ...webhook)).stdout, /webhook\.test .* waiting/)
  assert.equal((await jobwright('webhook', 'delete', ...webhook)).code, 0)
  assert.deepEqual((await shop.get('/webhooks')).body.data.webhooks, [])
  const lines = await here.database.query<{ action: string; name: string }>(sql`
    select action, detail ->> 'name' as name from audit_log where org_id = ${orgId} order by at, id`)
  const actions = ['created', 'tested', 'rotated', 'replayed', 'replayed', 'deleted']
  assert.deepEqual(
    lines,
    actions.map((action) => ({ action: `webhook.${action}`, name: 'https://shop.example/hooks' })),
  )
})

test('what is wrong is said of the option that says it', async () => {
  const { orgId } = await here.organisation()
  const org = ['--org', orgId]
  for (const [args, message] of [
    [['webhook', 'create', ...org, '--url', 'http://shop.example/'], /^--url must be https; see/],
    [['webhook', 'create', ...org, '--url', 'https://shop.example/', '--type', 'x.y'], /^--type is no type of event/],
    [['webhook', 'replay', ...org, 'whk_x'], /^--from and --to are required/],
    [['webhook', 'replay', ...org, 'whk_x', '--failed', '--from', '1'], /^--from and --to are required/],
    [['webhook', 'test', ...org, 'whk_x'], /^Webhook not found/],
    [['webhook', 'deliveries', ...org, 'whk_x'], /^Webhook not found/],
    [['webhook', 'rotate', ...org, 'whk_x', '--overlap-hours', '73'], /^--overlap-hours must be at most 72/],
    [['events', 'forward', ...org, '--to', 'ftp://localhost/'], /^--to must be https/],
    [['events', 'forward', ...org, '--to', 'http://localhost/', '--secret', 'short'], /^--secret must be whsec_/],
  ] as const) {
    const { code, stderr } = await jobwright(...args)
    assert.deepEqual([code, message.test(stderr)], [1, true], stderr)
  }
})

test('events are forwarded to a program of the developer, signed, until it is interrupted', async () => {
  const { orgId } = await here.organisation()
  const receiver = await startWebhookReceiver()
  await tellEvents(here.database, orgId, [{}])
  const secret = newWebhookSecret()
  const cli = fileURLToPath(new URL('./jobwright.ts', import.meta.url))
  const args = [cli, 'events', 'forward', '--org', orgId, '--to', receiver.url, '--secret', secret]
  const program = await startProgram(process.execPath, { args, environment: settings, ready: /Events are posted to/ })
  const told = await tellEvents(here.database, orgId, [{}, { type: 'customer.updated' }])
  await receiver.waitFor(2)
  assert.deepEqual(
    receiver.received.map(({ event }) => event.id),
    told.map(({ id }) => id),
    'from now on, in order',
  )
  for (const { headers, text, event } of receiver.received) {
    const now = Number(headers['webhook-timestamp']) * 1_000
    const expected = signatureHeaders([secret], { id: event.id, body: text, now })
    assert.equal(headers['webhook-signature'], expected['webhook-signature'])
  }
  await until(() => /customer\.updated .* 204/.test(program.output()))
  program.signal('SIGINT')
  assert.equal(await program.exited, 0)
  assert.match(program.output(), /2 delivered, 0 not\./)
})
