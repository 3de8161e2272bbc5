// Ids: a prefix that tells people what the record is, then a lower-case ULID, so that newer ids sort after older ones.
import { getRandomValues } from 'node:crypto'

const digits = '0123456789abcdefghjkmnpqrstvwxyz'
const randomDigits = new Uint8Array(16)
const randomPool = new Uint8Array(4_096)
let poolIndex = randomPool.length
let lastTime = 0
let timePart = ''

const exampleUlid = '01m7f6ymm0q3v8w2x5t9k4h7rd'

/** An id as examples show it: the ULID is the same everywhere, so that examples agree. */
export const exampleId = (prefix: string | undefined): string =>
  prefix === undefined ? exampleUlid : `${prefix}_${exampleUlid}`

/** Sorts before every id that is made from a moment on. */
export const firstIdAt = (prefix: string, time: number): string => `${prefix}_${timeDigits(Math.max(0, time))}`

export function newId(prefix: string): string {
  const now = Date.now()
  // Within a millisecond ids count on, so that what one request makes stays in the order it was made.
  if (now > lastTime) startMillisecond(now)
  else increment()
  let id = `${prefix}_${timePart}`
  for (const place of randomDigits) id += digits[place]
  return id
}

function startMillisecond(now: number): void {
  lastTime = now
  timePart = timeDigits(now)
  for (let place = 0; place < randomDigits.length; place++) randomDigits[place] = randomByte() % 32
}

function timeDigits(time: number): string {
  let text = ''
  for (let rest = time, place = 0; place < 10; place++, rest = Math.floor(rest / 32)) text = digits[rest % 32] + text
  return text
}

/** Steps of a random size, or the next id could be guessed from the one before. */
function increment(): void {
  let carry = 1 + randomByte() + 256 * randomByte()
  for (let place = randomDigits.length - 1; carry > 0 && place >= 0; place--) {
    const sum = randomDigits[place]! + carry
    randomDigits[place] = sum % 32
    carry = Math.floor(sum / 32)
  }
}

/** Random bytes are drawn by the thousand: asking for a few costs as much. */
function randomByte(): number {
  if (poolIndex === randomPool.length) {
    getRandomValues(randomPool)
    poolIndex = 0
  }
  return randomPool[poolIndex++]!
}
