// Passwords at rest: hashed with Argon2id, a few at a time.
import { argon2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { createFairSemaphore, SemaphoreFull } from '../concurrency/fair-semaphore.ts'
import { unavailable } from '../operations/errors.ts'
import { isSameSecret, randomBase32 } from './secrets.ts'

const argon = promisify(argon2)
/** Each hash takes 19 MB and one of the four threads of the pool that file system and DNS calls need, too. */
const hashingSemaphore = createFairSemaphore({ maxConcurrent: 2, maxQueued: 64 })

async function runArgon2(queueKey: string, ...given: Parameters<typeof argon>): Promise<Buffer> {
  try {
    return await hashingSemaphore.run(queueKey, () => argon(...given))
  } catch (error) {
    throw error instanceof SemaphoreFull ? unavailable(error) : error
  }
}

const argon2Cost = { parallelism: 1, tagLength: 32, memory: 19_456, passes: 2 }

/** Waiting hashes are served round robin by `queueKey`, so that one caller cannot delay the others. */
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
  return isSameSecret(actual, expected)
}

/** 120 random bits in letters and digits that are not mistaken for each other. */
export const newPassword = (): string => randomBase32(15).toLowerCase()
