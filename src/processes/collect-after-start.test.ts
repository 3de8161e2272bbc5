// What a start has left is given back, once, and not while somebody is there.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { databaseUrl, startService } from '../../test/programs.ts'
import { createOwnDatabase } from '../../test/test-database.ts'
import { collectAfterStart } from './collect-after-start.ts'

test('it waits for a while without work, and happens once', async () => {
  let collected = 0
  let isBusy = true
  const work = () => {
    if (isBusy) setImmediate(work)
  }
  work()
  collectAfterStart(() => Promise.resolve(void collected++), 50)
  await delay(400)
  assert.equal(collected, 0)
  isBusy = false
  for (let looks = 0; collected === 0 && looks < 500; looks++) await delay(20)
  await delay(200)
  assert.equal(collected, 1)
})

test('a service holds less after it than when it was ready', {
  skip: process.platform !== 'linux' && 'only Linux tells what a process holds',
}, async () => {
  const service = await startService({
    DATABASE_URL: databaseUrl(await createOwnDatabase()),
    SECRETS_KEY: randomBytes(32).toString('base64'),
    ROLE: 'rest,auth',
  })
  after(() => service.stop())
  const heldMb = () => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))![1]) / 1_000
  let most = 0
  for (let looks = 0; most < heldMb() + 20; looks++) {
    most = Math.max(most, heldMb())
    assert.ok(looks < 600, `it still holds ${heldMb()} of ${most} MB`)
    await delay(100)
  }
})
