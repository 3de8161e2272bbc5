// Parsers for the values of settings: each kind of value, and the sentence that says what is wrong with it.
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'

export type Parser<T> = (text: string) => T

export const text: Parser<string> = (value) => value
export const port: Parser<number> = integer(0, 65_535)
export const folder: Parser<string> = (value) => resolve(value)

/** An address or a network, written as a network: `10.0.0.7` is `10.0.0.7/32`. */
export function cidr(value: string): string {
  const [address = '', bits, ...rest] = value.split('/')
  const version = isIP(address)
  const maxBits = version === 6 ? 128 : 32
  if (
    version === 0 ||
    rest.length > 0 ||
    (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits))
  ) {
    throw new Error(`must be an address or a network such as 10.0.0.0/8, not "${value}"`)
  }
  return `${address}/${bits ?? maxBits}`
}

export function integer(min: number, max = Number.MAX_SAFE_INTEGER): Parser<number> {
  return (value) => {
    const number = Number(value)
    if (!Number.isInteger(number) || number < min || number > max) {
      throw new Error(`must be a whole number from ${min}${max < Number.MAX_SAFE_INTEGER ? ` to ${max}` : ''}`)
    }
    return number
  }
}

export function oneOf<const T extends string>(...values: readonly T[]): Parser<T> {
  return (value) => {
    if (!values.includes(value as T)) throw new Error(`must be one of ${values.join(', ')}`)
    return value as T
  }
}

export function list<T>(parse: Parser<T>): Parser<readonly T[]> {
  return (value) => value.split(',').map((part) => parse(part.trim()))
}

export function url(...protocols: string[]): Parser<string> {
  return (value) => {
    const parsed = URL.parse(value)
    if (!protocols.includes(parsed?.protocol ?? '')) throw new Error(`must be a ${protocols[0]}// address`)
    return value
  }
}

export function mailAddress(value: string): string {
  if (!/^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(value)) throw new Error('must be an address such as office@example.com')
  return value
}

export function origin(value: string): string {
  const parsed = URL.parse(value)
  if (!parsed || !/^https?:$/.test(parsed.protocol) || value.replace(/\/$/, '') !== parsed.origin) {
    throw new Error('must be an origin such as https://jobs.example.com')
  }
  return parsed.origin
}

export function base64Of32Bytes(value: string): Buffer {
  const bytes = Buffer.from(value, 'base64')
  if (bytes.length !== 32) throw new Error('must be 32 random bytes in base64: make one with `openssl rand -base64 32`')
  return bytes
}

/** A host name, for lists that also cover its subdomains. */
export function host(value: string): string {
  const name = URL.parse(`https://${value}`)?.hostname
  if (!name || name !== value.toLowerCase()) throw new Error(`must be host names such as example.com, not "${value}"`)
  return name
}

export function secretText(value: string): string {
  if (value.length < 16) throw new Error('must be at least 16 characters: make one with `openssl rand -base64 32`')
  return value
}

const roleNames = ['rest', 'auth', 'worker'] as const
export type Role = (typeof roleNames)[number]
export const everyRole: readonly Role[] = roleNames

export function roles(value: string): readonly Role[] {
  if (value === 'all') return everyRole
  return [...new Set(list(oneOf(...roleNames))(value))]
}

const maxProcesses = 64
/** `auto` counts the cores that this process may use, which in a container are fewer than the machine has. */
export const processCount: Parser<number | 'split'> = (value) => {
  if (value === 'split') return value
  if (value === 'auto') return Math.min(availableParallelism(), maxProcesses)
  try {
    return integer(1, maxProcesses)(value)
  } catch (error) {
    throw new Error(`${(error as Error).message}, or auto or split`)
  }
}
