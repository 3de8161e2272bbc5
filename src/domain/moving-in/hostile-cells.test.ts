// Cells that were made, or happen, to keep a pattern busy: each is read at once, or the test never ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAmount, readPercent } from './amounts.ts'
import { squeeze, tidyCell } from './cells.ts'
import { foldKey, isEmail, phoneKey, splitName, splitPhones, splitValues } from './contacts.ts'
import { lookAtDate, noDateFacts, readDate } from './dates.ts'
import { meanings } from './kinds.ts'
import { profiles } from './profiles.ts'
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

test('words for the type, what was paid, what is due and what was taken off, too', () => {
  const targets = ['number', 'documentType', 'amountPaid', 'due', 'discount', 'total'] as const
  const file = { ...reading, kind: 'invoices', columns: targets, targets } as const
  const words = `credit${' '.repeat(long)}not`
  const { problems } = readDraft('generic', file, [{ row: 2, cells: ['1', words, words, words, words, '10'] }])
  assert.deepEqual(
    problems.map(({ column }) => column),
    ['due', 'amountPaid'],
  )
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

test('letters that become sentences are not followed, in names of columns and of customers', () => {
  const sentence = '\ufdfa'
  assert.equal(squeeze(sentence.repeat(60)), sentence.repeat(60))
  assert.equal(squeeze(`${'#'.repeat(60)}`).length, 'number'.length * 8 + 3)
  assert.equal(squeeze(` ${'Invoice number '.repeat(10)}`), 'Invoice number '.repeat(10).trim())
  assert.equal(squeeze('Nume\u0301ro de facture\u00a0#'), 'numérodefacturenumber')
  assert.ok(foldKey(sentence.repeat(long)).length <= 1_000)
})

test('no name that is known is longer than what is compared, or of another script', () => {
  const ours = Object.values(meanings).flatMap((ofKind) => Object.values(ofKind).flatMap(({ names }) => names))
  const theirs = profiles.flatMap(({ columns, fingerprints }) => [...Object.keys(columns), ...fingerprints.flat()])
  for (const name of [...ours, ...theirs]) {
    assert.ok(name.length <= 30, name)
    assert.match(squeeze(name), /^[\p{Script=Latin}\p{N}]+$/u)
  }
})

test('the words of a status, and the name and id of a customer, are cut before anything looks for them', () => {
  const columns = ['Status', 'Customer', 'Customer ID']
  const targets = ['status', 'customerName', 'customerExternalId']
  const cells = columns.map(() => 'x'.repeat(long))
  const { status, customer } = readDraft('generic', { ...reading, kind: 'jobs', columns, targets }, [{ row: 2, cells }])
  assert.deepEqual([status?.length, customer?.name?.length, customer?.externalId?.length], [200, 500, 500])
})

test('a time in a zone that there is not is no time', () => {
  assert.equal(readDate('2026-11-18 10:00 +99:99', 'dmy'), undefined)
  assert.equal(readDate('2026-11-18 10:00 +14:60', 'dmy'), undefined)
  assert.equal(readDate('2026-11-18 10:00 -1130', 'dmy')?.moment, '2026-11-18T21:30:00.000Z')
})
