// A shop that the release before has made, brought up to date: each record reads as it read before.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { Database } from '../src/db/database.ts'
import { migrate, migrationFiles } from '../src/db/migrate.ts'
import { type Answers, findDifferences } from './released.ts'
import { createEmptyDatabase, isOnCitus } from './test-database.ts'
import { startTestService } from './test-service.ts'

interface RecordedShop {
  readonly orgId: string
  readonly secretsKey: string
  readonly rows: Readonly<Record<string, readonly object[]>>
  /** What that release answered. */
  readonly answers: Answers
}
const file = new URL('released-shop.json.gz', import.meta.url)
const recorded: RecordedShop = JSON.parse(gunzipSync(await readFile(file)).toString())
/** Those that it had are as they were then, except for what their comments say. */
const lastReleased = '0010-statistics.sql'

const here = await startTestService()

describe('a shop of the release before', {
  skip: isOnCitus && 'that release had no tables that were distributed',
}, () => {
  let connection: Awaited<ReturnType<typeof createEmptyDatabase>>

  test('goes through all migrations since', async () => {
    connection = await createEmptyDatabase(here)
    const database = new Database(connection)
    after(() => database.close())
    const client = await database.connect()
    await client.query('create table migrations (name text primary key, applied_at timestamptz not null default now())')
    for (const name of (await migrationFiles()).filter((one) => one <= lastReleased)) {
      await client.query(await readFile(new URL(`../migrations/${name}`, import.meta.url), 'utf8'))
      await client.query('insert into migrations (name) values ($1)', [name])
    }
    await client.query('set session_replication_role = replica') // as they are: nothing is computed or checked again
    for (const [table, rows] of Object.entries(recorded.rows)) {
      const columns = Object.keys(rows[0]!).join()
      const text = `insert into ${table} (${columns}) overriding system value select ${columns} from jsonb_populate_recordset(null::${table}, $1)`
      await client.query(text, [JSON.stringify(rows)])
    }
    await client.end()
    assert.deepEqual(
      await migrate(database),
      (await migrationFiles()).filter((one) => one > lastReleased),
    )
  })

  test('reads the same after them', async () => {
    const service = await startTestService({ SECRETS_KEY: recorded.secretsKey }, {}, connection)
    const { key } = await service.client(recorded.orgId)
    const differing: string[] = []
    for (const [path, before] of Object.entries(recorded.answers)) {
      const { status, body } = await service.inject('GET', path, { headers: { 'x-api-key': key } })
      differing.push(
        ...(status === 200 ? findDifferences(before, body.data, path) : [`${path}: ${status} ${body.error}`]),
      )
    }
    assert.ok(Object.keys(recorded.answers).length > 100)
    assert.deepEqual(differing, [])
  })
})
