// Presence: whoever asks is there for a while, and nobody is beside themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPresence } from './presence.ts'

test('one is alone until somebody else comes, and again a while after they last came', () => {
  const presence = createPresence(1_000)
  for (const at of [0, 1, 2]) presence.note('one', at)
  assert.equal(presence.isBesideOthers('one', 3), false)
  presence.note('other', 10)
  presence.note('one', 20)
  presence.note('one', 900)
  assert.deepEqual([presence.isBesideOthers('one', 1_009), presence.isBesideOthers('one', 1_010)], [true, false])
})

test('whoever has not come yet is beside those who have', () => {
  const presence = createPresence(1_000)
  assert.equal(presence.isBesideOthers('one', 0), false)
  presence.note('other', 0)
  assert.deepEqual([presence.isBesideOthers('one', 999), presence.isBesideOthers('other', 999)], [true, false])
})
