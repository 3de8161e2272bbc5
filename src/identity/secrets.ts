// Secrets at rest: what must be read again is encrypted, what must only be recognised is hashed.
import {
  argon2,
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Config } from '../config/config.ts'
import { unavailable } from '../operations/errors.ts'
import { createFairSemaphore, SemaphoreFull } from './fair-semaphore.ts'

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

const argon = promisify(argon2)
/** Each run takes 19 MB and one of the four threads that files and names need too. */
const hashingSemaphore = createFairSemaphore({ maxConcurrent: 2, maxQueued: 64 })

async function runArgon2(queueKey: string, ...given: Parameters<typeof argon>): Promise<Buffer> {
  try {
    return await hashingSemaphore.run(queueKey, () => argon(...given))
  } catch (error) {
    throw error instanceof SemaphoreFull ? unavailable(error) : error
  }
}

const argon2Cost = { parallelism: 1, tagLength: 32, memory: 19_456, passes: 2 }

/** `who` has the turn: turns go round among those who wait. */
export async function hashPassword(password: string, queueKey = 'nobody'): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await runArgon2(queueKey, 'argon2id', { message: password, nonce, ...argon2Cost })
  return `argon2id$${argon2Cost.memory}$${argon2Cost.passes}$${nonce.toString('base64')}$${tag.toString('base64')}`
}

export async function verifyPassword(password: string, hash: string, queueKey = 'nobody'): Promise<boolean> {
  const [, memory, passes, nonce = '', tag = ''] = hash.split('$')
  const expected = Buffer.from(tag, 'base64')
  const settings = { ...argon2Cost, memory: Number(memory), passes: Number(passes) }
  const actual = await runArgon2(queueKey, 'argon2id', {
    message: password,
    nonce: Buffer.from(nonce, 'base64'),
    ...settings,
  })
  return timingSafeEqual(actual, expected)
}

/** 120 random bits in letters and digits that are not mistaken for each other. */
export const newPassword = (): string => base32(randomBytes(15)).toLowerCase()

/** 160 random bits in the form authenticator apps take. */
export const newTotpSecret = (): string => base32(randomBytes(20))

const base32Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replace(/.{5}/g, (five) => base32Digits[Number.parseInt(five, 2)]!)
}
