// Comma-separated values: what was put in comes out again, and nothing of it is a formula.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { csvText } from './csv.ts'

/** As RFC 4180 reads it: one character after the other. */
function parse(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (isQuoted && character === '"' && text[at + 1] === '"') cell += text[++at]
    else if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && character === ',') {
      row.push(cell)
      cell = ''
    } else if (!isQuoted && character === '\r' && text[at + 1] === '\n') {
      rows.push([...row, cell])
      row = []
      cell = ''
      at++
    } else cell += character
  }
  return rows
}

test('every text comes out as it went in, but for what a spreadsheet would carry out', () => {
  const cell = fc.oneof(fc.string(), fc.constantFrom('=1+1', '+1', '-1', '@x', '\tx', '\rx', 'a"b', 'a,b', 'a\r\nb'))
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 }), (rows) => {
      const expected = rows.map((row) => row.map((text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)))
      assert.deepEqual(parse(csvText(rows)), expected)
    }),
  )
})

test('numbers are numbers, below zero too, and nothing is nothing', () => {
  assert.equal(
    csvText([
      ['a', 'b', 'c'],
      [-1.5, 0, null],
    ]),
    'a,b,c\r\n-1.5,0,\r\n',
  )
})
