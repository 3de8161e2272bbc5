// What an API key looks like: a fixed prefix, 40 random characters and a checksum, so that a mistyped key costs nothing.
import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const prefix = 'sk_live_'
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const keyRegex = /^sk_live_[0-9A-Za-z]{46}$/

export function newKey(): string {
  let secret = prefix
  while (secret.length < prefix.length + 40) {
    // 248 is the largest multiple of 62 in a byte: what lies above would favour some characters.
    for (const byte of randomBytes(64))
      if (byte < 248 && secret.length < prefix.length + 40) secret += alphabet[byte % 62]
  }
  return secret + checksum(secret)
}

export const looksLikeKey = (text: string): boolean => text.startsWith(prefix)

export const isWellFormedKey = (text: string): boolean =>
  keyRegex.test(text) && checksum(text.slice(0, -6)) === text.slice(-6)

/** Keys are long and random, so a plain hash protects them at rest; it also makes look-ups independent of the secret. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** Enough to recognise a key by, too little to use it. */
export const keyPrefix = (key: string): string => key.slice(0, 12)

function checksum(secret: string): string {
  let text = ''
  for (let rest = crc32(secret), place = 0; place < 6; place++, rest = Math.floor(rest / 62))
    text = alphabet[rest % 62] + text
  return text
}
