// Bodies as they go over the wire: JSON of generated values, and what is not JSON, not UTF-8 or not small enough.
import fc from 'fast-check'
import { type Corruption, corrupt, corruptions } from './corruptions.ts'
import { RecordRef } from './record-pool.ts'
import { share } from './values.ts'

export interface Body {
  readonly value: unknown
  /** Applied to the text of the value, at a share of its length. */
  readonly damage?: { readonly how: keyof typeof damages; readonly at: number } | undefined
}

const bodyLimit = 1_048_576
const padTo = (json: string, size: number) =>
  Buffer.from(json + ' '.repeat(Math.max(0, size - Buffer.byteLength(json))))

const damages = {
  'cut off': (json: string, at: number) => Buffer.from(json).subarray(0, Math.floor(at * Buffer.byteLength(json))),
  'a byte that is no UTF-8': (json: string, at: number) => {
    const bytes = Buffer.from(json)
    const place = Math.floor(at * bytes.length)
    return Buffer.concat([bytes.subarray(0, place), Buffer.from([0xc3]), bytes.subarray(place)])
  },
  'a character cut in two': (json: string) =>
    Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from('🔧').subarray(0, 2)]),
  'UTF-16': (json: string) => Buffer.from(json, 'utf16le'),
  'a mark in front': (json: string) => Buffer.from(`\ufeff${json}`),
  'a comma too many': (json: string) => Buffer.from(json.replace(/\}$/, ',}')),
  'a second value': (json: string) => Buffer.from(json + json),
  'single quotes': (json: string) => Buffer.from(json.replaceAll('"', "'")),
  'a name twice': (json: string) => Buffer.from(json.replace(/^\{("[^"]*":[^,{}[\]]*)/, '{$1,$1')),
  nothing: () => Buffer.alloc(0),
  'no object': (_json: string, at: number) =>
    Buffer.from(['null', '[]', '"x"', '1', 'true', 'NaN', '{', '[{}]'][Math.floor(at * 8)]!),
  'very deep': (_json: string, at: number) => Buffer.from(`{"notes":${'['.repeat(at * 200_000)}`),
  'very deep and whole': (_json: string, at: number) => {
    const depth = Math.floor(at * 100_000)
    return Buffer.from(`{"notes":${'['.repeat(depth)}${']'.repeat(depth)}}`)
  },
  'as large as allowed': (json: string) => padTo(json, bodyLimit),
  'one byte too large': (json: string) => padTo(json, bodyLimit + 1),
  'far too large': (json: string) => padTo(json, 2 * bodyLimit),
} satisfies Record<string, (json: string, at: number) => Buffer>

const costly = new Set([
  'as large as allowed',
  'one byte too large',
  'far too large',
  'very deep',
  'very deep and whole',
])
const kinds = Object.keys(damages) as (keyof typeof damages)[]
const cheapKinds = kinds.filter((how) => !costly.has(how))
const costlyKinds = kinds.filter((how) => costly.has(how))

export function bodyArbitrary(values: fc.Arbitrary<unknown>): fc.Arbitrary<Body> {
  const damage = (among: readonly (keyof typeof damages)[]) => fc.record({ how: fc.constantFrom(...among), at: share })
  return fc.oneof(
    { weight: 100, arbitrary: values.map((value) => ({ value })) },
    {
      weight: 80,
      arbitrary: fc.tuple(values, corruptions).map(([value, corruption]) => ({ value: corrupt(value, corruption) })),
    },
    {
      weight: 10,
      arbitrary: fc
        .tuple(values, corruptions, corruptions)
        .map(([value, one, two]) => ({ value: corruptTwice(value, one, two) })),
    },
    { weight: 10, arbitrary: fc.record({ value: values, damage: damage(cheapKinds) }) },
    { weight: 1, arbitrary: fc.record({ value: values, damage: damage(costlyKinds) }) },
  )
}

const corruptTwice = (value: unknown, one: Corruption, two: Corruption) => corrupt(corrupt(value, one), two)

/** The bytes, once every record in the value has its id. */
export function encodeBody({ value, damage }: Body, idOf: (ref: RecordRef) => string): Buffer {
  const json = JSON.stringify(value, (_name, one) => (one instanceof RecordRef ? idOf(one) : one)) ?? ''
  return damage ? damages[damage.how](json, damage.at) : Buffer.from(json)
}
