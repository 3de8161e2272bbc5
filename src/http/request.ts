// What is read off a request before anybody decides about it: where it comes from, and whether its body can be read.
import { isUtf8 } from 'node:buffer'
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import * as errors from '../operations/errors.ts'

export const bodyLimit = 1_048_576
export const methodsWithBody = new Set(['POST', 'PUT', 'PATCH'])
const jsonTypeRegex = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/** What can be said of a body before it is read. Compressed ones are not opened: a small one may unpack to anything. */
export function refuseUnreadableBody({ method, headers }: FastifyRequest): void {
  if (!methodsWithBody.has(method)) return
  const isCompressed = headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity'
  if (isCompressed || !jsonTypeRegex.test(headers['content-type'] ?? '')) throw errors.notJson()
  if (Number(headers['content-length'] ?? 0) > bodyLimit) throw errors.tooLarge()
}

export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return {}
  if (!isUtf8(body)) throw errors.badRequest('The body is not valid UTF-8')
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw errors.badRequest('The body is not valid JSON')
  }
}

/** Behind a trusted proxy Fastify reads the address from X-Forwarded-For, where anything may stand. */
export function clientAddress(request: FastifyRequest): string {
  const address = normalizeAddress(request.ip ?? '') // who has hung up already has none
  return isIP(address) ? address : normalizeAddress(request.socket.remoteAddress ?? '0.0.0.0')
}

export const firstHeader = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header)

/** `::ffff:10.0.0.7` is 10.0.0.7, however the connection was made. */
export const normalizeAddress = (address: string): string =>
  withoutPort(address).replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

/** Some proxies write `192.0.2.1:5678` or `[2001:db8::1]:5678`. */
export const withoutPort = (address: string): string =>
  address.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$|^\[([^\]]+)\](?::\d+)?$/, '$1$2')

export const bearer = (authorization: string | undefined): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
