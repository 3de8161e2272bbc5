// Secret addresses: a token in them opens one page or one calendar to whoever has it. It is random, and found by its hash.
import { hash, randomBytes } from 'node:crypto'

const bytes = 24

/** 192 random bits in 32 letters. */
export const newToken = (): string => randomBytes(bytes).toString('base64url')

export const tokenForm = /^[A-Za-z0-9_-]{32}$/

export const tokenHash = (token: string): Buffer => hash('sha256', token, 'buffer')
