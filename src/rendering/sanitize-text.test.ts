// What must not reach a header or a page of print does not, and ordinary text is left alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hostileTexts } from '../../test/print-documents.ts'
import { oneLine, sanitizeText } from './sanitize-text.ts'

test('a line is one line, of bounded length, without anything unseen', () => {
  const texts = fc.oneof(
    fc.constantFrom(...hostileTexts),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme' }),
  )
  fc.assert(
    fc.property(texts, texts, fc.integer({ min: 1, max: 200 }), (a, b, atMost) => {
      const line = oneLine(`${a}\r\n${b}`, atMost)
      assert.ok([...line].length <= atMost)
      assert.ok(line.isWellFormed())
      assert.doesNotMatch(line, /\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
    }),
  )
})

test('line ends survive as line feeds, and letters with their marks survive untouched', () => {
  assert.equal(sanitizeText('a\r\nb\rc\u2028d\te'), 'a\nb\nc\nd e')
  for (const text of ['Zażółć gęślą jaźń', 'می‌خواهم', 'e\u0301', '日本語', 'שלום', '₺ € £'])
    assert.equal(sanitizeText(text), text)
})

test('what turns the reading order around is taken out', () => {
  assert.equal(sanitizeText('\u202egpj.exe\u202c'), 'gpj.exe')
  assert.equal(oneLine('a\u200f\u200bb'), 'ab')
})
