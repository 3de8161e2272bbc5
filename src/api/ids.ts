// Ids: a prefix that tells people what the record is, then a lower-case ULID, so that newer ids sort after older ones.
import { getRandomValues } from 'node:crypto'

const digits = '0123456789abcdefghjkmnpqrstvwxyz'
const chances = new Uint8Array(16)
let lastTime = 0
let time = ''

export function newId(prefix: string): string {
  const now = Date.now()
  // Within a millisecond ids count on, so that what one request makes stays in the order it was made.
  if (now > lastTime) begin(now)
  else next()
  let id = `${prefix}_${time}`
  for (const chance of chances) id += digits[chance]
  return id
}

function begin(now: number): void {
  lastTime = now
  time = ''
  for (let rest = now, place = 0; place < 10; place++, rest = Math.floor(rest / 32)) time = digits[rest % 32] + time
  getRandomValues(chances)
  for (let place = 0; place < chances.length; place++) chances[place]! %= 32
}

/** Steps of a random size, or the next id could be guessed from the one before. */
function next(): void {
  let carry = 1 + Math.floor(Math.random() * 1_000_000)
  for (let place = chances.length - 1; carry > 0 && place >= 0; place--) {
    const sum = chances[place]! + carry
    chances[place] = sum % 32
    carry = Math.floor(sum / 32)
  }
}
