// Names and places of PostgreSQL's write-ahead log: segments of 16 MB, numbered through, and named with their timeline.

/** What initdb makes unless it is told otherwise, and ours is not. */
export const segmentBytes = 16 * 1024 * 1024
const segmentsPerName = 2n ** 32n / BigInt(segmentBytes)

export const isSegmentName = (name: string): boolean => /^[0-9A-F]{24}$/.test(name)
/** Says which timeline branched off from which, and where. */
export const isHistoryName = (name: string): boolean => /^[0-9A-F]{8}\.history$/.test(name)

/** The place of a segment among all, whatever its timeline. */
export function segmentNumber(name: string): number {
  return Number(hex(name.slice(8, 16)) * segmentsPerName + hex(name.slice(16)))
}

/** The number of the segment that holds a position such as `0/9000028`. */
export function segmentAt(lsn: string): number {
  const [high = '', low = ''] = lsn.split('/')
  return Number(((hex(high) << 32n) + hex(low)) / BigInt(segmentBytes))
}

/** Where a segment begins. */
export function startOfSegment(number: number): string {
  const place = BigInt(number) * BigInt(segmentBytes)
  return `${(place >> 32n).toString(16)}/${(place & 0xffff_ffffn).toString(16)}`.toUpperCase()
}

/** All segments of one timeline from the first to the last. */
export function segmentsBetween(first: string, last: string): string[] {
  const [from, to] = [segmentNumber(first), segmentNumber(last)]
  return Array.from({ length: to - from + 1 }, (_, index) => {
    const number = BigInt(from + index)
    const parts = [number / segmentsPerName, number % segmentsPerName]
    return first.slice(0, 8) + parts.map((part) => part.toString(16).toUpperCase().padStart(8, '0')).join('')
  })
}

/** Of every segment from one on that is needed, the first that is not there; undefined where none is missing. */
export function missingSegment(from: number, present: readonly number[]): number | undefined {
  const known = new Set(present)
  const last = Math.max(from, ...known)
  for (let number = from; number <= last; number++) if (!known.has(number)) return number
  return undefined
}

const hex = (digits: string) => BigInt(`0x${digits}`)
