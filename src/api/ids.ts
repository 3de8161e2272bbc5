// Ids: a prefix that tells people what the record is, then a lower-case ULID, so that newer ids sort after older ones.
import { getRandomValues } from 'node:crypto'

const digits = '0123456789abcdefghjkmnpqrstvwxyz'
const random = new Uint8Array(4096)
let used = random.length

export function newId(prefix: string): string {
  if (used + 16 > random.length) {
    getRandomValues(random)
    used = 0
  }
  let id = ''
  for (let time = Date.now(), place = 0; place < 10; place++, time = Math.floor(time / 32)) id = digits[time % 32] + id
  for (let place = 0; place < 16; place++) id += digits[random[used++]! % 32]
  return `${prefix}_${id}`
}
