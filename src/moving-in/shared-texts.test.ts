// Workbooks as large as an import may be: their shared texts come back as they were, and the limits leave room for them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { maxRows } from '../domain/moving-in/limits.ts'
import { FileRefused } from '../domain/moving-in/recognise.ts'
import { fileLimits } from './limits.ts'
import { createSharedTexts } from './shared-texts.ts'

test('texts come back as they were, in every script and length', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 40 })), (given) => {
      const texts = createSharedTexts()
      for (const text of given) texts.add(text)
      assert.deepEqual(
        given.map((_, index) => texts.at(index)),
        given,
      )
    }),
    { numRuns: 200 },
  )
  const texts = createSharedTexts()
  // More than one block, and more of them than there is room for at first.
  const long = 'ß'.repeat(1_500_000)
  for (const text of [long, 'a', long, 'b']) texts.add(text)
  for (let n = 0; n < 70_000; n++) texts.add(`text ${n}`)
  assert.ok(texts.at(0) === long && texts.at(2) === long)
  assert.deepEqual([texts.at(1), texts.at(3), texts.at(70_003), texts.count], ['a', 'b', 'text 69999', 70_004])
  for (const index of [-1, 70_004, 100_000, 1.5, Number.NaN]) assert.equal(texts.at(index), '')
  assert.throws(() => texts.add('x'.repeat(5_000_000)), FileRefused)
})

test('a workbook of as many rows as an import may have, with twenty columns of texts that are all different, is within the limits', () => {
  const columns = 20
  // As programs write it that are not sparing with words, near the end of the sheet.
  const cell = '<c r="T100001" s="12" t="s"><v>1999999</v></c>'
  const row = '<row r="100001" spans="1:20" customFormat="false" ht="12.8" hidden="false" outlineLevel="0">'
  const text = '<si><t xml:space="preserve">12 Mill Lane, Bristol BS1 4DB</t></si>'
  const bytes = maxRows * (row.length + '</row>'.length + columns * (cell.length + text.length))
  assert.ok(bytes <= fileLimits.maxUnpackedBytes, `${Math.ceil(bytes / 1e6)} MB`)
  assert.ok(maxRows * columns <= fileLimits.maxTexts)
})
