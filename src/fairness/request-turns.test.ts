// Turns to begin: a burst is spread over the event loop's rounds, and whoever makes the rounds slow does less at once while
// others are there.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as soon } from 'node:timers/promises'
import { createRequestTurns } from './request-turns.ts'

describe('a burst', () => {
  test('begins a few at a time, in order, and somebody else at once', async () => {
    const turns = createRequestTurns(() => 0, 4)
    const begun: number[] = []
    for (let n = 0; n < 50; n++) {
      const turn = turns.enter('many', 'key')
      if (turn) turn.then(() => begun.push(n))
      else begun.push(n)
    }
    assert.equal(begun.length, 16)
    await soon()
    await soon()
    assert.ok(begun.length < 50, 'not all of them in one round')
    assert.equal(turns.enter('few', 'key'), undefined)
    for (let rounds = 0; rounds < 100 && begun.length < 50; rounds++) {
      turns.leave('many', 0)
      await soon()
    }
    assert.deepEqual(
      begun,
      Array.from({ length: 50 }, (_, n) => n),
    )
  })

  test('is over once, and everybody begins at once again', async () => {
    const turns = createRequestTurns(() => 0, 4)
    for (let n = 0; n < 16; n++) assert.equal(turns.enter('one', 'key'), undefined)
    await soon()
    await soon()
    assert.equal(turns.enter('one', 'key'), undefined)
  })
})

test('of those who wait for their organisation each credential has its turn', async () => {
  const turns = createRequestTurns(() => 0, 4)
  const begun: string[] = []
  for (let n = 0; n < 22; n++) turns.enter('shop', 'program')?.then(() => begun.push('program'))
  for (const person of ['counter', 'owner']) turns.enter('shop', person)!.then(() => begun.push(person))
  for (let rounds = 0; rounds < 100 && begun.length < 8; rounds++) await soon()
  assert.deepEqual(begun.slice(0, 4), ['program', 'counter', 'owner', 'program'])
})

describe('beside somebody else', () => {
  const isBegun = (turn: Promise<void> | undefined) => turn === undefined
  function burst(turns: ReturnType<typeof createRequestTurns>, count: number) {
    return Array.from({ length: count }, () => turns.enter('many', 'key'))
  }

  for (const [cores, most] of [
    [1, 2],
    [2, 2],
    [3, 3],
    [64, 4],
  ] as const)
    test(`with ${cores} cores a burst begins with a few, and goes on when fewer than ${most} are under way`, async () => {
      const turns = createRequestTurns(() => 0, cores)
      turns.enter('few', 'key')
      const turnsOfBurst = burst(turns, 50)
      const begun = turnsOfBurst.filter(isBegun).length
      assert.equal(begun, 9, 'by chance nobody has more')
      let later = 0
      for (const turn of turnsOfBurst) turn?.then(() => later++)
      for (let left = begun; left > most; left--) {
        turns.leave('many', 0)
        await soon()
        await soon()
      }
      assert.equal(later, 0)
      turns.leave('many', 0)
      await soon()
      await soon()
      assert.equal(later, 1)
    })

  test('what waits of a burst stays behind while others come, also when it asks for nothing more', async () => {
    const clock = { now: 5_000 }
    const turns = createRequestTurns(() => clock.now, 4)
    turns.enter('few', 'key')
    let later = 0
    for (const turn of burst(turns, 50)) turn?.then(() => later++)
    for (let n = 0; n < 15; n++) {
      clock.now += 100
      turns.enter('few', 'key')
      await soon()
      await soon()
    }
    assert.ok(later <= 15, `${later} have begun, one in a tenth of a second is allowed`)
  })

  test('who had long requests rests, a tenth of a second at most; who had short ones does not', async () => {
    const begunAfter = async (tookMs: number, restedMs: number, long = 9) => {
      const clock = { now: 5_000 }
      const turns = createRequestTurns(() => clock.now, 4)
      turns.enter('few', 'key')
      const turnsOfBurst = burst(turns, 20)
      let later = 0
      for (const turn of turnsOfBurst) turn?.then(() => later++)
      clock.now += tookMs
      const begun = turnsOfBurst.filter(isBegun).length
      for (let n = 0; n < begun; n++) turns.leave('many', n < long ? 5_000 : clock.now)
      clock.now += restedMs
      await soon()
      await soon()
      return later
    }
    assert.ok((await begunAfter(5, 0)) > 1)
    assert.equal(await begunAfter(40, 0), 0)
    assert.equal(await begunAfter(40, 59), 0)
    assert.equal(await begunAfter(40, 60), 1)
    assert.equal(await begunAfter(20, 35, 1), 0)
    assert.equal(await begunAfter(20, 36, 1), 1)
  })

  test('a rest ends by itself', async () => {
    const turns = createRequestTurns()
    turns.enter('few', 'key')
    const turnsOfBurst = burst(turns, 20)
    const next = turnsOfBurst.find((turn) => turn !== undefined)
    for (const turn of turnsOfBurst) if (isBegun(turn)) turns.leave('many', performance.now() - 20)
    await next
  })

  test('nobody rests who has as many at once', async () => {
    const clock = { now: 5_000 }
    const turns = createRequestTurns(() => clock.now, 4)
    for (let n = 0; n < 9; n++) turns.enter(`other ${n}`, 'key')
    turns.enter('many', 'key')
    clock.now += 50
    turns.leave('many', 5_000)
    assert.equal(turns.enter('many', 'key'), undefined)
  })

  test('nobody rests who has a few of many requests, though more than each of the others', async () => {
    const clock = { now: 5_000 }
    const turns = createRequestTurns(() => clock.now, 4)
    for (let n = 0; n < 9; n++) turns.enter(`other ${n}`, 'key')
    for (let n = 0; n < 4; n++) turns.enter('more', 'key')
    clock.now += 1_000 // long enough for the average to be what it is
    for (let n = 0; n < 4; n++) turns.enter(`other ${n}`, 'key')
    for (let n = 0; n < 4; n++) turns.leave('more', 5_000)
    for (let n = 0; n < 4; n++) turns.enter('more', 'key')
    clock.now += 20
    turns.leave('more', clock.now - 20)
    assert.equal(turns.enter('more', 'key'), undefined)
  })

  test('nobody is held back who has as many at once', async () => {
    const turns = createRequestTurns(() => 0, 4)
    for (let n = 0; n < 9; n++) assert.equal(turns.enter(`other ${n}`, 'key'), undefined)
    assert.equal(burst(turns, 9).filter(isBegun).length, 9)
  })
})

describe('after a slow round of the event loop', () => {
  /** Somebody has `running` requests under way for some time, a round was slow, and somebody else may be there. */
  async function slow({ running, isShared }: { running: number; isShared: boolean }) {
    const clock = { now: 5_000 }
    const turns = createRequestTurns(() => clock.now, 4)
    if (isShared) {
      turns.enter('other', 'key')
      turns.leave('other', clock.now)
    }
    for (let n = 1; n < running; n++) turns.enter('busy', 'key')
    clock.now += 150
    turns.enter('busy', 'key')
    clock.now += 20
    await soon()
    await soon()
    return { turns, clock }
  }
  /** How many of ten begin by themselves, without anybody leaving. */
  function beginOfTen(turns: ReturnType<typeof createRequestTurns>): number {
    return Array.from({ length: 10 }, () => turns.enter('busy', 'key')).filter((turn) => turn === undefined).length
  }

  test('a tenant with several under way begins no other while somebody else is there', async () => {
    const { turns } = await slow({ running: 7, isShared: true })
    assert.equal(beginOfTen(turns), 0)
    assert.equal(turns.enter('other', 'key'), undefined, 'who has none begins')
  })

  test('the next begins when all have ended', async () => {
    const { turns, clock } = await slow({ running: 7, isShared: true })
    let begun = 0
    for (let n = 0; n < 10; n++) turns.enter('busy', 'key')!.then(() => begun++)
    await soon()
    for (let left = 6; left >= 0; left--) {
      assert.equal(begun, 0)
      turns.leave('busy', clock.now)
      await soon()
      await soon()
    }
    assert.equal(begun, 1)
  })

  test('nobody is held back who asks for no more than others', async () => {
    const { turns, clock } = await slow({ running: 7, isShared: true })
    const others = Array.from({ length: 9 }, (_, n) => `other ${n}`)
    for (const other of others) for (let n = 0; n < 9; n++) turns.enter(other, 'key')
    clock.now += 500
    await soon()
    await soon()
    assert.equal(beginOfTen(turns), 10)
  })

  test('nobody is held back who asks for little, or has a few more for a moment', async () => {
    const { turns, clock } = await slow({ running: 2, isShared: true })
    for (let n = 0; n < 5; n++) assert.equal(turns.enter('busy', 'key'), undefined)
    clock.now += 5
    for (let n = 0; n < 2; n++) assert.equal(turns.enter('busy', 'key'), undefined)
  })

  test('nobody is held back who is alone', async () => {
    const { turns } = await slow({ running: 7, isShared: false })
    assert.equal(beginOfTen(turns), 10)
  })

  test('nobody is held back when the others have been gone for a second', async () => {
    const { turns, clock } = await slow({ running: 7, isShared: true })
    clock.now += 1_001
    assert.equal(beginOfTen(turns), 10)
  })

  test('each second without another allows one more', async () => {
    const begunAfter = async (ms: number) => {
      const { turns, clock } = await slow({ running: 3, isShared: true })
      clock.now += ms
      turns.enter('other', 'key')
      turns.enter('busy', 'key') // begins by its patience; from here on the clock stands still, and only how many are under way decides
      let begun = 0
      turns.enter('busy', 'key')!.then(() => begun++)
      turns.leave('busy', clock.now)
      await soon()
      await soon()
      return begun
    }
    assert.equal(await begunAfter(1_500), 0)
    assert.equal(await begunAfter(3_500), 1)
  })

  test('whoever waits for a long request of its own begins another after a tenth of a second', async () => {
    const { turns, clock } = await slow({ running: 7, isShared: true })
    let begun = 0
    for (let n = 0; n < 3; n++) turns.enter('busy', 'key')!.then(() => begun++)
    await soon()
    assert.equal(begun, 0)
    clock.now += 100
    while (begun === 0) await soon()
    assert.equal(begun, 1, 'one, not all of them')
  })
})
