// Rests: a flood of work that nobody waits for leaves room between one piece and the next, and makes nobody else wait.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay, setImmediate as soon } from 'node:timers/promises'
import { createRests } from './rests.ts'

function setup() {
  const rests: { readonly ms: number; end(): void }[] = []
  const { run } = createRests((ms) => new Promise<void>((end) => rests.push({ ms, end })))
  return { run, rests }
}

test('the next of a key begins when the last one has ended and rested three times as long', async () => {
  const { run, rests } = setup()
  const begun: string[] = []
  const first = Promise.withResolvers<void>()
  const startedAt = performance.now()
  const running = run('one', () => {
    begun.push('first')
    return first.promise
  })
  run('one', async () => void begun.push('second'))
  await soon()
  const begunAt = performance.now()
  await delay(20)
  assert.deepEqual(begun, ['first'])
  const tookAtLeast = performance.now() - begunAt
  first.resolve()
  await running
  await soon()
  assert.deepEqual(begun, ['first'], 'it rests')
  assert.equal(rests.length, 1)
  const { ms } = rests[0]!
  assert.ok(ms >= 3 * tookAtLeast && ms <= 3 * (performance.now() - startedAt), `${ms}`)
  rests[0]!.end()
  await soon()
  assert.deepEqual(begun, ['first', 'second'])
})

test('nobody else waits for it', async () => {
  const { run } = setup()
  await run('one', async () => {})
  assert.equal(await run('other', async () => 'done'), 'done')
})

test('what fails has its rest too, and the next begins after it', async () => {
  const { run, rests } = setup()
  await assert.rejects(
    run('one', () => Promise.reject(new Error('broken'))),
    /broken/,
  )
  const next = run('one', async () => 'done')
  rests[0]!.end()
  assert.equal(await next, 'done')
})
