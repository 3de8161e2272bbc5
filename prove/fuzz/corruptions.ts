// Values with one thing wrong: another type, too long, too large, unknown, missing, somebody else's.
import fc from 'fast-check'
import { RecordRef } from './record-pool.ts'
import { share } from './values.ts'

/** JSON that no JavaScript value is written as. */
const rawJson = (text: string): unknown => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text)

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value }
  return value
}

const wrongValues: readonly unknown[] = [
  ...[null, true, false, 0, 1, -1, 1.5, 0.00001, 1e21, 2 ** 53, -(2 ** 31) - 1, 4_294_967_296, 99_999_999_999],
  ...['-0', '1e400', '-1e400', '1e-400', '123456789012345678901234567890', '0.1000000000000000055511151231257827'].map(
    rawJson,
  ),
  ...[
    '',
    ' ',
    '5',
    '-0',
    '1e3',
    'true',
    'null',
    'x'.repeat(20_000),
    '🔧'.repeat(2_000),
    'a\0b',
    '\ud800',
    'x\udfff',
    '\u0007',
    '\x7f',
  ],
  ...[
    '2026-11-15T09:00:00',
    '2026-11-15',
    '2026-02-30T09:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-15T25:00:00Z',
    '20261115T090000Z',
  ],
  ...[
    '0000-01-01T00:00:00Z',
    '+012026-11-15T09:00:00Z',
    '9999-12-31T23:59:59-23:59',
    '1970-01-01T00:00:00+00:01',
    'Infinity',
    'today',
  ],
  ...[
    'a@b',
    'a b@shop.example',
    'a@b.c,d@e.f',
    'a@shop.example\nBcc: x@y.example',
    'http://shop.example',
    'https://',
    'javascript:alert(1)',
  ],
  ...[
    'FREQ=SECONDLY',
    'FREQ=DAILY;COUNT=0',
    'FREQ=DAILY;INTERVAL=0',
    'FREQ=',
    'freq=daily',
    'FREQ=DAILY;COUNT=999999999',
  ],
  ...['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'Mars/Base', 'GMT+25', 'EST', 'gbp', 'ZZZ', 'xx', 'e', 'en_GB', 'open'],
  ...['never_seen', 'x'.repeat(129), '../x', 'a/b', 'ü', '[object Object]'],
  ...[
    [],
    {},
    [[]],
    [null],
    [{}],
    [1, 'a'],
    nested(12),
    nested(400),
    Array.from({ length: 1_001 }, () => ({})),
    { length: 3 },
  ],
  ...[{ type: 'percent' }, { type: 'percent', value: 101 }, { type: 'fixed', value: -1 }, { value: 1 }, { $ref: '#' }],
]
const strangeNames = [
  ...[
    'unknown',
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'toJSON',
    'then',
    '',
    '\0',
    ' name',
  ],
  ...[
    'x'.repeat(300),
    'ключ',
    '🔧',
    '\ud800',
    'id',
    'orgId',
    'org_id',
    'createdAt',
    'total',
    'paid',
    'a.b',
    'a[0]',
    '$where',
  ],
]

export interface Corruption {
  /** Where in the value, from 0 to 1. */
  readonly at: number
  readonly how: 'replace' | 'drop' | 'add' | 'repeat' | 'foreign' | 'other kind'
  readonly value: unknown
  readonly name: string
}

export const corruptions: fc.Arbitrary<Corruption> = fc.record({
  at: share,
  how: fc.constantFrom(
    'replace',
    'replace',
    'replace',
    'replace',
    'drop',
    'add',
    'add',
    'repeat',
    'foreign',
    'other kind',
  ),
  value: fc.constantFrom(...wrongValues),
  name: fc.constantFrom(...strangeNames),
})

type JsonPath = readonly (string | number)[]

/** The value with one of its places spoilt; the value itself is not touched. */
export function corrupt(value: unknown, corruption: Corruption): unknown {
  const { how, at } = corruption
  const all = pathsIn(value, [])
  const paths = how === 'foreign' || how === 'other kind' ? all.filter(([, one]) => one instanceof RecordRef) : all
  // The whole is one place among many, and says little when it is spoilt.
  const inside = at < 0.98 && paths[0]?.[0].length === 0 ? paths.slice(1) : paths
  const found = inside[Math.floor(at * inside.length)] ?? all[0]!
  return corruptAt(value, found[0], corruption)
}

function pathsIn(value: unknown, path: JsonPath): [JsonPath, unknown][] {
  const here: [JsonPath, unknown][] = [[path, value]]
  if (typeof value !== 'object' || value === null || value instanceof RecordRef) return here
  const members = Object.entries(value).map(([name, one]) => [Array.isArray(value) ? Number(name) : name, one] as const)
  return [...here, ...members.flatMap(([name, one]) => pathsIn(one, [...path, name]))]
}

const dropped = Symbol('dropped')

function corruptAt(value: unknown, path: JsonPath, corruption: Corruption): unknown {
  const [first, ...rest] = path
  if (first === undefined) return applyCorruption(value, corruption)
  const member = corruptAt((value as Record<string, unknown>)[first], rest, corruption)
  if (Array.isArray(value))
    return value.flatMap((one, index) => (index !== first ? [one] : member === dropped ? [] : [member]))
  const entries = Object.entries(value as object).map(([name, one]) => [name, name === first ? member : one] as const)
  return Object.fromEntries(entries.filter(([, one]) => one !== dropped))
}

function applyCorruption(value: unknown, { how, name, value: other, at }: Corruption): unknown {
  switch (how) {
    case 'drop':
      return dropped
    case 'add':
      return Object.fromEntries([...Object.entries(Object(value)), [name, other]])
    case 'repeat':
      return Array.from({ length: 300 }, () => value)
    case 'replace':
      return other
    default:
      return value instanceof RecordRef ? new RecordRef(value.name, at, how) : other
  }
}
