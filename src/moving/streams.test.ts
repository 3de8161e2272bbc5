// Moving while the shop works, from one program into the other, and through the death of one of them.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { commandLine, settingsFor } from '../../test/command-line.ts'
import { secondDatabase, type World, world } from '../../test/world.ts'
import { sql } from '../database.ts'
import { fillDemo } from '../demo/demo.ts'
import { vaultFrom } from '../identity/secrets.ts'
import { exported } from './export.ts'

const folder = mkdtempSync(join(tmpdir(), 'jobwright-streams-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const here = await world()
const there = await world({}, {}, await secondDatabase(here))
const settings = (of: World) => ({
  ...settingsFor(of),
  SECRETS_KEY: here.config.secretsKey![0]!.toString('base64'),
})
const ours = commandLine(settings(here))
const theirs = commandLine(settings(there))
const filled = async () => {
  const shop = await here.organisation()
  await here.database.transaction((transaction) => fillDemo(transaction, shop.orgId))
  return shop
}
const file = fileURLToPath(new URL('../cli/jobwright.ts', import.meta.url))
const started = (of: World, ...words: string[]): ChildProcess =>
  spawn(process.execPath, [file, ...words], { cwd: folder, env: { PATH: process.env.PATH, ...settings(of) } })

test('what is written while the shop works is what it had at one moment', async () => {
  const shop = await filled()
  const vault = await vaultFrom(here.config)
  const text = await here.database.longTransaction('read only', async (transaction) => {
    let all = ''
    let later = 0
    for await (const piece of exported(transaction, { orgId: shop.orgId, vault, told() {} })) {
      all += piece
      const { id } = (
        await shop.post('/invoices', { customerName: 'Late', lineItems: [{ name: 'Late', unitPrice: 5 }] })
      ).body.data
      assert.equal((await shop.post('/payments', { invoiceId: id, amount: 5 })).status, 201)
      later++
    }
    assert.ok(later > 20)
    return all
  })
  assert.ok(!text.includes('"Late"'))
  const name = join(folder, 'moment.jsonl')
  writeFileSync(name, text)
  const arrived = await theirs('import', name, '--json')
  assert.equal(arrived.code, 0, arrived.stderr)
})

test('one program can write what the other reads', async () => {
  const { orgId } = await filled()
  const writing = started(here, 'export', '--org', orgId, '-', '--json')
  const reading = started(there, 'import', '-', '--json')
  writing.stdout!.pipe(reading.stdin!)
  const said = { writing: '', reading: '' }
  writing.stderr!.on('data', (text) => {
    said.writing += text
  })
  reading.stdout!.on('data', (text) => {
    said.reading += text
  })
  const [[code], [otherCode]] = await Promise.all([once(writing, 'close'), once(reading, 'close')])
  assert.deepEqual([code, otherCode], [0, 0], said.writing)
  const result = JSON.parse(said.writing.trimEnd().split('\n').at(-1)!)
  assert.deepEqual(JSON.parse(said.reading).records, result.records)
})

test('an import that is killed leaves nothing, and can be begun again', async () => {
  const { orgId } = await filled()
  const name = join(folder, 'killed.jsonl')
  assert.equal((await ours('export', '--org', orgId, name)).code, 0)
  const whole = readFileSync(name)
  const killed = started(there, 'import', '-')
  killed.stdin!.on('error', () => {})
  killed.stdin!.write(whole.subarray(0, Math.floor(whole.length * 0.8)))
  await new Promise<void>((begun) => {
    killed.stderr!.on('data', (text) => String(text).includes('tickets') && begun())
  })
  const [during] = await there.database.query<{ count: number }>(sql`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and backend_xid is not null and backend_type = 'client backend'`)
  assert.equal(during!.count, 1, 'it has begun to write')
  killed.kill('SIGKILL')
  assert.equal((await once(killed, 'exit'))[1], 'SIGKILL')
  assert.equal((await theirs('org', 'list')).stdout.includes(orgId), false)
  const again = await theirs('import', name, '--json')
  assert.equal(again.code, 0, again.stderr)
})

test('a file that is there is replaced by a whole one only, and is its owner’s alone', async () => {
  const { orgId } = await filled()
  const name = join(folder, 'kept.jsonl')
  assert.equal((await ours('export', '--org', orgId, name)).code, 0)
  assert.equal(statSync(name).mode & 0o777, 0o600)
  const before = readFileSync(name)
  assert.equal((await ours('export', '--org', 'org_none', name)).code, 1)
  assert.deepEqual(readFileSync(name), before)
  assert.equal((await ours('export', '--org', orgId, join(folder, 'none', 'x.jsonl'))).code, 1)
  assert.equal(existsSync(`${name}.part`), false)
  assert.match((await theirs('import', join(folder, 'none'))).stderr, /none cannot be read: ENOENT/)
})
