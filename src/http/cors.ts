// Cross-origin requests: which origins' scripts may call the API, and which headers they may read.
import fastifyCors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'

/** The headers that scripts of an allowed origin may read. */
const exposedHeaders = [
  'X-Request-Id',
  'ETag',
  'X-Ignored-Fields',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'WWW-Authenticate',
  'Idempotent-Replayed',
]

/** For the routes of one plugin; without allowed origins there is nothing to answer. */
export async function allowCrossOrigin(app: FastifyInstance, { corsOrigins }: Config): Promise<void> {
  if (corsOrigins.length === 0) return
  await app.register(fastifyCors, {
    origin: [...corsOrigins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders,
    strictPreflight: false,
  })
}
