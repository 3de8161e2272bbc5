// The envelope of errors: what every surface of REST answers when it refuses or fails.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { TurnTimeout, Unavailable } from '../db/database.ts'
import { basePath } from '../operations/base-path.ts'
import * as errors from '../operations/errors.ts'
import { ApiError } from '../operations/errors.ts'
import { logError } from './log-error.ts'

/** Answers any error in the envelope; what was not expected is logged once, with the id the caller is given. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, config: Config) {
  const apiError = toApiError(error)
  // Hundreds can come at once, and where they come from tells nothing.
  if (error instanceof TurnTimeout)
    request.log.warn({ requestId: request.id }, 'an organisation waited for its turn in vain')
  else if (apiError.status >= 500) logError(error, request, apiError.message)
  reply.headers(apiError.headers)
  if (apiError.details.code === 'insufficient_scope') {
    reply.header(
      'www-authenticate',
      `Bearer error="insufficient_scope", scope="${apiError.details.requiredScopes!.join(' ')}", ` +
        `resource_metadata="${config.restOrigin}/.well-known/oauth-protected-resource${basePath}"`,
    )
  }
  return reply.code(apiError.status).type('application/json; charset=utf-8').send(errorBody(apiError, request.id))
}

/** The body of every error. */
export function errorBody({ status, message, details }: ApiError, requestId: string): string {
  return JSON.stringify({ success: false, error: message, ...details, ...(status >= 500 && { requestId }) })
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof Unavailable) return errors.unavailable()
  const { statusCode = 500, message } = error as FastifyError
  if (statusCode === 413) return errors.tooLarge()
  if (statusCode === 415) return errors.notJson()
  return statusCode < 500 ? new ApiError(statusCode, message) : errors.unexpected()
}
