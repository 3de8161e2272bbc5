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
import { createSecondDatabase } from '../../test/test-database.ts'
import { startTestService, type TestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { fillDemo } from '../demo/demo.ts'
import { createVault } from '../identity/secrets.ts'
import { exportOrganisation } from './export.ts'

const folder = mkdtempSync(join(tmpdir(), 'jobwright-streams-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const here = await startTestService()
const there = await startTestService({}, {}, await createSecondDatabase(here))
const settings = (of: TestService) => ({
  ...settingsFor(of),
  SECRETS_KEY: here.config.secretsKey![0]!.toString('base64'),
})
const ours = commandLine(settings(here))
const theirs = commandLine(settings(there))
const createFilledShop = async () => {
  const shop = await here.organisation()
  await here.database.transaction('test', (transaction) => fillDemo(transaction, shop.orgId))
  return shop
}
const file = fileURLToPath(new URL('../cli/jobwright.ts', import.meta.url))
const startCli = (of: TestService, ...words: string[]): ChildProcess =>
  spawn(process.execPath, [file, ...words], { cwd: folder, env: { PATH: process.env.PATH, ...settings(of) } })

test('what is written while the shop works is what it had at one moment', async () => {
  const shop = await createFilledShop()
  const vault = await createVault(here.config)
  const text = await here.database.longTransaction('read only', async (transaction) => {
    let all = ''
    let later = 0
    for await (const piece of exportOrganisation(transaction, { orgId: shop.orgId, vault, onProgress() {} })) {
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
  const importResult = await theirs('import', name, '--json')
  assert.equal(importResult.code, 0, importResult.stderr)
})

test('one program can write what the other reads', async () => {
  const { orgId } = await createFilledShop()
  const writing = startCli(here, 'export', '--org', orgId, '-', '--json')
  const reading = startCli(there, 'import', '-', '--json')
  writing.stdout!.pipe(reading.stdin!)
  const output = { writing: '', reading: '' }
  writing.stderr!.on('data', (text) => {
    output.writing += text
  })
  reading.stdout!.on('data', (text) => {
    output.reading += text
  })
  const [[code], [otherCode]] = await Promise.all([once(writing, 'close'), once(reading, 'close')])
  assert.deepEqual([code, otherCode], [0, 0], output.writing)
  const result = JSON.parse(output.writing.trimEnd().split('\n').at(-1)!)
  assert.deepEqual(JSON.parse(output.reading).records, result.records)
})

test('an import that is killed leaves nothing, and can be begun again', async () => {
  const { orgId } = await createFilledShop()
  const name = join(folder, 'killed.jsonl')
  assert.equal((await ours('export', '--org', orgId, name)).code, 0)
  const whole = readFileSync(name)
  const killed = startCli(there, 'import', '-')
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
  const { orgId } = await createFilledShop()
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
