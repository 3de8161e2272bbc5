// A backup of a service at work is the service again: written meanwhile, restored elsewhere, started, everything still there.
import assert from 'node:assert/strict'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Secret, TOTP } from 'otpauth'
import { waitUntil } from '../prove/wait-until.ts'
import { Database, sql } from '../src/db/database.ts'
import { startEmbeddedPostgres } from '../src/db/embedded/launcher.ts'
import { commandLine } from './command-line.ts'
import { type ServerProcess, startService } from './programs.ts'

const workDir = await mkdtemp(join(tmpdir(), 'jobwright-backup-'))
const backup = join(workDir, 'backup.tar.gz')
let server: ServerProcess | undefined
after(async () => {
  await server?.stop()
  await rm(workDir, { recursive: true, force: true, maxRetries: 20 })
})

const start = async (folder: string, settings: Record<string, string> = {}) => {
  server = await startService({ DATA_DIR: join(workDir, folder), RATE_LIMIT_PER_MINUTE: '1000000', ...settings })
  return server
}
const jobwright = (folder: string) => commandLine({ DATA_DIR: join(workDir, folder) })

let shop = { key: '', orgId: '', email: '', password: '', totpSecret: '', customerId: '', keyId: '' }

const call = (path: string, headers: Record<string, string>, body?: object) =>
  fetch(`${server!.origin}${path}`, {
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
const customers = () => `/api/v1/organisations/${shop.orgId}/customers`

async function createCustomer(firstName: string): Promise<string> {
  const made = await call(customers(), { 'x-api-key': shop.key }, { firstName })
  assert.equal(made.status, 201)
  return ((await made.json()) as { data: { id: string } }).data.id
}

/** Rotating a key wants the password and a code of the authenticator app, so the key that encrypted the secret must be right. */
async function rotateKey(): Promise<Response> {
  const { email, password, totpSecret } = shop
  const signedIn = await call('/identity/token', {}, { email, password })
  assert.equal(signedIn.status, 200)
  const { identity_token } = (await signedIn.json()) as { identity_token: string }
  const headers = {
    authorization: `Bearer ${identity_token}`,
    'x-totp-code': new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate(),
  }
  return call(`/api/v1/api-keys/${shop.keyId}/rotate`, headers, {})
}

test('what was acknowledged before a backup began is in it, while others write on', async () => {
  const output = (await start('first')).output()
  const [, key = '', orgId = ''] = /X-API-Key: (\S+)" \S+\/organisations\/(\w+)\/customers/.exec(output) ?? []
  const [, email = '', password = '', totpSecret = ''] =
    /Email +(\S+)\n +Password +(\S+)\n +TOTP secret +(\S+)/.exec(output) ?? []
  const { json } = await jobwright('first')('key', 'list', '--org', orgId, '--json')
  shop = { ...shop, key, orgId, email, password, totpSecret, keyId: json.keys[0].id }
  shop.customerId = await createCustomer('Kept')

  const acknowledged: string[] = []
  let isWriting = true
  const writers = Array.from({ length: 2 }, async (_, writer) => {
    for (let n = 0; isWriting; n++) {
      acknowledged.push(await createCustomer(`Writer ${writer}.${n}`))
      await delay(5)
    }
  })
  while (acknowledged.length < 20) await delay(5)
  const before = [...acknowledged]
  const made = await jobwright('first')('backup', backup, '--json')
  isWriting = false
  await Promise.all(writers)
  assert.equal(made.code, 0, made.stderr)
  assert.ok(acknowledged.length > before.length, 'somebody wrote meanwhile')

  const verified = await jobwright('first')('backup', '--verify', backup, '--json')
  assert.deepEqual([verified.code, verified.json.differing], [0, []], verified.stderr)
  assert.equal(await server!.stop(), 0)

  assert.equal((await jobwright('second')('restore', backup, '--json')).json.key, 'missing')
  await start('second')
  const { connection } = await startEmbeddedPostgres({ dataDir: join(workDir, 'second'), mode: 'join' })
  const database = new Database(connection)
  try {
    const rows = await database.query<{ id: string }>(sql`select id from customers where org_id = ${shop.orgId}`)
    const found = new Set(rows.map(({ id }) => id))
    assert.deepEqual(
      [...before, shop.customerId].filter((id) => !found.has(id)),
      [],
    )
    assert.deepEqual(await brokenReferences(database), [])
    const gaps = await database.query(sql`
      select org_id from events join event_counters using (org_id) group by org_id, event_counters.position
      having count(*) <> max(events.position) - min(events.position) + 1 or max(events.position) <> event_counters.position`)
    assert.deepEqual(gaps, [])
  } finally {
    await database.close()
  }
})

/** Foreign keys that a row does not hold, asked anew: the database itself takes them for granted. */
async function brokenReferences(database: Database): Promise<string[]> {
  const keys = await database.query<{ name: string; query: string }>(sql`
    select conname as name, format('select 1 from %s as child where %s and not exists (select from %s as parent where %s) limit 1',
      conrelid::regclass,
      (select string_agg(format('child.%I is not null', child.attname), ' and ') from unnest(conkey) as part
        join pg_attribute child on child.attrelid = conrelid and child.attnum = part),
      confrelid::regclass,
      (select string_agg(format('child.%I = parent.%I', child.attname, parent.attname), ' and ')
        from unnest(conkey, confkey) as part (one, other)
        join pg_attribute child on child.attrelid = conrelid and child.attnum = one
        join pg_attribute parent on parent.attrelid = confrelid and parent.attnum = other)) as query
    from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`)
  assert.ok(keys.length > 20)
  const broken: string[] = []
  for (const { name, query } of keys)
    if ((await database.query({ text: query, values: [], isOneOff: true })).length > 0) broken.push(name)
  return broken
}

test('without secrets.key the data and the keys are there, and the second factors are lost', async () => {
  assert.equal((await call(`${customers()}/${shop.customerId}`, { 'x-api-key': shop.key })).status, 200)
  const refused = await rotateKey()
  assert.ok(refused.status >= 400, String(refused.status))
  assert.equal(await server!.stop(), 0)
})

test('with it they go on, and a service that has a folder for it backs itself up', async () => {
  await copyFile(join(workDir, 'first', 'secrets.key'), join(workDir, 'second', 'secrets.key'))
  const backupDir = join(workDir, 'daily')
  await start('second', { BACKUP_DIR: backupDir, BACKUP_WAL: 'on' })
  assert.equal((await call(`${customers()}/${shop.customerId}`, { 'x-api-key': shop.key })).status, 200)
  assert.equal((await rotateKey()).status, 200)
  const isBackedUp = async () => {
    const metrics = await (await fetch(`${server!.origin}/metrics`)).text()
    return /^jobwright_backup_last_seconds \d{10}$/m.test(metrics)
  }
  await waitUntil(isBackedUp, 'a backup', 120_000)
  assert.equal(await server!.stop(), 0)
  const names = await readdir(backupDir)
  assert.deepEqual(names.map((name) => name.replace(/\d{4}-.*Z/, '…')).sort(), ['jobwright-….tar.gz', 'wal'])
})
