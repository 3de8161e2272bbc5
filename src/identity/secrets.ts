// Secrets that must be read again, encrypted at rest; and how secrets are made and compared.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'

/** Encrypts with the first key and decrypts with whichever fits, so that keys can be changed one after the other. */
export interface Vault {
  encrypt(text: string): string
  decrypt(encrypted: string): string
  /** The same for the same text, and of no use to who does not have the key. */
  fingerprint(text: string): string
  /** Keys for one purpose, derived from all there are, in order: for cookies and forms. */
  keysFor(purpose: string): readonly string[]
}

export async function createVault(config: Config): Promise<Vault> {
  const keys = config.secretsKey ?? [await readOrCreateKey(config.dataDir)]
  return {
    encrypt(text) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', keys[0]!, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
    },
    decrypt(encrypted) {
      const bytes = Buffer.from(encrypted, 'base64')
      for (const key of keys) {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(12, 28))
        try {
          return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
        } catch {} // encrypted with another of the keys
      }
      throw new Error('A secret was encrypted with a key that SECRETS_KEY no longer lists')
    },
    fingerprint: (text) => createHmac('sha256', keys[0]!).update(text).digest('base64url'),
    keysFor: (purpose) =>
      keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', `jobwright ${purpose}`, 32)).toString('base64url')),
  }
}

/** A single machine makes its own key, readable by its own user only. */
async function readOrCreateKey(dataDir: string): Promise<Buffer> {
  const file = join(dataDir, 'secrets.key')
  if (!existsSync(file)) {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    // Linked when it is whole: of two that start at once, one makes the key and the other reads it.
    const tempFile = `${file}.${process.pid}`
    await writeFile(tempFile, randomBytes(32).toString('base64'), { mode: 0o600, flush: true })
    await link(tempFile, file).catch(() => {})
    await unlink(tempFile)
  }
  const key = Buffer.from(await readFile(file, 'utf8'), 'base64')
  if (key.length !== 32)
    throw new Error(`${file} does not hold 32 bytes in base64: restore it, or what it encrypted is lost`)
  return key
}

/** 160 random bits in the form authenticator apps take. */
export const newTotpSecret = (): string => randomBase32(20)

const base32Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
export function randomBase32(byteCount: number): string {
  const bits = [...randomBytes(byteCount)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replace(/.{5}/g, (five) => base32Digits[Number.parseInt(five, 2)]!)
}

/** In the same time whatever they hold; only their lengths show. */
export const isSameSecret = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other)
