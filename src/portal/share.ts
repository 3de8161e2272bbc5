// The shared page of a quote or an invoice: whoever has its address reads it and, if it is a quote, answers it.
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type as t } from 'typebox'
import { ask, contextOf } from '../api/context.ts'
import { ApiError } from '../api/errors.ts'
import { oneOf, optional, text } from '../api/fields.ts'
import { bodyReader } from '../api/input.ts'
import type { Count, Limits } from '../api/limits.ts'
import type { Caller, Surroundings } from '../api/operation.ts'
import { addressOf } from '../api/request.ts'
import { told } from '../api/rest.ts'
import { tokenForm, tokenHash } from '../api/secret-addresses.ts'
import { type Database, Unavailable } from '../database.ts'
import { answeredPageOf, messagePage, notFoundPage, pageHeaders, pageOf } from '../documents/page.ts'
import { assetHeaders, assets } from '../pages/assets.ts'
import { type Shared, sharedBy, viewed } from '../resources/documents/opened-link.ts'
import { attachmentOf } from '../resources/documents/pdf.ts'
import { sheetOf } from '../resources/documents/sheet.ts'
import { answerQuote } from '../resources/quotes/answer.ts'
import { fieldsIn } from './forms.ts'

interface Parts extends Surroundings {
  readonly database: Database
  readonly limits: Limits
}

type Request = FastifyRequest<{ Params: { token: string }; Body: string }>

const pictureForm = /^data:image\/png;base64,[A-Za-z0-9+/=]+$/
/** A drawn signature of the largest size, as a form sends it. */
const formBytes = 1_048_576

const readAnswer = bodyReader(
  t.Object({
    answer: oneOf(['accept', 'decline']),
    name: optional(text(120)),
    reason: optional(text(2_000)),
    signature: optional(t.String({ maxLength: 400_000 })),
  }),
)

export async function sharePages(app: FastifyInstance, { database, limits, ...surroundings }: Parts): Promise<void> {
  for (const { path, type, body } of assets) {
    app.get(path, async (_request, reply) => reply.headers(assetHeaders).type(type).send(body))
  }

  app.register(async (pages) => {
    pages.removeAllContentTypeParsers()
    pages.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: formBytes },
      async (_request: FastifyRequest, body: string) => body,
    )
    pages.setErrorHandler((error, request, reply) => failed(error, request, reply))
    pages.addHook('onRequest', async (request, reply) => {
      reply.headers(pageHeaders)
      if (await isRefused(reply, limits.page(addressOf(request)))) return reply
    })

    pages.get('/s/:token', async (request: Request, reply) => {
      const shared = await found(request)
      if (!shared) return missing(reply)
      if (request.method === 'GET') await database.transaction((opened) => viewed(acting(opened, shared), shared))
      return reply.send(await page(request, shared))
    })

    pages.get('/s/:token/pdf', async (request: Request, reply) => {
      const shared = await found(request)
      if (!shared) return missing(reply)
      if (await isRefused(reply, limits.pdf(addressOf(request)))) return reply
      const sheet = await ask(database, sheetOf(shared, shared.kind, shared.documentId))
      const { fileName, bytes } = attachmentOf(sheet, surroundings)
      return reply
        .type('application/pdf')
        .header('content-disposition', `inline; filename="${fileName}"`)
        .send(Buffer.from(await bytes()))
    })

    pages.post('/s/:token', async (request: Request, reply) => {
      const shared = await found(request)
      if (shared?.kind !== 'quote') return missing(reply)
      const form = Object.fromEntries(fieldsIn(request.body ?? ''))
      const typed = { name: form.name ?? '', reason: form.reason ?? '' }
      const refuse = async (problem: string) => reply.code(400).send(await page(request, shared, { problem, typed }))
      if (!isSame(form.csrf ?? '', csrfOf(request.params.token))) return refuse('Please send your answer again.')
      const given = answerIn(form)
      if (given instanceof ApiError) return refuse(capitalised(`${given.message}.`))
      const isAccepted = given.answer === 'accept'
      if (isAccepted && !given.name) return refuse('Please tell us your name.')
      const { name = null, reason = null, signature = null } = given
      if (signature && !pictureForm.test(signature)) return refuse('Please draw your signature again.')
      const answer = { isAccepted, name, reason: isAccepted ? null : reason, signature, address: addressOf(request) }
      const isTaken = await database.transaction((opened) =>
        answerQuote(acting(opened, shared, name ?? undefined), shared.documentId, request.params.token, answer),
      )
      if (isTaken) return reply.redirect(`/s/${request.params.token}`, 303)
      const sheet = await ask(database, sheetOf(shared, shared.kind, shared.documentId))
      const { token } = request.params
      return reply.code(409).send(answeredPageOf(sheet, { token, csrf: csrfOf(token) }))
    })
  })

  const found = async ({ params: { token } }: Request): Promise<Shared | undefined> =>
    tokenForm.test(token) ? ask(database, sharedBy(token)) : undefined

  const page = async ({ params: { token } }: Request, shared: Shared, more = {}) =>
    pageOf(await ask(database, sheetOf(shared, shared.kind, shared.documentId)), {
      token,
      csrf: csrfOf(token),
      ...more,
    })

  /** Known only to who was shown the form. */
  const csrfOf = (token: string) => surroundings.vault.fingerprint(`answer ${token}`)

  const acting = (executor: Parameters<typeof contextOf>[0], { orgId }: Shared, name = 'Customer') => {
    const caller: Caller = { orgId, credentialId: 'customer', name, scopes: new Set() }
    return contextOf(executor, caller, surroundings)
  }
}

interface Given {
  readonly answer: 'accept' | 'decline'
  readonly name?: string | null
  readonly reason?: string | null
  readonly signature?: string | null
}

function answerIn(form: object): Given | ApiError {
  try {
    return readAnswer(form).value as unknown as Given
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

async function isRefused(reply: FastifyReply, count: Promise<Count>): Promise<boolean> {
  const { isOver, resetsInMs } = await count
  if (!isOver) return false
  reply.code(429).header('retry-after', String(Math.max(1, Math.ceil(resetsInMs / 1_000))))
  reply.send(messagePage('Too many requests', 'Please wait a minute and try again.'))
  return true
}

const missing = (reply: FastifyReply) => reply.code(404).send(notFoundPage())

function failed(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  reply.type('text/html; charset=utf-8')
  if (error instanceof ApiError && error.status === 404) return missing(reply)
  const { statusCode = 500 } = error as { statusCode?: number }
  const isAway = error instanceof Unavailable || (error instanceof ApiError && error.status === 503)
  if (!isAway && statusCode < 500) {
    return reply.code(statusCode).send(messagePage('That did not work', 'What you sent could not be read.'))
  }
  if (!isAway) request.log.error({ err: told(error), requestId: request.id }, 'a shared page failed')
  return reply
    .code(isAway ? 503 : 500)
    .send(messagePage('Something went wrong', 'Please try again in a moment. Nothing has been changed.'))
}

const isSame = (given: string, expected: string) => timingSafeEqual(tokenHash(given), tokenHash(expected))

const capitalised = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)
