// What a start has left is given back, once, and not where somebody has come.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { databaseUrl, startService } from '../../test/programs.ts'
import { createOwnDatabase } from '../../test/test-database.ts'
import { collectAfterStart } from './collect-after-start.ts'

/** How often it was collected after a start of which the event loop worked for `busyMs`. */
async function collections(busyMs: number): Promise<number> {
  let collected = 0
  collectAfterStart(() => Promise.resolve(void collected++), 2_000)
  const end = performance.now() + busyMs
  while (performance.now() < end) await nextTurn()
  await delay(3_000)
  return collected
}

test('it happens once, after a start without work, and never where somebody came', async () => {
  assert.equal(await collections(0), 1)
  assert.equal(await collections(500), 0)
})

/** In MB, within ten seconds after the start. */
async function givenBack(url: string): Promise<number> {
  const service = await startService({
    DATABASE_URL: url,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    ROLE: 'rest,auth',
  })
  const heldMb = () => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))![1]) / 1_000
  let most = 0
  for (let looks = 0; looks < 100 && most < heldMb() + 20; looks++) {
    most = Math.max(most, heldMb())
    await delay(100)
  }
  const given = most - heldMb()
  await service.stop()
  return given
}

test('a service holds less after it than when it was ready', {
  skip: process.platform !== 'linux' && 'only Linux tells what a process holds',
}, async () => {
  const url = databaseUrl(await createOwnDatabase())
  let [given, starts] = [0, 0]
  // where other programs take the processor, a start looks like work
  while (given < 20 && starts++ < 5) given = await givenBack(url)
  assert.ok(given >= 20, `it gave back ${given} MB`)
})
