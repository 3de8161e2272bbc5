// Records through their codec: every kind of value, and text that tries to break out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type as t } from 'typebox'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { dateTime, decimal, nullable } from './fields.ts'
import { rowCodec } from './row-codec.ts'

const { database } = await startTestService()

const fields = {
  id: t.String(),
  note: nullable(t.String()),
  at: nullable(dateTime()),
  amount: nullable(decimal(4, 0, 100)),
  isDone: t.Boolean(),
  facts: t.Unsafe<object | null>({ type: ['object', 'null'] }),
}
const { encoded, encodedRows, split, idOf, toJson, toRow } = rowCodec(fields, 'r')

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
  assert.equal(idOf(full!), 'a')
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
})

test('nothing is an empty list', () => assert.deepEqual(split(null), []))
