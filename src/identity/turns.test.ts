// Turns at costly work: bounded, and fair between those who ask.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as soon } from 'node:timers/promises'
import { NoTurn, turns } from './turns.ts'

/** Work that ends when it is told to, and the order in which it began. */
function workshop(queue: ReturnType<typeof turns>) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  return {
    begun,
    ask: (who: string) =>
      queue
        .take(who, () => {
          begun.push(who)
          return new Promise<void>((end) => ends.push(end))
        })
        .then(
          () => 'done',
          (error) => (error instanceof NoTurn ? 'refused' : Promise.reject(error)),
        ),
    async finishAll() {
      for (await soon(); ends.length > 0; await soon()) ends.shift()!()
    },
  }
}

test('no more run at once than may, and no more wait than may: the rest are refused at once', async () => {
  const { begun, ask, finishAll } = workshop(turns({ atOnce: 2, waiting: 3 }))
  const asked = Array.from({ length: 8 }, () => ask('one'))
  await soon()
  assert.equal(begun.length, 2)
  await finishAll()
  const outcomes = await Promise.all(asked)
  assert.deepEqual(
    ['done', 'refused'].map((kind) => outcomes.filter((one) => one === kind).length),
    [5, 3],
  )
  assert.equal(begun.length, 5)
})

test('turns go round: who asked once is not behind all of somebody who asked often', async () => {
  const { begun, ask, finishAll } = workshop(turns({ atOnce: 1, waiting: 10 }))
  const asked = [...Array.from({ length: 5 }, () => ask('often')), ask('once')]
  await finishAll()
  await Promise.all(asked)
  assert.deepEqual(begun, ['often', 'often', 'once', 'often', 'often', 'often'])
})

test('a full queue has a place for who has none, taken from who has most', async () => {
  const { begun, ask, finishAll } = workshop(turns({ atOnce: 1, waiting: 4 }))
  const often = Array.from({ length: 5 }, () => ask('often'))
  const once = ask('once')
  await finishAll()
  assert.equal(await once, 'done')
  assert.deepEqual(await Promise.all(often), ['done', 'done', 'done', 'done', 'refused'])
  assert.equal(begun.filter((who) => who === 'once').length, 1)
})

test('work that fails gives its turn on', async () => {
  const queue = turns({ atOnce: 1, waiting: 1 })
  await assert.rejects(
    queue.take('one', async () => {
      throw new Error('broken')
    }),
    /broken/,
  )
  assert.equal(await queue.take('one', async () => 'whole'), 'whole')
})
