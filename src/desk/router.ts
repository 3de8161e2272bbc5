// The router behind every page of the desk: who is here, for which shop, what they may see, and how they act.
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Database, Queryable } from '../db/database.ts'
import { type FileAnswer, sendFile } from '../http/file-reply.ts'
import { type Html, html } from '../http/html.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import type { NewAuditEntry } from '../identity/audit.ts'
import type { Caller } from '../operations/caller.ts'
import { createContext, noDependencies } from '../operations/context.ts'
import { ApiError } from '../operations/errors.ts'
import type { Execute } from '../operations/execute.ts'
import type { Context, Dependencies, Operation } from '../operations/operation.ts'
import type { Scope } from '../operations/scopes.ts'
import { memberCaller } from '../resources/roles.ts'
import {
  type MemberSessionDependencies,
  requireMember,
  type SignedInMember,
  type Wants,
} from '../sign-in/member-session.ts'
import { flashOf } from './flash.ts'
import { type Clock, createClock } from './formatting.ts'
import { pageHead, pageHeaders, paperHeaders, sendFragment, sendFrame, type View } from './frame.ts'
import { frameContext, keysCookie, keysSeconds, usesKeysIn } from './frame-context.ts'
import { isStillMember } from './member.ts'
import { formKey, onceField } from './once.ts'
import { type Act, createPerform, type Performed, type PerformOne, type ReadRecord, type Refusal } from './perform.ts'

export interface DeskDependencies extends MemberSessionDependencies {
  readonly execute: Execute
  readonly operations: readonly Operation[]
  readonly vault: Dependencies['vault']
  readonly webhookRules: Dependencies['webhookRules']
  readonly config: Pick<Config, 'restOrigin' | 'authUrl' | 'smtpUrl' | 'mailFrom'>
  readonly limits: MemberSessionDependencies['limits'] & Pick<RateLimits, 'invitation'>
}

/** What a page of the desk knows, and what it can do. */
export interface DeskRequest extends SignedInMember {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | undefined>>
  /** Empty where nothing was sent. */
  readonly form: URLSearchParams
  readonly csrfField: Html
  /** For forms that make something: sent twice, they count once. */
  readonly onceField: Html
  readonly clock: Clock
  readonly caller: Caller
  readonly database: Database
  /** Whether a script asks, which shows the answer itself. */
  readonly isScript: boolean
  /** Without one mail is written to files. */
  readonly hasMailServer: boolean
  /** Whether single keys do something in this browser. */
  readonly usesKeys: boolean
  setUsesKeys(isOn: boolean): void
  may(scope: Scope): boolean
  /** A page of this shop. */
  href(path: string): string
  render(view: View): Promise<FastifyReply>
  fragment(part: Html): FastifyReply
  redirect(path: string, done?: string): FastifyReply
  /** Off to a page outside the desk. */
  leave(path: string): FastifyReply
  stream(messages: Readable): FastifyReply
  /** Whether the session and the role are still as they were when the page was asked for. */
  isStillAllowed(): Promise<boolean>
  /** Runs an operation as the member, with a line in the audit log, all or nothing; from a form with `once`, once. */
  perform<T = Record<string, unknown>>(act: Act): Promise<Performed<T>>
  /** Runs several operations, all or nothing; with a key, a form that is sent twice counts once. */
  performAll<T>(work: (perform: PerformOne) => Promise<T>, key?: string): Promise<Performed<T>>
  /** Runs what no operation does, with a line in the audit log, all or nothing. What is slow is done before. */
  audited<T>(
    work: (ctx: Context, transaction: Queryable) => Promise<T>,
    entry: NewAuditEntry | ((result: T) => NewAuditEntry),
  ): Promise<Performed<T>>
  /** Runs an operation that reads. */
  read<T>(operation: string, input?: Pick<Act, 'params' | 'query'>): Promise<T>
  /** Reads a record with its version, for the form that changes it. */
  readRecord<T>(operation: string, params: Readonly<Record<string, string>>): Promise<ReadRecord<T>>
  /** A file in place of a page. */
  sendFile(file: FileAnswer): Promise<FastifyReply>
  /** Runs an operation that answers with a file, and sends it. */
  sendFileOf(operation: string, input: Pick<Act, 'params' | 'query'>): Promise<FastifyReply>
  /** The version of a record, for the form that changes it. */
  version(operation: string, params: Readonly<Record<string, string>>): Promise<string | undefined>
  /** Answers what was done: a script in JSON, a plain form by leading on, or by showing the page with the reason. */
  answer(performed: Performed<unknown>, how: AnswerOptions): Promise<FastifyReply>
}

interface AnswerOptions {
  /** Where a plain form leads afterwards. */
  readonly to: string
  /** What is said there; a key of `flashMessages`. */
  readonly done?: string
  /** What a script is told besides. */
  readonly more?: Readonly<Record<string, unknown>>
  /** The page again, with what was typed and the reason. Without it the reason stands on a page of its own. */
  readonly refused?: (refusal: Refusal) => Promise<FastifyReply>
}

type Handler = (request: DeskRequest) => Promise<unknown>

export interface DeskRouter {
  /** `needs` says who is let in; everybody else is answered 403. */
  get(path: string, needs: readonly Scope[], handler: Handler): void
  post(path: string, needs: readonly Scope[], handler: Handler): void
}

/** `wants` says with which factors its pages are opened. */
export function createDeskRouter(
  app: FastifyInstance,
  dependencies: DeskDependencies,
  wants: Exclude<Wants, 'developer pages'> = 'desk',
): DeskRouter {
  const { database, browser } = dependencies
  const { perform, performAll, audited, read, readFile } = createPerform(dependencies)
  const { config, vault, webhookRules } = dependencies
  const contextOn = (transaction: Queryable, caller: Caller): Context =>
    createContext(transaction, caller, { restOrigin: config.restOrigin, vault, webhookRules, pdf: noDependencies.pdf })

  const createHandler =
    (needs: readonly Scope[], handler: Handler) => async (request: FastifyRequest, reply: FastifyReply) => {
      const params = request.params as Record<string, string>
      const member = await requireMember(dependencies, request, reply, { orgId: params.org, wants })
      if (!member) return reply
      const isWrite = request.method === 'POST'
      const caller = memberCaller(member)
      const form = isWrite ? browser.verifiedForm(request) : new URLSearchParams()
      const usesKeys = usesKeysIn(browser, request)
      const isScript = String(request.headers.accept).includes('application/json')
      const csrfField = browser.csrfField(request, reply)
      const query = request.query as Record<string, string | undefined>
      const href = (path: string) => `/desk/${member.orgId}${path}`
      const may = (scope: Scope) => caller.scopes.has(scope)
      const deskRequest: DeskRequest = {
        ...member,
        params,
        query,
        form,
        csrfField,
        onceField: onceField(),
        caller,
        database,
        isScript,
        hasMailServer: config.smtpUrl !== null,
        usesKeys,
        setUsesKeys: (isOn) => browser.setCookie(reply, keysCookie, isOn ? null : 'off', '/', keysSeconds),
        may,
        href,
        clock: createClock(member.timeZone, new Date()),
        render: async (view) =>
          sendFrame(reply, frameContext(member, csrfField, usesKeys), view, flashOf(deskRequest, query.done)),
        fragment: (part) => sendFragment(reply, part),
        redirect: (path, done) => reply.redirect(withDone(href(path), done), 303),
        leave: (path) => reply.redirect(path, 303),
        isStillAllowed: () => isStillMember(dependencies, request, member),
        stream: (messages) =>
          reply
            .headers({ ...pageHeaders, 'x-accel-buffering': 'no' }) // a proxy must not hold news back
            .type('text/event-stream; charset=utf-8')
            .send(messages),
        perform: (act) => perform(caller, member.role, act, keyOf(form, act)),
        performAll: (work, key) => performAll(caller, member.role, work, key),
        audited: (work, entry) =>
          audited(caller, member.role, (transaction) => work(contextOn(transaction, caller), transaction), entry),
        readRecord: (operation, params) => read(caller, { operation, params }),
        sendFile: (file) =>
          sendFile(reply.headers(file.mediaType === 'application/pdf' ? paperHeaders : pageHeaders), file),
        sendFileOf: async (operation, input) => deskRequest.sendFile(await readFile(caller, { operation, ...input })),
        read: async (operation, input = {}) => (await read(caller, { operation, ...input })).data as never,
        version: async (operation, params) => (await read(caller, { operation, params })).version,
        async answer(performed, { to, done, more, refused }) {
          if (performed.isDone)
            return isScript
              ? reply.headers(pageHeaders).send({ ok: true, version: performed.version, ...more })
              : deskRequest.redirect(to, done)
          const { refusal } = performed
          if (isScript)
            return reply
              .code(refusal.status)
              .headers(pageHeaders)
              .send({ ok: false, error: refusal.message, code: refusal.code, data: refusal.data })
          if (refused) return refused(refusal)
          throw new ApiError(refusal.status, refusal.message.replace(/\.$/, ''))
        },
      }
      if (!needs.every(may)) return deskRequest.render(refusedView(deskRequest))
      try {
        return await handler(deskRequest)
      } catch (error) {
        // What is refused in words is said inside the frame, with a way on; our own faults have their page.
        if (!(error instanceof ApiError) || error.status >= 500) throw error
        const { status, message, details } = error
        if (isScript)
          return reply
            .code(status)
            .headers(pageHeaders)
            .send({ ok: false, error: `${message}.`, code: details.code })
        return deskRequest.render(problemView(deskRequest, status, message))
      }
    }
  return {
    get: (path, needs, handler) => void app.get(`/desk/:org${path}`, createHandler(needs, handler)),
    post: (path, needs, handler) => void app.post(`/desk/:org${path}`, createHandler(needs, handler)),
  }
}

/** A form may act several times, so that the form alone is no key. */
const keyOf = (form: URLSearchParams, { operation, params }: Act): string | undefined =>
  form.get('once') ? formKey(form, { operation, params }) : undefined

const withDone = (path: string, done: string | undefined): string =>
  done === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}done=${done}`

/** 404 where there is nothing, other refusals with their reason: one way on. */
const problemView = ({ href }: DeskRequest, status: number, message: string): View => {
  const title = status === 404 ? 'There is nothing here' : 'That did not work'
  return {
    title,
    status,
    body: html`${pageHead(title)}<div class="card"><div class="empty"><strong>${message}.</strong>${status === 404 ? 'It may have been deleted, or the address is not whole.' : 'Go back, and try again.'}<div><a class="btn" href="${href('')}">To the start</a></div></div></div>`,
  }
}

const refusedView = ({ href, role }: DeskRequest): View => ({
  title: 'Not for your role',
  status: 403,
  body: html`${pageHead('Not for your role')}<div class="card"><div class="empty"><strong>This page is not open to you as a ${role}.</strong>Ask an admin of the shop if you need it.<div><a class="btn" href="${href('')}">To your day</a></div></div></div>`,
})
