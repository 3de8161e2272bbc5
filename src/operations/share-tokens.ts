// Secret addresses: a token in them opens one page or one calendar to whoever has it. It is random, and found by its hash.
import { hash, randomBytes } from 'node:crypto'

const tokenBytes = 24

/** 192 random bits in 32 letters. */
export const newShareToken = (): string => randomBytes(tokenBytes).toString('base64url')

export const shareTokenRegex = /^[A-Za-z0-9_-]{32}$/

export const hashShareToken = (token: string): Buffer => hash('sha256', token, 'buffer')
