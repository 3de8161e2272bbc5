// Records through their codec: every kind of value, and text that tries to break out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { dateTime, decimal, nullable } from './fields.ts'
import type { WrittenRecords } from './record-writer.ts'
import { rowCodec } from './row-codec.ts'
import { t } from './schemas.ts'

const { database } = await startTestService()

const fields = {
  id: t.String(),
  note: nullable(t.String()),
  at: nullable(dateTime()),
  amount: nullable(decimal(4, 0, 100)),
  isDone: t.Boolean(),
  facts: t.Unsafe<object | null>({ type: ['object', 'null'] }),
}
const { encoded, encodedRows, split, toJson, toRow, writePage } = rowCodec(fields, 'r')

async function roundTrip(rows: readonly object[]) {
  const from = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    as r (id text, note text, at timestamptz, amount numeric(13, 4), is_done boolean, facts jsonb)`
  const [all] = await database.query<{ all: string }>(
    sql`select ${encodedRows} as all from (select ${encoded} from ${from}) records`,
  )
  return split(all!.all)
}

test('every kind of value comes out as it went in', async () => {
  const [full, empty] = await roundTrip([
    {
      id: 'a',
      note: 'Line\n"two" \\ tab\t é 👍',
      at: '2026-11-15T03:35:16.2Z',
      amount: 12.5,
      is_done: true,
      facts: { a: ['"', 1] },
    },
    { id: 'b', note: null, at: null, amount: null, is_done: false, facts: null },
  ])
  assert.deepEqual(JSON.parse(toJson(full!)), {
    id: 'a',
    note: 'Line\n"two" \\ tab\t é 👍',
    at: '2026-11-15T03:35:16.200Z',
    amount: 12.5,
    isDone: true,
    facts: { a: ['"', 1] },
  })
  assert.deepEqual(JSON.parse(toJson(empty!)), {
    id: 'b',
    note: null,
    at: null,
    amount: null,
    isDone: false,
    facts: null,
  })
  for (const record of [full!, empty!]) assert.deepEqual(toRow(record), JSON.parse(toJson(record)))
})

test('moments have milliseconds, whatever PostgreSQL leaves out', async () => {
  const moments = [
    '1970-01-01T00:00:00.000Z',
    '2026-11-15T03:35:16.210Z',
    '2026-11-15T03:35:16.007Z',
    '9999-12-31T23:59:59.999Z',
  ]
  const records = await roundTrip(moments.map((at, n) => ({ id: `${n}`, at, is_done: true })))
  assert.deepEqual(
    records.map((record) => JSON.parse(toJson(record)).at),
    moments,
  )
})

test('text that looks like JSON stays text', async () => {
  const note = '","isDone":true,"at":"2026-11-15T03:35:16+00:00'
  const [record] = await roundTrip([{ id: 'a', note, is_done: false }])
  assert.deepEqual([JSON.parse(toJson(record!)).note, JSON.parse(toJson(record!)).isDone], [note, false])
})

test('a separator in the data is refused, not passed on as another field', async () => {
  const [record] = await roundTrip([{ id: 'a', note: 'x\u001fy', is_done: false }])
  assert.throws(() => toJson(record!), /holds a separator/)
  assert.throws(() => toRow(record!), /holds a separator/)
  assert.throws(() => pageOf([record!]), /holds a separator/)
  const fewer = record!.slice(record!.indexOf('\u001f') + 1)
  assert.throws(() => pageOf([fewer.replace('\u001f', '')]), /holds a separator/)
})

const around = {
  before: '[',
  after: ({ count, found, hasMore, lastId }: WrittenRecords) => `,${JSON.stringify([count, found, hasMore, lastId])}]`,
}
const pageOf = (records: readonly string[], most = 100) =>
  writePage(records.join('\u001e'), most, undefined, around).json

test('a page written from bytes is what its records are one by one', async () => {
  const note = fc.option(fc.string({ unit: fc.constantFrom(...'aZ09 "\\/\n\t\b\u0001\u007fé部👍') }))
  const moments = fc.constantFrom(null, '1970-01-01T00:00:00Z', '2026-11-15T03:35:16.2Z', '9999-12-31T23:59:59.999Z')
  const row = fc.record({
    id: fc.stringMatching(/^[a-z0-9_]{1,30}$/),
    note,
    at: moments,
    amount: fc.constantFrom(null, 0, -1.5, 99.9999),
    is_done: fc.boolean(),
    facts: fc.constantFrom(null, {}, { a: ['"', 'é'] }),
  })
  const rows = fc.sample(row, 300)
  const records = await roundTrip(rows)
  assert.equal(records.length, rows.length)
  for (const most of [1, 7, 299, 300, 301]) {
    const written = records.slice(0, most)
    const end = JSON.stringify([written.length, 300, most < 300, rows[written.length - 1]!.id])
    assert.equal(pageOf(records, most), `[${written.map((record) => toJson(record)).join()},${end}]`)
  }
})

test('what a record needs in JSON has room, however much it is', () => {
  const record = ['a', '\u0001'.repeat(200_000), '\u001d', '\u001d', 'true', '\u001d'].join('\u001f')
  const page = JSON.parse(pageOf([record, record]).replace(/,\[2,.*$/, ']'))
  assert.deepEqual(
    page.map(({ note }: { note: string }) => note.length),
    [200_000, 200_000],
  )
})

test('what becomes of a field on its way out stands on a page as well, in its place', () => {
  const shop = rowCodec<{ readonly name: string }>(
    { ...fields, link: nullable(t.String()) },
    'r',
    {},
    {
      facts: (json, { name }, id) => JSON.stringify({ ...JSON.parse(json), id, by: name }),
      link: (text) => `${text}/"é"`,
    },
  )
  const values = (link: string) => ['a', '\u001d', '\u001d', '1', 'true', '{"b": 1}', link].join('\u001f')
  const records = [values('x'), values('\u001d'), values('y'.repeat(50_000))]
  const written = shop.writePage(records.join('\u001e'), 3, { name: 'Ünsal' }, around).json
  const expected = records.map((record) => shop.toJson(record, { name: 'Ünsal' }))
  assert.equal(written, `[${expected.join()},[3,3,false,"a"]]`)
})

test('nothing is an empty list', () => {
  assert.deepEqual(split(null), [])
  assert.equal(writePage(null, 5, undefined, around).json, '[,[0,0,false,""]]')
})
