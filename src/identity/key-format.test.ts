// What a key looks like: a mistyped one is rejected without a lookup.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWellFormedKey, newKey } from './key-format.ts'

test('a key is well formed, and no longer once any one character of it is another', () => {
  const key = newKey()
  assert.ok(isWellFormedKey(key))
  for (let place = 0; place < key.length; place++) {
    const other = key[place] === 'x' ? 'y' : 'x'
    assert.ok(!isWellFormedKey(key.slice(0, place) + other + key.slice(place + 1)), `at ${place}`)
  }
})

test('what is no text of a key at all is not well formed', () => {
  const key = newKey()
  for (const text of ['', 'sk_live_', key.slice(1), `${key}0`, ` ${key}`, `${key}\n`])
    assert.ok(!isWellFormedKey(text), text)
})
