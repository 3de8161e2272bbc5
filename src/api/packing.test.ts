// Records through their packing: every kind of value, and text that tries to break out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type as t } from 'typebox'
import { world } from '../../test/world.ts'
import { sql } from '../database.ts'
import { dateTime, decimal, nullable } from './fields.ts'
import { packing } from './packing.ts'

const { database } = await world()

const fields = {
  id: t.String(),
  note: nullable(t.String()),
  at: nullable(dateTime()),
  amount: nullable(decimal(4, 0, 100)),
  isDone: t.Boolean(),
  facts: t.Unsafe<object | null>({ type: ['object', 'null'] }),
}
const { packed, together, apart, idOf, json } = packing(fields, 'r')

async function passed(rows: readonly object[]) {
  const from = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    as r (id text, note text, at timestamptz, amount numeric(13, 4), is_done boolean, facts jsonb)`
  const [all] = await database.query<{ all: string }>(
    sql`select ${together} as all from (select ${packed} from ${from}) records`,
  )
  return apart(all!.all)
}

test('every kind of value comes out as it went in', async () => {
  const [full, empty] = await passed([
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
  assert.deepEqual(JSON.parse(json(full!)), {
    id: 'a',
    note: 'Line\n"two" \\ tab\t é 👍',
    at: '2026-11-15T03:35:16.200Z',
    amount: 12.5,
    isDone: true,
    facts: { a: ['"', 1] },
  })
  assert.deepEqual(JSON.parse(json(empty!)), {
    id: 'b',
    note: null,
    at: null,
    amount: null,
    isDone: false,
    facts: null,
  })
  assert.equal(idOf(full!), 'a')
})

test('moments have milliseconds, whatever PostgreSQL leaves out', async () => {
  const moments = [
    '1970-01-01T00:00:00.000Z',
    '2026-11-15T03:35:16.210Z',
    '2026-11-15T03:35:16.007Z',
    '9999-12-31T23:59:59.999Z',
  ]
  const records = await passed(moments.map((at, n) => ({ id: `${n}`, at, is_done: true })))
  assert.deepEqual(
    records.map((record) => JSON.parse(json(record)).at),
    moments,
  )
})

test('text that looks like JSON stays text', async () => {
  const note = '","isDone":true,"at":"2026-11-15T03:35:16+00:00'
  const [record] = await passed([{ id: 'a', note, is_done: false }])
  assert.deepEqual([JSON.parse(json(record!)).note, JSON.parse(json(record!)).isDone], [note, false])
})

test('a separator in the data is refused, not passed on as another field', async () => {
  const [record] = await passed([{ id: 'a', note: 'x\u001fy', is_done: false }])
  assert.throws(() => json(record!), /holds a separator/)
})

test('nothing is an empty list', () => assert.deepEqual(apart(null), []))
