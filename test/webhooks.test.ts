// From a change over REST to a receiver: a whole service, as operators start it, and one that is killed.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { Database } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { createKey } from '../src/identity/keys.ts'
import { createOrganisation } from '../src/identity/organisations.ts'
import { scopeCatalogue } from '../src/resources/index.ts'
import { databaseUrl, type ServerProcess, startService } from './programs.ts'
import { createSecondDatabase } from './test-database.ts'
import { startTestService } from './test-service.ts'
import { startWebhookReceiver, until } from './webhook-receiver.ts'

const connection = await createSecondDatabase(await startTestService())
const settings = {
  DATABASE_URL: databaseUrl(connection),
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  RATE_LIMIT_STORE: 'memory',
  RATE_LIMIT_PER_MINUTE: '1000000',
  WEBHOOK_PRIVATE_NETWORKS: '127.0.0.0/8',
}

test('every change arrives, signed and in the order of its record, also when the service is killed in between', {
  timeout: 180_000,
}, async () => {
  const database = new Database(connection)
  after(() => database.close())
  await migrate(database)
  const { id: orgId } = await createOrganisation(database, { name: 'Harbour Repairs', entitlement: 'pro' })
  const { key } = await createKey(database, orgId, { scopes: ['full'] }, scopeCatalogue)
  const receiver = await startWebhookReceiver()
  let service: ServerProcess = await startService(settings)
  after(() => service.stop())
  const call = async (method: string, path: string, body: object = {}) => {
    const response = await fetch(`${service.origin}/api/v1/organisations/${orgId}${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(method !== 'GET' && { body: JSON.stringify(body) }),
    })
    assert.ok(response.ok, `${method} ${path}: ${response.status}`)
    return ((await response.json()) as { data: Record<string, string> }).data
  }
  const { secret } = await call('POST', '/webhooks', { url: receiver.url, types: ['customer.*'] })

  const ids: string[] = []
  for (let count = 0; count < 20; count++) {
    const { id } = await call('POST', '/customers', { firstName: `Customer ${count}` })
    ids.push(id!)
    await call('PUT', `/customers/${id}`, { phone: `+44${count}` })
    if (count === 10) {
      await receiver.waitFor(1)
      service.signal('SIGKILL')
      await service.exited
      service = await startService(settings)
    }
  }
  const typesOf = (id: string) => {
    const events = receiver.received.map(({ event }) => event).filter(({ recordId }) => recordId === id)
    return [...new Map(events.map((event) => [event.id, event.type])).values()]
  }
  await until(() => ids.every((id) => typesOf(id).length === 2))
  for (const id of ids)
    assert.deepEqual(typesOf(id), ['customer.created', 'customer.updated'], 'each once or more, in order')
  for (const { headers, text, event } of receiver.received)
    assert.deepEqual(new Webhook(secret!).verify(text, headers as Record<string, string>), event)
  // Which of several customers is told first is not promised.
  const isUpdated = ({ event }: { event: { type: string; recordId: string } }) =>
    event.type === 'customer.updated' && event.recordId === ids[0]
  const updated = receiver.received.find(isUpdated)!.event
  assert.deepEqual([updated.changed, updated.previous, updated.data.phone], [['phone'], { phone: null }, '+440'])
})
