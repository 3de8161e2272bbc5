// The fair semaphore: bounded, and fair between keys.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as soon } from 'node:timers/promises'
import { createFairSemaphore, SemaphoreFull } from './fair-semaphore.ts'

/** Work that ends on command, and the order in which it began. */
function controlledWork(semaphore: ReturnType<typeof createFairSemaphore>) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  return {
    begun,
    enqueue: (key: string, maxWaitMs?: number) =>
      semaphore
        .run(
          key,
          () => {
            begun.push(key)
            return new Promise<void>((end) => ends.push(end))
          },
          maxWaitMs,
        )
        .then(
          () => 'done',
          (error) => (error instanceof SemaphoreFull ? 'refused' : Promise.reject(error)),
        ),
    async finishAll() {
      for (await soon(); ends.length > 0; await soon()) ends.shift()!()
    },
  }
}

test('no more run at once than may, and no more wait than may: the rest are refused at once', async () => {
  const { begun, enqueue, finishAll } = controlledWork(createFairSemaphore({ maxConcurrent: 2, maxQueued: 3 }))
  const pending = Array.from({ length: 8 }, () => enqueue('one'))
  await soon()
  assert.equal(begun.length, 2)
  await finishAll()
  const outcomes = await Promise.all(pending)
  assert.deepEqual(
    ['done', 'refused'].map((kind) => outcomes.filter((one) => one === kind).length),
    [5, 3],
  )
  assert.equal(begun.length, 5)
})

test('turns go round: who asked once is not behind all of somebody who asked often', async () => {
  const { begun, enqueue, finishAll } = controlledWork(createFairSemaphore({ maxConcurrent: 1, maxQueued: 10 }))
  const pending = [...Array.from({ length: 5 }, () => enqueue('often')), enqueue('once')]
  await finishAll()
  await Promise.all(pending)
  assert.deepEqual(begun, ['often', 'often', 'once', 'often', 'often', 'often'])
})

test('a full queue has a place for who has none, taken from who has most', async () => {
  const { begun, enqueue, finishAll } = controlledWork(createFairSemaphore({ maxConcurrent: 1, maxQueued: 4 }))
  const often = Array.from({ length: 5 }, () => enqueue('often'))
  const once = enqueue('once')
  await finishAll()
  assert.equal(await once, 'done')
  assert.deepEqual(await Promise.all(often), ['done', 'done', 'done', 'done', 'refused'])
  assert.equal(begun.filter((key) => key === 'once').length, 1)
})

test('work that fails gives its turn on', async () => {
  const semaphore = createFairSemaphore({ maxConcurrent: 1, maxQueued: 1 })
  await assert.rejects(
    semaphore.run('one', async () => {
      throw new Error('broken')
    }),
    /broken/,
  )
  assert.equal(await semaphore.run('one', async () => 'whole'), 'whole')
})

test('one key has no more at once than its share, though there is room, and others pass it by', async () => {
  const { begun, enqueue, finishAll } = controlledWork(
    createFairSemaphore({ maxConcurrent: 3, maxPerKey: 2, maxQueued: 10 }),
  )
  const pending = [...Array.from({ length: 4 }, () => enqueue('often')), enqueue('once')]
  await soon()
  assert.deepEqual(begun, ['often', 'often', 'once'])
  await finishAll()
  assert.deepEqual(await Promise.all(pending), Array(5).fill('done'))
})

test('who waits too long is refused, and leaves the queue to the others', { timeout: 5_000 }, async () => {
  const semaphore = createFairSemaphore({ maxConcurrent: 1, maxQueued: 10 })
  const { enqueue, finishAll } = controlledWork(semaphore)
  const first = enqueue('one')
  assert.equal(await enqueue('other', 20), 'refused')
  assert.deepEqual(semaphore.metrics(), { running: 1, waiting: 0 })
  await finishAll()
  assert.equal(await first, 'done')
  const next = enqueue('other')
  await finishAll()
  assert.equal(await next, 'done')
})

test('a key that rests begins nothing of its own, others do, and afterwards it goes on', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const semaphore = createFairSemaphore({ maxConcurrent: 1, maxPerKey: 1, maxQueued: 5 })
  const begun: string[] = []
  const run = (key: string, restMs: number) =>
    semaphore.run(key, async (rest) => {
      begun.push(key)
      rest(restMs)
    })
  const pending = [run('long', 500), run('long', 500), run('short', 0), run('short', 0)]
  await soon()
  await soon()
  assert.deepEqual(begun, ['long', 'short', 'short'])
  context.mock.timers.tick(499)
  await soon()
  assert.equal(begun.length, 3)
  context.mock.timers.tick(1)
  await Promise.all(pending)
  assert.deepEqual(begun, ['long', 'short', 'short', 'long'])
  assert.deepEqual(semaphore.metrics(), { running: 0, waiting: 0 })
})
