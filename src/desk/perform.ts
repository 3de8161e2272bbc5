// How the desk acts: through the operations of the service, as the member, with the audit log in the same transaction.
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, type Queryable, sql } from '../db/database.ts'
import { lockOrganisationFor } from '../db/organisation-lock.ts'
import { audit, type NewAuditEntry } from '../identity/audit.ts'
import type { Role } from '../identity/members.ts'
import type { Attachment } from '../operations/answers.ts'
import type { Caller } from '../operations/caller.ts'
import { actorFor, noDependencies } from '../operations/context.ts'
import { ApiError } from '../operations/errors.ts'
import type { Execute } from '../operations/execute.ts'
import { executeIdempotent, idempotencyInProgress } from '../operations/idempotency.ts'
import type { Dependencies, Operation } from '../operations/operation.ts'

export interface Act {
  /** The name of the operation. */
  readonly operation: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
  /** The version that was seen: refused (412) if the record has moved on. */
  readonly version?: string | undefined
  /** What the audit log calls the record, such as `job #27`; or made from the answer. */
  readonly subject: string | ((data: never) => string)
}

/** What the service said instead of doing it. */
export interface Refusal {
  readonly status: number
  readonly message: string
  readonly code: string | undefined
  readonly data: unknown
}

export type Performed<T> =
  | { readonly isDone: true; readonly data: T; readonly version: string | undefined }
  | { readonly isDone: false; readonly refusal: Refusal }

/** A record as it is read, with its version. */
export interface ReadRecord<T> {
  readonly data: T
  readonly version: string | undefined
}

/** Performs one of several acts; what it throws takes back the others. */
export type PerformOne = <T = Record<string, unknown>>(act: Act) => Promise<T>

interface PerformDependencies {
  readonly database: Database
  readonly execute: Execute
  readonly operations: readonly Operation[]
  readonly vault: Dependencies['vault']
}

/** How often, and after which pause, a form that was sent twice asks whether the first sending is done. */
const maxLooks = 100
const lookEveryMs = 100

export function createPerform({ database, execute, operations, vault }: PerformDependencies) {
  const byName = new Map(operations.map((operation) => [operation.name, operation]))
  const find = (name: string): Operation => {
    const operation = byName.get(name)
    if (!operation) throw new Error(`There is no operation ${name}`)
    return operation
  }

  async function performIn<T>(transaction: Queryable, caller: Caller, act: Act): Promise<ReadRecord<T>> {
    const operation = find(act.operation)
    const { params = {}, query = {}, body = {}, version } = act
    const precondition = version === undefined ? {} : { ifMatch: version }
    const result = await execute({ operation, params, query, body, ...precondition, transaction }, caller)
    const data = JSON.parse(result.data) as T
    await audit(transaction, caller.orgId, authorOf(caller), entryFor(operation, act, data))
    return { data, version: result.etag }
  }

  /** All of it, or nothing; refuses who was shut out in the meantime. */
  const together = <T>(caller: Caller, role: Role, work: (transaction: Queryable) => Promise<T>): Promise<T> =>
    database.transaction(
      caller.orgId,
      async (transaction) => {
        await refuseUnlessStill(transaction, caller, role)
        return work(transaction)
      },
      actorFor(caller),
    )

  /** The same form sent twice is one: whoever comes second waits, and gets the answer of the first. */
  async function once<T>(caller: Caller, key: string, work: (transaction: Queryable) => Promise<T>): Promise<T> {
    const request = { key, path: '/desk', canonicalInput: '' }
    const invocation = { caller, dependencies: { ...noDependencies, vault } }
    for (let looks = 1; ; looks++) {
      try {
        const run = async (transaction: Queryable) => ({
          status: 200,
          data: JSON.stringify(await work(transaction).catch(throwUnstored)),
        })
        const { data } = await executeIdempotent(request, invocation, database, run)
        return JSON.parse(data) as T
      } catch (error) {
        const isBusy = error instanceof ApiError && error.details.code === idempotencyInProgress.code
        if (!isBusy || looks === maxLooks) throw error
        await delay(lookEveryMs)
      }
    }
  }

  return {
    async read<T>(
      caller: Caller,
      { operation, params = {}, query = {} }: Omit<Act, 'subject'>,
    ): Promise<ReadRecord<T>> {
      const result = await execute({ operation: find(operation), params, query, body: undefined }, caller)
      return { data: JSON.parse(result.data) as T, version: result.etag }
    },

    /** An operation that answers with a file. */
    async readFile(caller: Caller, { operation, params = {}, query = {} }: Omit<Act, 'subject'>): Promise<Attachment> {
      const result = await execute({ operation: find(operation), params, query, body: undefined }, caller)
      if (!result.attachment) throw new Error(`${operation} answers no file`)
      return result.attachment
    },

    /** With a key, a second sending of the same changes nothing and gets the answer of the first. */
    perform<T>(caller: Caller, role: Role, act: Act, key?: string): Promise<Performed<T>> {
      const operation = find(act.operation)
      return answered(async () => {
        if (key !== undefined && !operation.steps) {
          const checked = async (transaction: Queryable) => {
            await refuseUnlessStill(transaction, caller, role)
            return (await performIn<T>(transaction, caller, act)).data
          }
          return { data: await once(caller, key, checked), version: undefined }
        }
        if (!operation.steps) return together(caller, role, (transaction) => performIn<T>(transaction, caller, act))
        const { params = {}, query = {}, body = {}, version } = act
        const precondition = version === undefined ? {} : { ifMatch: version }
        const result = await execute({ operation, params, query, body, ...precondition }, caller)
        const data = JSON.parse(result.data) as T
        await database.transaction(caller.orgId, (transaction) =>
          audit(transaction, caller.orgId, authorOf(caller), entryFor(operation, act, data)),
        )
        return { data, version: result.etag }
      })
    },

    /** Keys are as above. */
    performAll<T>(
      caller: Caller,
      role: Role,
      work: (perform: PerformOne) => Promise<T>,
      key?: string,
    ): Promise<Performed<T>> {
      const run = async (transaction: Queryable) => {
        const perform: PerformOne = async <R>(act: Act) => (await performIn<R>(transaction, caller, act)).data
        return work(perform)
      }
      return answered(async () => {
        if (key === undefined) return { data: await together(caller, role, run), version: undefined }
        const checked = async (transaction: Queryable) => {
          await refuseUnlessStill(transaction, caller, role)
          return run(transaction)
        }
        return { data: await once(caller, key, checked), version: undefined }
      })
    },

    /** Work that no operation does, with its line in the audit log. */
    audited<T>(
      caller: Caller,
      role: Role,
      work: (transaction: Queryable) => Promise<T>,
      entry: NewAuditEntry | ((result: T) => NewAuditEntry),
    ): Promise<Performed<T>> {
      return answered(async () => {
        const data = await together(caller, role, async (transaction) => {
          const result = await work(transaction)
          const line = typeof entry === 'function' ? entry(result) : entry
          await audit(transaction, caller.orgId, authorOf(caller), line)
          return result
        })
        return { data, version: undefined }
      })
    },
  }
}

/** A refusal on its way out of a transaction. It is no `ApiError`, so that it is never stored as the answer of a key. */
class Refused extends Error {
  override readonly cause: unknown
  constructor(cause: unknown) {
    super('Refused')
    this.cause = cause
  }
}

function throwUnstored(error: unknown): never {
  throw error instanceof ApiError ? new Refused(error) : error
}

async function answered<T>(work: () => Promise<ReadRecord<T>>): Promise<Performed<T>> {
  try {
    return { isDone: true, ...(await work()) }
  } catch (error) {
    const refused = error instanceof Refused ? error.cause : error
    if (!(refused instanceof ApiError) || refused.status >= 500) throw refused
    const { status, message, details } = refused
    const sentence = `${message}.`.replace(/\.\.$/, '.')
    return { isDone: false, refusal: { status, message: sentence, code: details.code, data: details.data } }
  }
}

const authorOf = ({ credentialId, name }: Caller) => ({ id: credentialId, name })

const entryFor = <T>(operation: Operation, { params = {}, subject }: Act, data: T): NewAuditEntry => ({
  action: auditActionFor(operation),
  subject: (data as { id?: string } | null)?.id ?? Object.values(params)[0] ?? null,
  detail: {
    name: typeof subject === 'string' ? subject : subject(data as never),
    what: operation.summary,
    operation: operation.name,
  },
})

const auditActionFor = ({ method, status }: Operation) =>
  method === 'DELETE' ? 'record.deleted' : method === 'POST' && status === 201 ? 'record.created' : 'record.changed'

/** Locked until the act is committed: who is shut out, or given another role, concurrently is so before or after it. */
async function refuseUnlessStill(transaction: Queryable, { orgId, credentialId }: Caller, role: Role): Promise<void> {
  await lockOrganisationFor(transaction, orgId, 'acting member')
  const [member] = await transaction.query<{ role: Role }>(
    sql`select role from members where org_id = ${orgId} and id = ${credentialId} and is_active`,
  )
  if (member?.role !== role) throw new ApiError(403, 'You may no longer do this: your account was changed meanwhile')
}
