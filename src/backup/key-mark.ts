// By what a backup knows the key that encrypts secrets in its data, without holding it or anything that leads to it.
import { createHash } from 'node:crypto'

interface Keys {
  keysFor(purpose: string): readonly string[]
}

/** One for each key in use; the first is of the one that encrypts. */
export const keyMarks = (vault: Keys): string[] =>
  vault.keysFor('mark of backups').map((key) => createHash('sha256').update(key).digest('hex').slice(0, 16))
