// Cells that were made, or happen, to keep a pattern busy: each is read at once, or the test never ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAmount, readPercent } from './amounts.ts'
import { tidyCell } from './cells.ts'
import { isEmail, phoneKey, splitName, splitPhones, splitValues } from './contacts.ts'
import { lookAtDate, noDateFacts, readDate } from './dates.ts'
import { readDraft } from './read-draft.ts'
import { recognise } from './recognise.ts'

const long = 1_000_000
const gap = `a${' '.repeat(long)}b`

test('a long word beside a number is no amount, however long it is', () => {
  assert.equal(readAmount('Donaudampfschifffahrtsgesellschaftskapitaen: 12'), undefined)
  assert.equal(readAmount(`${'a'.repeat(50)} 1`), undefined)
  assert.equal(readAmount('1'.repeat(long)), undefined)
  assert.deepEqual(
    ['USD$ 12', 'Rs. 12', '12 kr.', 'EUR12', '(12 €)', '12 Std.'].map((text) => readAmount(text)),
    [...[12, 12, 12, 12, -12, 12]],
  )
})

test('runs of spaces, digits and brackets are read once', () => {
  assert.equal(tidyCell(` \ufeff${gap}\u00a0 `).value, gap)
  assert.deepEqual(splitValues(`x${' '.repeat(long)};y`), ['x', 'y'])
  assert.deepEqual(splitPhones(`1${' '.repeat(long)}|2`), ['1', '2'])
  assert.equal(phoneKey(`${'x'.repeat(long)}\u20281234567`), undefined)
  assert.equal(splitName(gap).lastName, 'b')
  assert.equal(isEmail(`${'a'.repeat(long)}@${'b.'.repeat(long)}`), false)
  assert.equal(readPercent('1'.repeat(long)), undefined)
  assert.equal(readDate(`Jan 1, 2026${' '.repeat(long)}\nx`, 'dmy'), undefined)
  assert.equal(lookAtDate(noDateFacts, `1/2/2026${' '.repeat(long)}\nx`), noDateFacts)
})

const reading = { dateOrders: {}, decimalCommas: [], timeZone: 'UTC' }

test('a list of goods and the lines of an invoice, too', () => {
  const goods = { ...reading, kind: 'inventory', columns: ['Name', 'Category'], targets: ['name', 'category'] } as const
  const { values, category } = readDraft('generic', goods, [{ row: 2, cells: [gap, gap] }])
  assert.deepEqual([String(values.name).length, category], [1, 'a'])
  const bill = {
    ...reading,
    kind: 'invoices',
    columns: ['No', 'Lines', 'Total'],
    targets: ['number', 'linesText', 'total'],
  } as const
  const { money } = readDraft('generic', bill, [{ row: 2, cells: ['1', ' (1, '.repeat(200_000), '10'] }])
  assert.equal(money?.lines.length, 1)
})

test('a record of many rows and columns is not searched again for each of them', () => {
  const columns = Array.from({ length: 900 }, (_, n) => `Street ${n}`)
  const targets = columns.map((_, n) => `street#${n}`)
  const rows = Array.from({ length: 500 }, (_, row) => ({ row, cells: columns.map(() => 'x') }))
  const { values } = readDraft('generic', { ...reading, kind: 'customers', columns, targets }, rows)
  assert.equal(values.address, 'x')
})

test('notes are gathered until there are more than anybody keeps', () => {
  const columns = Array.from({ length: 900 }, (_, n) => `${n} ${'c'.repeat(490)}`)
  const rows = Array.from({ length: 1_000 }, (_, row) => ({ row, cells: columns.map(() => 'x') }))
  const file = { ...reading, kind: 'customers', columns, targets: columns.map(() => 'notes') } as const
  const { repairs } = readDraft('generic', file, rows)
  assert.ok(repairs.some(({ reason }) => /cut after 5000 characters/.test(reason)))
})

test('names of columns are cut before they are looked at, and a map names no more than there are', () => {
  const { columns } = recognise([['Name', 'Email', gap]], { kind: 'customers' })
  assert.equal(columns[2], 'a')
  const many = Array.from({ length: 1_000 }, (_, n) => `${'n'.repeat(400)} ${n}`)
  const map = Object.fromEntries(many.map((name) => [name, 'notes']))
  assert.equal(recognise([[...many, 'Name']], { kind: 'customers', map }).targets.length, 1_001)
})

test('what a record is told of is bounded', () => {
  const columns = Array.from({ length: 900 }, (_, n) => `Amount ${n}`)
  const file = { ...reading, kind: 'inventory', columns, targets: columns.map(() => 'quantityOnHand') } as const
  const rows = [{ row: 2, cells: columns.map(() => '="x"') }]
  const { problems, repairs } = readDraft('generic', file, rows)
  assert.deepEqual([problems.length <= 100, repairs.length], [true, 100])
})
