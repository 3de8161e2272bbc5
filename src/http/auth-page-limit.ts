// The rate limit of the pages of signing in and of consent.
import type { FastifyInstance } from 'fastify'
import { tooManyRequests } from '../operations/errors.ts'
import { secondsUntilReset } from './rate-limit-headers.ts'
import type { RateLimits } from './rate-limits.ts'
import { clientAddress } from './request.ts'

/** Every request to a page of a plugin counts against its address. */
export function limitAuthPages(app: FastifyInstance, limits: RateLimits): void {
  app.addHook('onRequest', async (request) => {
    const count = await limits.authPage(clientAddress(request))
    if (count.isOver) throw tooManyRequests('Too many requests from your network', secondsUntilReset(count))
  })
}
