// Entity tags: lists of them as RFC 9110 writes them, and which comparison is for what.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entityTag, entityTagWith, isSameAnswer, isSameVersion, parseEntityTags } from './entity-tags.ts'

test('a tag is quoted, short, and another for another text', () => {
  assert.match(entityTag('{}'), /^"[\w-]{22}"$/)
  assert.equal(entityTag('{"a":1}'), entityTag('{"a":1}'))
  assert.notEqual(entityTag('{"a":1}'), entityTag('{"a":2}'))
})

test('lists are read as they may be written, and nothing else is a list', () => {
  const lists: [string, unknown][] = [
    ['*', '*'],
    [' * ', '*'],
    ['"a"', ['"a"']],
    ['"a","b"', ['"a"', '"b"']],
    [' "a" ,\t W/"b" ', ['"a"', 'W/"b"']],
    ['"a", ,"b",', ['"a"', '"b"']],
    ['"a,b"', ['"a,b"']],
    ['""', ['""']],
    ['W/"a"', ['W/"a"']],
  ]
  for (const [value, tags] of lists) assert.deepEqual(parseEntityTags(value), tags, value)
  for (const value of ['', ' ', ',', 'a', '"a', 'a"', '"a" "b"', '"a"b', '*, "a"', "'a'", 'w/"a"', '"a"b"', '"a b"'])
    assert.equal(parseEntityTags(value), undefined, value)
})

test('a change needs the same version for certain: a weak tag never matches', () => {
  const current = entityTag('{}')
  assert.equal(isSameVersion([current], current), true)
  assert.equal(isSameVersion(['"other"', current], current), true)
  assert.equal(isSameVersion('*', current), true)
  assert.equal(isSameVersion([`W/${current}`], current), false)
  assert.equal(isSameVersion(['"other"'], current), false)
  assert.equal(isSameVersion(['""'], current), false)
})

test('a read compares whole answers, weakly', () => {
  const current = entityTag('{}')
  assert.equal(isSameAnswer([`W/${current}`], current), true)
  assert.equal(isSameAnswer('*', current), true)
  assert.equal(isSameAnswer(['"other"'], current), false)
})

test('what is sent along with a record changes the answer and not the version', () => {
  const [one, other] = [entityTagWith('{}', '{"a":1}'), entityTagWith('{}', '{"a":2}')]
  assert.equal(isSameAnswer([one], other), false)
  assert.equal(isSameVersion([one], other), true)
  assert.equal(isSameVersion([one], entityTag('{}')), true)
  assert.equal(isSameVersion([one], entityTag('{"b":1}')), false)
})
