// What is too long to be told: long texts such as drawn signatures, and whatever makes an event too large as a whole.

type Fields = Readonly<Record<string, unknown>>

export const maxFieldBytes = 8 * 1024
/** An event has 256 kB at most, its envelope and a short record included. */
export const maxRecordBytes = (256 - 12) * 1024

export interface ToldFields {
  readonly fields: Fields
  readonly omitted: readonly string[]
  readonly bytes: number
}

/** The fields that can be told, and the names of those that are left out. */
export function withoutLongFields(record: Fields, maxBytes = maxRecordBytes): ToldFields {
  const sizes = Object.entries(record).map(([name, value]) => ({
    name,
    value,
    bytes: Buffer.byteLength(JSON.stringify(value)),
  }))
  const isLong = new Set(sizes.filter(({ value, bytes }) => bytes > maxFieldBytes && hasLongText(value)))
  let total = sizes.reduce((sum, size) => (isLong.has(size) ? sum : sum + size.bytes), 0)
  for (const size of sizes.toSorted((one, other) => other.bytes - one.bytes)) {
    if (total <= maxBytes) break
    if (isLong.has(size)) continue
    isLong.add(size)
    total -= size.bytes
  }
  const told = sizes.filter((size) => !isLong.has(size))
  return {
    fields: Object.fromEntries(told.map(({ name, value }) => [name, value])),
    omitted: sizes.filter((size) => isLong.has(size)).map(({ name }) => name),
    bytes: total,
  }
}

/** In the field itself, or within what it holds. */
function hasLongText(value: unknown): boolean {
  if (typeof value === 'string') return Buffer.byteLength(value) > maxFieldBytes
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLongText)
}
