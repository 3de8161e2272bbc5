// The shared page of a quote or an invoice: whoever has its address reads it and, if it is a quote, answers it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../db/actor.ts'
import { type Database, Unavailable } from '../db/database.ts'
import { ownWork } from '../fairness/tenant.ts'
import { assetHeaders, assets } from '../http/assets.ts'
import { sendFile } from '../http/file-reply.ts'
import { parseForm } from '../http/forms.ts'
import { serializeError } from '../http/log-error.ts'
import type { RateLimitState, RateLimits } from '../http/rate-limits.ts'
import { clientAddress } from '../http/request.ts'
import { isSameSecret } from '../identity/secrets.ts'
import type { Caller } from '../operations/caller.ts'
import { createContext, runStatement } from '../operations/context.ts'
import { ApiError } from '../operations/errors.ts'
import { oneOf, optional, text } from '../operations/fields.ts'
import { createBodyParser } from '../operations/input.ts'
import type { Dependencies } from '../operations/operation.ts'
import { t } from '../operations/schemas.ts'
import { hashShareToken, shareTokenRegex } from '../operations/share-tokens.ts'
import {
  pageHeaders,
  renderAnsweredPage,
  renderMessagePage,
  renderNotFoundPage,
  renderPage,
} from '../rendering/page.ts'
import { pdfAttachment } from '../resources/billing/pdf.ts'
import { selectPrintDocument } from '../resources/billing/print-document.ts'
import { recordView, type SharedDocument, selectSharedDocument } from '../resources/billing/shared-document.ts'
import { answerQuote } from '../resources/quotes/answer.ts'

interface SharePageDependencies extends Dependencies {
  readonly database: Database
  readonly limits: RateLimits
}

type Request = FastifyRequest<{ Params: { token: string }; Body: string }>

const pngDataUrl = /^data:image\/png;base64,[A-Za-z0-9+/=]+$/
/** A drawn signature of the largest size, as a form sends it. */
const maxFormBytes = 1_048_576

const readAnswer = createBodyParser(
  t.Object({
    answer: oneOf(['accept', 'decline']),
    name: optional(text(120)),
    reason: optional(text(2_000)),
    signature: optional(t.String({ maxLength: 400_000 })),
  }),
)

export async function sharePages(
  app: FastifyInstance,
  { database, limits, ...dependencies }: SharePageDependencies,
): Promise<void> {
  for (const { path, type, body } of assets) {
    app.get(path, async (_request, reply) => reply.headers(assetHeaders).type(type).send(body))
  }

  app.register(async (pages) => {
    pages.removeAllContentTypeParsers()
    pages.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: maxFormBytes },
      async (_request: FastifyRequest, body: string) => body,
    )
    pages.setErrorHandler((error, request, reply) => sendError(error, request, reply))
    pages.addHook('onRequest', async (request, reply) => {
      reply.headers(pageHeaders)
      if (await isRateLimited(reply, limits.page(clientAddress(request)))) return reply
    })

    pages.get('/s/:token', async (request: Request, reply) => {
      const shared = await findShared(request)
      if (!shared) return sendNotFound(reply)
      if (request.method === 'GET')
        await database.transaction(
          shared.orgId,
          (transaction) => recordView(createCustomerContext(transaction, shared), shared),
          customerActor,
        )
      return reply.send(await renderShared(request, shared))
    })

    pages.get('/s/:token/pdf', async (request: Request, reply) => {
      const shared = await findShared(request)
      if (!shared) return sendNotFound(reply)
      if (await isRateLimited(reply, limits.pdf(clientAddress(request)))) return reply
      const printDocument = await runStatement(
        database,
        shared.orgId,
        selectPrintDocument(shared, shared.kind, shared.documentId),
      )
      return sendFile(reply, pdfAttachment(printDocument, { ...dependencies, orgId: shared.orgId }))
    })

    pages.post('/s/:token', async (request: Request, reply) => {
      const shared = await findShared(request)
      if (shared?.kind !== 'quote') return sendNotFound(reply)
      const form = Object.fromEntries(parseForm(request.body ?? ''))
      const typed = { name: form.name ?? '', reason: form.reason ?? '' }
      const refuse = async (problem: string) =>
        reply.code(400).send(await renderShared(request, shared, { problem, typed }))
      if (!isSameToken(form.csrf ?? '', csrfToken(request.params.token)))
        return refuse('Please send your answer again.')
      const given = parseAnswer(form)
      if (given instanceof ApiError) return refuse(capitalised(`${given.message}.`))
      const isAccepted = given.answer === 'accept'
      if (isAccepted && !given.name) return refuse('Please tell us your name.')
      const { name = null, reason = null, signature = null } = given
      if (signature && !pngDataUrl.test(signature)) return refuse('Please draw your signature again.')
      const answer = {
        isAccepted,
        name,
        reason: isAccepted ? null : reason,
        signature,
        address: clientAddress(request),
      }
      const isTaken = await database.transaction(
        shared.orgId,
        (transaction) =>
          answerQuote(
            createCustomerContext(transaction, shared, name ?? undefined),
            shared.documentId,
            request.params.token,
            answer,
          ),
        { ...customerActor, name: name ?? customerActor.name },
      )
      if (isTaken) return reply.redirect(`/s/${request.params.token}`, 303)
      const printDocument = await runStatement(
        database,
        shared.orgId,
        selectPrintDocument(shared, shared.kind, shared.documentId),
      )
      const { token } = request.params
      return reply.code(409).send(renderAnsweredPage(printDocument, { token, csrf: csrfToken(token) }))
    })
  })

  const findShared = async ({ params: { token } }: Request): Promise<SharedDocument | undefined> =>
    shareTokenRegex.test(token) ? runStatement(database, ownWork, selectSharedDocument(token)) : undefined

  const renderShared = async ({ params: { token } }: Request, shared: SharedDocument, more = {}) =>
    renderPage(
      await runStatement(database, shared.orgId, selectPrintDocument(shared, shared.kind, shared.documentId)),
      {
        token,
        csrf: csrfToken(token),
        ...more,
      },
    )

  /** Known only to who was shown the form. */
  const csrfToken = (token: string) => dependencies.vault.fingerprint(`answer ${token}`)

  const createCustomerContext = (
    queryable: Parameters<typeof createContext>[0],
    { orgId }: SharedDocument,
    name = 'Customer',
  ) => {
    const caller: Caller = { orgId, kind: 'customer', credentialId: 'customer', name, scopes: new Set() }
    return createContext(queryable, caller, dependencies)
  }
}

/** Whoever has the address; an answer names who gives it. */
const customerActor: Actor = { kind: 'customer', id: null, name: 'Customer' }

interface AnswerForm {
  readonly answer: 'accept' | 'decline'
  readonly name?: string | null
  readonly reason?: string | null
  readonly signature?: string | null
}

function parseAnswer(form: object): AnswerForm | ApiError {
  try {
    return readAnswer(form).value as unknown as AnswerForm
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

async function isRateLimited(reply: FastifyReply, count: Promise<RateLimitState>): Promise<boolean> {
  const { isOver, resetsInMs } = await count
  if (!isOver) return false
  reply.code(429).header('retry-after', String(Math.max(1, Math.ceil(resetsInMs / 1_000))))
  reply.send(renderMessagePage('Too many requests', 'Please wait a minute and try again.'))
  return true
}

const sendNotFound = (reply: FastifyReply) => reply.code(404).send(renderNotFoundPage())

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  reply.type('text/html; charset=utf-8')
  if (error instanceof ApiError && error.status === 404) return sendNotFound(reply)
  const { statusCode = 500 } = error as { statusCode?: number }
  const isUnavailable = error instanceof Unavailable || (error instanceof ApiError && error.status === 503)
  if (!isUnavailable && statusCode < 500) {
    return reply.code(statusCode).send(renderMessagePage('That did not work', 'What you sent could not be read.'))
  }
  if (!isUnavailable) request.log.error({ err: serializeError(error), requestId: request.id }, 'share page failed')
  return reply
    .code(isUnavailable ? 503 : 500)
    .send(renderMessagePage('Something went wrong', 'Please try again in a moment. Nothing has been changed.'))
}

const isSameToken = (given: string, expected: string) => isSameSecret(hashShareToken(given), hashShareToken(expected))

const capitalised = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)
