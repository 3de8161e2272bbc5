// Values that a schema allows: every optional field on and off, the ends of every range, and text of every kind.
import fc from 'fast-check'
import { dayMs, minuteMs } from '../../src/domain/durations.ts'
import { type OpenApiDocument, resolveRef, type Schema } from './openapi-document.ts'
import { RecordRef } from './record-pool.ts'

type Values = fc.Arbitrary<unknown>

/** Between 0 and 1, for a choice that is made when the request is sent. */
export const share: fc.Arbitrary<number> = fc.nat({ max: 9_999 }).map((part) => part / 10_000)

const sampleTexts = [
  ...['Deck oven repair', 'Ελένη Παπαδοπούλου', 'Привет, мир', 'שלום עולם', 'مرحبا بالعالم', '日本語の名前', 'ไทย'],
  ...[
    '👩‍🔧🔧',
    '𝒳𝒴𝒵',
    'e\u0301\u0323',
    'İstanbul ıi ŞßﬁK',
    'a\tb\nc',
    '  padded  ',
    '\u00a0',
    '\u200b',
    '\ufeffBOM',
    '\u202eright',
  ],
  ...[
    '<script>alert(1)</script>',
    "Robert'); drop table customers;--",
    '%00%0a',
    '$' + '{7*7}',
    '{{7*7}}',
    '=1+1',
    '\\',
    '"',
    "'",
  ],
  ...['null', 'undefined', 'true', '0', '-1', 'NaN', '1e5', '[]', '{}', '../../etc/passwd', 'a,b;c', 'x'],
]
/** Made once: putting together every script there is takes a while. */
const anyText = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ unit: 'binary', maxLength: 20 }))
const fillers = ['a', 'é', 'ש', '字', '𝒳', '🔧']

/** What fields mean beyond their schema, by the name they go under. */
const fieldValues: Readonly<Record<string, readonly string[]>> = {
  rrule: [
    ...['FREQ=DAILY', 'FREQ=WEEKLY;BYDAY=MO,WE', 'FREQ=MONTHLY;BYDAY=2TU', 'FREQ=MONTHLY;BYMONTHDAY=31', 'FREQ=YEARLY'],
    ...[
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
      'FREQ=DAILY;COUNT=3',
      'FREQ=WEEKLY;INTERVAL=52',
      'FREQ=DAILY;INTERVAL=99',
    ],
    ...['FREQ=MONTHLY;BYDAY=-1FR', 'FREQ=DAILY;UNTIL=20271231T000000Z', 'FREQ=MONTHLY;BYDAY=5MO;BYMONTH=2'],
  ],
  timeZone: ['Europe/London', 'UTC', 'Asia/Kathmandu', 'Pacific/Apia', 'America/St_Johns'],
  currency: ['GBP', 'JPY', 'KWD', 'USD', 'XXX'],
  locale: ['en-GB', 'ar-EG', 'de', 'zh-Hant-TW', 'en-u-nu-arab'],
  status: ['Open', 'In Progress', 'Closed'],
  email: ['amara@okafor-bakery.example', 'ü@exämple.example', "o'brien+tag@shop.example"],
  website: ['https://shop.example', 'https://ex.example/ü?x=1#y'],
  signature: ['data:image/png;base64,iVBORw0KGgo=', 'M0 0L10 10', 'data:text/html,<script>'],
}
const fieldAliases: Readonly<Record<string, string>> = {
  to: 'email',
  customerEmail: 'email',
  toAddress: 'email',
  logoUrl: 'website',
}

const idForm = /^\^\[A-Za-z0-9_-\]/

const timestamps: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.integer({ min: -500 * 1_440, max: 500 * 1_440 }).map((minutes) => isoAt(minutes * minuteMs)),
  },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: Date.UTC(9999, 11, 30) }).map((ms) => new Date(ms).toISOString()) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        '1970-01-01T00:00:00Z',
        '1970-01-01T00:00:00.000+00:00',
        '9999-12-30T23:59:59.999Z',
        '2028-02-29T23:59:59+14:00',
      ],
      ...[
        '2026-03-29T01:30:00+00:00',
        '2026-10-25T00:30:00Z',
        '2026-11-15t09:00:00z',
        '2026-11-15T09:00Z',
        '2026-11-15T09:00:00.123456789-0330',
      ],
      ...[
        '1969-12-31T23:59:59Z',
        '9999-12-31T23:59:59Z',
        '2026-12-31T23:59:60Z',
        '2026-11-15T24:00:00Z',
        '2026-11-15T09:00:00+99:99',
      ],
    ),
  },
)
const today = Math.floor(Date.now() / dayMs) * dayMs
const isoAt = (fromTodayMs: number) => new Date(today + fromTodayMs).toISOString()

/** Makes arbitraries for the schemas of one document. `isRecord` says whether records go by a name. */
export function valuesOf(document: OpenApiDocument, isRecord: (name: string) => boolean) {
  const cache = new Map<Schema, Values>()

  function valuesFor(schema: Schema, name: string): Values {
    const cached = cache.get(schema)
    if (cached) return cached
    const values = createArbitrary(resolveRef(document, schema), name)
    cache.set(schema, values)
    return values
  }

  function createArbitrary(schema: Schema, name: string): Values {
    if (schema.const !== undefined) return fc.constant(schema.const)
    if (schema.enum) return fc.constantFrom(...schema.enum)
    if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => valuesFor(one, name)))
    const types = [schema.type ?? ['string', 'object', 'null']].flat()
    return fc.oneof(
      ...types.map((type) => ({ weight: type === 'null' ? 1 : 5, arbitrary: ofType(type, schema, name) })),
    )
  }

  function ofType(type: string, schema: Schema, name: string): Values {
    switch (type) {
      case 'null':
        return fc.constant(null)
      case 'boolean':
        return fc.boolean()
      case 'integer':
      case 'number':
        return numbers(schema)
      case 'array':
        return fc.array(valuesFor(schema.items ?? {}, name), { maxLength: Math.min(schema.maxItems ?? 4, 4) })
      case 'object':
        return objects(schema)
      default:
        return idForm.test(schema.pattern ?? '') || (isRecord(name) && !schema.format)
          ? share.map((at) => new RecordRef(name, at))
          : texts(schema, name)
    }
  }

  /** Either any of the optional fields, or few of them, because rules between fields refuse most of the former. */
  function objects({ properties = {}, required = [] }: Schema): Values {
    const model = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, valuesFor(one, name)]))
    const optional = Object.keys(model).filter((name) => !required.includes(name))
    const any = fc.record(model, { requiredKeys: [...required] as never[], noNullPrototype: true })
    const few = fc
      .tuple(
        fc.record(model, { noNullPrototype: true }),
        fc.subarray(optional, { maxLength: Math.min(3, optional.length) }),
      )
      .map(([all, some]) => Object.fromEntries([...required, ...some].map((name) => [name, all[name]])))
    return fc.oneof({ weight: 2, arbitrary: any }, { weight: 3, arbitrary: few })
  }

  /** The example with a few fields of our own; ids in it are nobody's, so they become those of records. */
  function like(schema: Schema, example: Readonly<Record<string, unknown>>): Values {
    const { properties = {}, maxProperties } = resolveRef(document, schema)
    const names = Object.keys(properties)
    const model = Object.fromEntries(names.map((name) => [name, valuesFor(properties[name]!, name)]))
    const few = fc.subarray(names, { maxLength: Math.min(3, names.length) })
    return fc.tuple(fc.record(model, { noNullPrototype: true }), few).map(([all, some]) => {
      const isId = (name: string) => idForm.test(properties[name]?.pattern ?? '') && example[name] !== null
      const exampleEntries = Object.keys(example).map((name) => [name, isId(name) ? all[name] : example[name]])
      const entries = Object.entries(Object.fromEntries([...exampleEntries, ...some.map((name) => [name, all[name]])]))
      // Where only so many may be given, those that were chosen stand instead of the example's.
      return Object.fromEntries(maxProperties === undefined ? entries : entries.slice(-maxProperties))
    })
  }

  return { valuesFor, like }
}

function numbers({ type, minimum, maximum, exclusiveMinimum, multipleOf = 0.01 }: Schema): Values {
  const step = [type].flat().includes('integer') ? 1 : multipleOf
  const low = Math.ceil((minimum ?? exclusiveMinimum ?? -1_000) / step) + (exclusiveMinimum === undefined ? 0 : 1)
  const high = Math.floor((maximum ?? 1_000_000) / step)
  const decimals = Math.max(0, Math.round(-Math.log10(step)))
  const near = Math.min(high, Math.max(low, 0) + Math.round(300 / step))
  return fc
    .oneof(
      { weight: 5, arbitrary: fc.integer({ min: Math.max(low, 0), max: near }) },
      { weight: 1, arbitrary: fc.integer({ min: low, max: high }) },
      { weight: 2, arbitrary: fc.constantFrom(low, high) },
    )
    .map((steps) => Number((steps * step).toFixed(decimals)))
}

function texts({ format, minLength = 0, maxLength = 200, pattern, examples = [] }: Schema, name: string): Values {
  if (format === 'date-time') return timestamps
  const known =
    fieldValues[fieldAliases[name] ?? name] ??
    (format === 'email' ? fieldValues.email : format === 'uri' ? fieldValues.website : [])
  const own = [...(known ?? []), ...examples.map(String)]
  if (pattern?.includes('customer|device|lines'))
    return fc.subarray(['customer', 'device', 'lines'], { minLength: 1 }).map((parts) => parts.join(','))
  return fc.oneof(
    ...(own.length > 0 ? [{ weight: known?.length ? 12 : 3, arbitrary: fc.constantFrom(...own) }] : []),
    { weight: 4, arbitrary: fc.constantFrom(...sampleTexts).map((word) => word.slice(0, maxLength)) },
    { weight: 1, arbitrary: anyText.map((text) => text.slice(0, maxLength)) },
    { weight: 1, arbitrary: fc.constantFrom(...fillers).map((one) => repeatTo(one, maxLength)) },
    { weight: 1, arbitrary: fc.constantFrom(...fillers).map((one) => repeatTo(one, minLength)) },
  )
}

/** Exactly as long as that, as JavaScript counts. */
const repeatTo = (unit: string, length: number) => {
  const text = unit.repeat(Math.floor(length / unit.length))
  return text + 'a'.repeat(length - text.length)
}
