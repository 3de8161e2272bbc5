// Ids: a prefix that tells people what the record is, then a lower-case ULID, so that newer ids sort after older ones.
import { getRandomValues } from 'node:crypto'

const digits = '0123456789abcdefghjkmnpqrstvwxyz'
const places = new Uint8Array(16)
const chances = new Uint8Array(4_096)
let used = chances.length
let lastTime = 0
let time = ''

export function newId(prefix: string): string {
  const now = Date.now()
  // Within a millisecond ids count on, so that what one request makes stays in the order it was made.
  if (now > lastTime) begin(now)
  else next()
  let id = `${prefix}_${time}`
  for (const place of places) id += digits[place]
  return id
}

function begin(now: number): void {
  lastTime = now
  time = ''
  for (let rest = now, place = 0; place < 10; place++, rest = Math.floor(rest / 32)) time = digits[rest % 32] + time
  for (let place = 0; place < places.length; place++) places[place] = chance() % 32
}

/** Steps of a random size, or the next id could be guessed from the one before. */
function next(): void {
  let carry = 1 + chance() + 256 * chance()
  for (let place = places.length - 1; carry > 0 && place >= 0; place--) {
    const sum = places[place]! + carry
    places[place] = sum % 32
    carry = Math.floor(sum / 32)
  }
}

/** Random bytes are drawn by the thousand: asking for a few costs as much. */
function chance(): number {
  if (used === chances.length) {
    getRandomValues(chances)
    used = 0
  }
  return chances[used++]!
}
