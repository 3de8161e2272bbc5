// Webhooks in the portal: what each form does, that it is audited, and that nobody sees those of others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberAll, testSequencer } from '../../test/events.ts'
import { signIntoPortal } from '../../test/portal.ts'
import { startTestService } from '../../test/test-service.ts'
import { tellEvents } from '../../test/told-events.ts'
import { person } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { eventCatalogue } from '../resources/index.ts'
import { patternSentence, typeGroups, typeSentence } from './webhook-types.ts'

const here = await startTestService()
const { database } = here
const url = 'https://shop.example/hooks'
const secretIn = (text: string) => /whsec_[A-Za-z0-9+/]{43}=/.exec(text)?.[0]

test('an admin makes, changes, pauses, tests, rotates, replays and deletes a webhook, and all of it is written down', async () => {
  const shop = await here.organisation()
  await numberAll(await testSequencer(here), shop.orgId) // what its making changed is not what the webhook is told
  const admin = await signIntoPortal(here, shop.orgId)
  const form = await admin.open('/webhooks/new')
  assert.match(form.text, /A job gets another status/)
  const chosen = { url, description: 'Web shop', what: 'chosen', type: ['ticket.*', 'invoice.paid'] }
  const made = await admin.submit(form, '/webhooks', chosen)
  const secret = secretIn(made.text)
  assert.ok(secret)
  const read = async () => (await shop.get('/webhooks')).body.data.webhooks[0]
  const { id, types, description, createdBy } = await read()
  assert.deepEqual(
    [types, description, createdBy],
    [['ticket.*', 'invoice.paid'], 'Web shop', { kind: 'member', id: admin.who.memberId, name: 'Ann' }],
  )
  assert.match((await admin.open('/webhooks')).text, /Anything about a job; An invoice is paid/)
  const page = () => admin.open(`/webhooks/${id}`)
  assert.equal(secretIn((await page()).text), undefined, 'the secret is shown once')

  const changed = { url: 'https://shop.example/other', description: '', what: 'everything' }
  await admin.submit(await admin.open(`/webhooks/${id}/change`), `/webhooks/${id}/change`, changed)
  assert.deepEqual([(await read()).url, (await read()).types, (await read()).description], [changed.url, ['*'], null])
  await admin.submit(await page(), `/webhooks/${id}/pause`)
  assert.equal((await read()).pausedReason, 'manual')
  assert.match((await page()).text, /Somebody paused it/)
  await admin.submit(await page(), `/webhooks/${id}/resume`)
  assert.equal((await read()).isPaused, false)
  const tested = await admin.submit(await page(), `/webhooks/${id}/test`)
  assert.match(tested.text, /A webhook is tested/)
  const rotated = await admin.submit(await page(), `/webhooks/${id}/rotate`, { overlap: '1' })
  assert.notEqual(secretIn(rotated.text), secret)
  assert.match(rotated.text, /another hour/)
  const [from, to] = (await tellEvents(database, shop.orgId, [{}, {}])).map(({ position }) => String(position))
  await admin.submit(await page(), `/webhooks/${id}/replay`, { which: 'positions', from: from!, to: to! })
  await admin.submit(await page(), `/webhooks/${id}/replay`, { which: 'failed', from: '', to: '' })
  const wrong = await admin.submit(await page(), `/webhooks/${id}/replay`, { which: 'positions', from: '2', to: '1' })
  assert.deepEqual([wrong.status, /to must not be before from/.test(wrong.text)], [400, true])

  const [delivery] = (await shop.get(`/webhooks/${id}/deliveries`)).body.data.deliveries
  await database.query(sql`
    update webhook_deliveries set status = 'failed', next_attempt_at = null, attempts = ${JSON.stringify([
      { at: new Date().toISOString(), statusCode: 503, durationMs: 12, response: '<b>busy</b>', error: null },
    ])}::jsonb where id = ${delivery.id}`)
  const shown = await admin.open(`/webhooks/${id}/deliveries/${delivery.id}`)
  assert.match(shown.text, /Answered 503/)
  assert.match(shown.text, /&lt;b&gt;busy/)
  assert.match(shown.text, /&quot;firstName&quot;: &quot;Amara&quot;/, 'what was sent')
  await admin.submit(shown, `/webhooks/${id}/deliveries/${delivery.id}/retry`)
  const [retried] = (await shop.get(`/webhooks/${id}/deliveries`)).body.data.deliveries
  assert.equal(retried.status, 'waiting')
  await admin.submit(await admin.open(`/webhooks/${id}/delete`), `/webhooks/${id}/delete`)
  assert.deepEqual((await shop.get('/webhooks')).body.data.webhooks, [])

  const lines = await database.query<{ action: string; text: string }>(sql`
    select action, detail::text as text from audit_log where org_id = ${shop.orgId} order by at, id`)
  const done = [
    'created',
    'changed',
    'paused',
    'resumed',
    'tested',
    'rotated',
    'replayed',
    'replayed',
    'retried',
    'deleted',
  ]
  assert.deepEqual(
    lines.map(({ action }) => action),
    done.map((action) => `webhook.${action}`),
  )
  assert.ok(lines.every(({ text }) => !text.includes('whsec_')))
  assert.match(
    (await admin.open('/audit')).text,
    /Ann<\/strong> made the webhook to <strong>https:\/\/shop\.example\/hooks/,
  )
})

test('what is wrong is said where it was filled in', async () => {
  const shop = await here.organisation()
  const admin = await signIntoPortal(here, shop.orgId)
  for (const [fields, message] of [
    [{ url: 'http://shop.example/', what: 'everything' }, /url must be https/],
    [{ url: 'https://127.0.0.1/', what: 'everything' }, /not public/],
    [{ url, what: 'chosen' }, /Tick at least one/],
    [{ url, what: 'chosen', type: 'nothing.*' }, /types\[0\] is no type of event/],
  ] as const) {
    const { status, text } = await admin.post('/webhooks', fields)
    assert.deepEqual([status, message.test(text)], [400, true], text.slice(0, 2_000))
  }
  for (let count = 0; count < 20; count++) await shop.post('/webhooks', { url })
  const full = await admin.post('/webhooks', { url, what: 'everything' })
  assert.deepEqual([full.status, /at most 20 webhooks/.test(full.text)], [400, true])
})

test('webhooks of another organisation are not there, and technicians have none', async () => {
  const [mine, theirs] = [await here.organisation(), await here.organisation()]
  const admin = await signIntoPortal(here, mine.orgId)
  const { id } = (await theirs.post('/webhooks', { url })).body.data
  const { id: delivery } = (await theirs.post(`/webhooks/${id}/test`)).body.data
  for (const path of ['', '/change', '/delete', `/deliveries/${delivery}`])
    assert.equal((await admin.open(`/webhooks/${id}${path}`)).status, 404, path)
  for (const path of ['change', 'pause', 'rotate', 'test', 'replay', 'delete', `deliveries/${delivery}/retry`])
    assert.equal((await admin.post(`/webhooks/${id}/${path}`, { url, which: 'failed' })).status, 404, path)
  const { id: own } = (await mine.post('/webhooks', { url })).body.data
  assert.equal((await admin.open(`/webhooks/${own}/deliveries/${delivery}`)).status, 404)
  assert.equal((await admin.post(`/webhooks/${own}/deliveries/${delivery}/retry`)).status, 404)
  const technician = await signIntoPortal(here, mine.orgId, await person(here, mine.orgId, 'technician'))
  assert.equal((await technician.open('/webhooks')).status, 403)
})

test('every type of event can be chosen, in words', () => {
  const listed = typeGroups.flatMap(({ types }) => types)
  for (const { type } of eventCatalogue.types) assert.ok(listed.includes(type), type)
  for (const type of listed) assert.match(patternSentence(type), /^[A-Z][a-z]*( [a-z]+)+$/, type)
  assert.equal(typeSentence('ticket.status_changed'), 'A job gets another status')
  assert.equal(typeSentence('invoice.paid'), 'An invoice is paid')
  assert.equal(patternSentence('inventory_item.*'), 'Anything about an inventory item')
})
