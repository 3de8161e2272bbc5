// Several servers in one address: which are named, which is used, and what is said where none can be written to.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSecondDatabase } from '../../test/test-database.ts'
import { startTestService } from '../../test/test-service.ts'
import { databaseUrl, serverAddresses } from '../config/database-url.ts'
import { Database, sql, Unavailable } from './database.ts'
import { listen } from './listen.ts'

const here = await startTestService()

interface Place {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
}
const place = here.connection as Place
const hostOf = ({ host, port }: Place) => `${encodeURIComponent(host)}:${port}`
const nobody = '127.0.0.1:1'
const urlOf = (hosts: readonly string[], { user, database }: Place = place) =>
  `postgres://${user}@${hosts.join()}/${database}`

test('each host of an address has an address of its own, with all that the others have', () => {
  for (const [url, addresses] of [
    ['postgres://a/db', ['postgres://a/db']],
    ['postgres://u:p%2C@a:1,b,[::1]:3/db?x=1', ['a:1', 'b', '[::1]:3'].map((at) => `postgres://u:p%2C@${at}/db?x=1`)],
    ['postgresql://a:1,b:2/db', ['postgresql://a:1/db', 'postgresql://b:2/db']],
    ['postgres://u@/db?host=/run/a', ['postgres://u@/db?host=/run/a']],
    [
      'postgres://u@/db?host=/a,/b&port=1,2&sslmode=disable',
      ['a&port=1', 'b&port=2'].map((at) => `postgres://u@/db?host=%2F${at}&sslmode=disable`),
    ],
    ['postgres://u@/db?host=/a,/b', ['a', 'b'].map((at) => `postgres://u@/db?host=%2F${at}`)],
    ['postgres://u@/db?port=7&host=a,b', ['a', 'b'].map((at) => `postgres://u@/db?port=7&host=${at}`)],
  ] as const)
    assert.deepEqual(serverAddresses(url), addresses, url)
})

test('an address with several hosts is a setting like any other, and wrong ones are refused in words', () => {
  for (const url of ['postgres://u@a:1,b:2/db?target_session_attrs=read-write', 'postgres://u@/db?host=/a,/b'])
    assert.equal(databaseUrl(url), url)
  for (const [url, refusal] of [
    ['mysql://a,b/db', /^must be a postgres:\/\/ address$/],
    ['postgres://u@a:1,b:none/db', /^must be a postgres:\/\/ address$/],
    ['postgres://u@/db?host=a,b,c&port=1,2', /^names 3 hosts and 2 ports/],
    ['postgres://a,b/db?target_session_attrs=any', /^may have target_session_attrs=read-write or primary/],
  ] as const)
    assert.throws(() => databaseUrl(url), { message: refusal })
})

test('the server that answers is used for statements, transactions and notifications, wherever it stands', async () => {
  for (const hosts of [
    [nobody, hostOf(place)],
    [hostOf(place), nobody],
  ]) {
    const database = new Database({ connectionString: urlOf(hosts) })
    const one = sql`select 1 as one`
    assert.deepEqual(await database.query(one), [{ one: 1 }])
    assert.deepEqual(await database.write('test', one), [{ one: 1 }])
    assert.deepEqual(await database.transaction('test', (transaction) => transaction.query(one)), [{ one: 1 }])
    const { promise: heard, resolve } = Promise.withResolvers<string>()
    const subscription = listen(database, {
      channels: { servers_test: resolve },
      connected: () => void database.notify('servers_test', 'told'),
      disconnected: () => {},
    })
    assert.equal(await heard, 'told')
    await subscription.close()
    const states = (await database.servers.look()).map(({ state }) => state)
    assert.deepEqual(states, hosts[0] === nobody ? ['away', 'writable'] : ['writable', 'away'])
    await database.close()
  }
})

test('a server that takes no writes is not used, and each that could not be is named', async () => {
  const second = (await createSecondDatabase(here)) as Place
  const owner = await here.database.connect()
  await owner.query(`alter database ${second.database} set default_transaction_read_only = on`)
  await owner.end()
  const database = new Database({ connectionString: urlOf([nobody, hostOf(second)], second) })
  await assert.rejects(database.query(sql`select 1`), (error) => {
    assert.ok(error instanceof Unavailable)
    const { message } = error.cause as Error
    assert.match(message, /^127\.0\.0\.1:1: connect ECONNREFUSED .*; \S+: it is set to read-only transactions$/)
    return true
  })
  assert.deepEqual(
    (await database.servers.look()).map(({ state }) => state),
    ['away', 'read-only'],
  )
  await database.close()
})

test('a server that ceased to take writes is away, not wrong', async () => {
  const writing = here.database.transaction('test', async (transaction) => {
    await transaction.query(sql`set transaction read only`)
    await transaction.query(sql`delete from organisations where org_id = 'org_nobody'`)
  })
  await assert.rejects(writing, Unavailable)
})
