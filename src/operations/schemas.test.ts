// Our schemas beside those that typebox makes, and what is left of a value that holds more than was declared.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { onlyDeclared, t } from './schemas.ts'

test('a schema is what typebox makes of the same words', () => {
  const write = (made: typeof t) =>
    made.Object(
      {
        any: made.Any({ description: 'whatever' }),
        list: made.Array(made.String({ maxLength: 3 }), { maxItems: 2 }),
        flag: made.Optional(made.Boolean({ default: false })),
        word: made.Enum(['a', 'b'], { description: 'one of two' }),
        count: made.Integer({ minimum: 0 }),
        size: made.Optional(made.Number()),
        either: made.Union([made.Null(), made.String()], { description: 'or nothing' }),
        own: made.Unsafe<string>({ type: ['string', 'null'] }),
        empty: made.Object({ maybe: made.Optional(made.String()) }, { additionalProperties: false }),
      },
      { minProperties: 1 },
    )
  assert.equal(JSON.stringify(write(t)), JSON.stringify(write(Type)))
})

test('of a value is left what its schema declares, however deep it is', () => {
  const schema = t.Object({
    id: t.String(),
    lines: t.Array(t.Object({ name: t.Optional(t.String()) })),
    address: t.Unsafe({ type: ['object', 'null'], properties: { city: t.String() } }),
    notes: t.Object({}, { additionalProperties: true }),
  })
  const value = {
    id: 'one',
    secret: 'x',
    lines: [{ name: 'a', cost: 1 }, {}],
    address: { city: 'Leith', gate: '12' },
    notes: { free: 'text' },
  }
  assert.deepEqual(onlyDeclared(schema, value), {
    id: 'one',
    lines: [{ name: 'a' }, {}],
    address: { city: 'Leith' },
    notes: { free: 'text' },
  })
  assert.deepEqual(onlyDeclared(schema, { address: null, lines: null }), { address: null, lines: null })
})
