// The guide to events: its receiver is run as it stands there, and takes what the service sends.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createDestinations } from '../src/http/safe-fetch.ts'
import { postEvent } from '../src/webhooks/send.ts'
import { newWebhookSecret } from '../src/webhooks/signature.ts'
import { freePort, startProgram } from './programs.ts'
import { until } from './webhook-receiver.ts'

test('the receiver of the guide takes what is signed with its secret, once, and nothing else', async () => {
  const guide = await readFile(new URL('../docs/events.md', import.meta.url), 'utf8')
  const [, receiver = ''] = /^```js\n(.*?)^```$/ms.exec(guide) ?? []
  assert.ok(receiver.split('\n').length <= 25, 'it can be taken in at a glance')
  const folder = await mkdtemp(join(tmpdir(), 'jobwright-receiver-'))
  after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'receiver.mjs')
  await writeFile(file, receiver)
  const [secret, port] = [newWebhookSecret(), await freePort()]
  const url = `http://127.0.0.1:${port}/`
  const answers = () =>
    fetch(url).then(
      () => true,
      () => false,
    )
  const environment = { WEBHOOK_SECRET: secret, PORT: port }
  const program = await startProgram(process.execPath, { args: [file], environment, ready: answers })
  after(() => program.stop())

  const send = async (id: string, secrets: string[], body = JSON.stringify({ type: 'ticket.created', recordId: id })) =>
    (await postEvent(createDestinations(['127.0.0.0/8']), { url, secrets, eventId: id, body })).attempt.statusCode
  assert.equal(await send('chg_one', [secret]), 204)
  assert.equal(await send('chg_one', [secret]), 204, 'what it has already is taken again')
  assert.equal(await send('chg_two', [newWebhookSecret(), secret]), 204, 'while the secret is being rotated')
  assert.equal(await send('chg_three', [newWebhookSecret()]), 401)
  assert.equal((await fetch(url, { method: 'POST', body: '{}', headers: { 'webhook-signature': 'v1,ü' } })).status, 401)
  await until(() => program.output().includes('chg_two'))
  assert.deepEqual(program.output().trim().split('\n'), ['ticket.created chg_one', 'ticket.created chg_two'])
})
