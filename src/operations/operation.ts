// An operation is one row of the specification: a route, what it needs, what it takes, what it answers, what it does.
// REST routes, OpenAPI, MCP tools, the scope table and the reference are all read off these values.
import type { Static, TObject, TSchema } from 'typebox'
import type { Query, ReadConnection } from '../db/database.ts'
import type { PrintDocument } from '../rendering/print-document.ts'
import type { FileKind } from './answers.ts'
import type { Caller } from './caller.ts'
import type { Conflict } from './errors.ts'
import type { EventSource } from './event-source.ts'
import { t } from './schemas.ts'
import { type Entity, type Method, type Scope, scopeFor } from './scopes.ts'
import type { WebhookRules } from './webhook-rules.ts'

/** What is the same for every caller: the service's own address, encryption, the PDF renderer, and what webhooks may be. */
export interface Dependencies {
  readonly restOrigin: string
  readonly vault: {
    encrypt(text: string): string
    decrypt(encrypted: string): string
    fingerprint(text: string): string
  }
  /** PDFs are queued by the organisation they belong to. */
  pdf(
    document: PrintDocument,
    options: { readonly orgId: string; readonly isBackground?: boolean; readonly facturX?: string | undefined },
  ): Promise<Uint8Array>
  readonly webhookRules: WebhookRules
}

/** What a running operation may touch: one organisation, and the database through `query`. */
export interface Context extends Dependencies {
  readonly orgId: string
  readonly caller: Caller
  /** Executes a statement, in the transaction that all statements of the operation share. */
  query<T>(statement: Statement<T>): Promise<T>
  /** Refuses unless the caller holds a scope whose need shows only while running. */
  require(scope: Scope): void
}

/**
 * What an operation in steps may touch. Between two steps it holds nothing: others go on, and a crash leaves what the
 * steps before have done.
 */
export interface StepContext extends Omit<Context, 'query'> {
  /** Runs in a transaction of its own, which should take well under a second. */
  step<T>(work: (ctx: Context) => Promise<T>): Promise<T>
  /**
   * The same for the steps after the first. Undefined where the caller has waited long enough: what remains is left to the
   * worker, and `Accepted` is answered.
   */
  stepInTime<T>(work: (ctx: Context) => Promise<T>): Promise<T | undefined>
}

/** What a statement is made for: one organisation and one caller, with the service's dependencies. */
export type StatementContext = Pick<Context, 'orgId' | 'caller' | keyof Dependencies>

/** SQL that has not been executed yet, and how its rows are decoded. It does nothing unless it is passed on. */
export interface Statement<T> {
  readonly sql: Query
  /** Reads the rows; refuses (`notFound`) where they say so. */
  readonly decode: (rows: never[]) => T
  /** Which connection it needs. */
  readonly connection?: ReadConnection | undefined
  /** What is judged first, in the same transaction, where that cannot be part of it. */
  readonly first?: Statement<void> | undefined
}

export const statement = <Row, T>(sql: Query, decode: (rows: Row[]) => T): Statement<T> => ({ sql, decode })

type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [K in Name | keyof PathParams<Rest>]: string }
  : Path extends `${string}:${infer Name}`
    ? { [K in Name]: string }
    : unknown

interface OperationInput<Route extends string, Query extends TObject, Body extends TObject> {
  readonly params: PathParams<Route>
  readonly query: Static<Query>
  readonly body: Static<Body>
}

interface OperationFields<Query extends TObject, Body extends TObject> {
  readonly name: string
  readonly summary: string
  /** The scopes, where they are not the entity's own for this method. */
  readonly needs?: readonly Scope[]
  /** Scopes it requires while running, in some cases only. */
  readonly mayNeed?: readonly Scope[]
  readonly query?: Query
  readonly body?: Body
  readonly status?: 200 | 201
  /** Answered 200 where what it creates is there already. */
  readonly mayExist?: boolean
  readonly returns: TSchema
  readonly orFile?: FileByQuery
  readonly conflicts?: readonly Conflict[]
  readonly mcp?: AgentHints
}

/** The file that an operation answers with instead, where a parameter of the query asks for it. */
export interface FileByQuery extends FileKind {
  readonly parameter: string
}

/** What an agent reads about an operation beyond what callers of REST do. */
export interface AgentHints {
  /** A sentence on its use, where it is a tool of its own. */
  readonly advice?: string
  /** Whether it reaches somebody outside the organisation, such as by mail. */
  readonly isOpenWorld?: boolean
}

/**
 * Most operations are one statement, which runs alone. One that needs several runs them in a transaction, and says so. One
 * that may need more than a second or two runs several transactions, and is safe to repeat: what it leaves undone is
 * written down, and the worker goes on with it.
 */
type Implementation<Input> =
  | { readonly transaction?: false; readonly steps?: false; run(input: Input, ctx: Context): Statement<unknown> }
  | { readonly transaction: true; readonly steps?: false; run(input: Input, ctx: Context): Promise<unknown> }
  | { readonly transaction?: false; readonly steps: true; run(input: Input, ctx: StepContext): Promise<unknown> }

type OperationDefinition<Route extends string, Query extends TObject, Body extends TObject> = OperationFields<
  Query,
  Body
> &
  Implementation<OperationInput<Route, Query, Body>> & {
    /** For what reads one record: locks it until the transaction ends, in the one order of locks. */
    lock?(params: PathParams<Route>, ctx: Context): Promise<unknown>
  }

interface UnscopedOperation {
  readonly method: Method
  readonly path: string
  readonly name: string
  readonly summary: string
  readonly needs: readonly Scope[] | undefined
  readonly mayNeed: readonly Scope[]
  readonly query: TObject
  readonly body: TObject
  readonly status: 200 | 201
  readonly mayExist: boolean
  readonly returns: TSchema
  readonly orFile: FileByQuery | undefined
  readonly conflicts: readonly Conflict[]
  readonly mcp: AgentHints
  readonly transaction: boolean
  readonly steps: boolean
  readonly lock: ((params: Readonly<Record<string, string>>, ctx: Context) => Promise<unknown>) | undefined
  run(
    input: OperationInput<string, TObject, TObject>,
    ctx: Context | StepContext,
  ): Statement<unknown> | Promise<unknown>
}

/** An operation that can be served. Only `resource` makes one, so none is served without scopes. */
export interface Operation extends UnscopedOperation {
  readonly entity: Entity
  readonly needs: readonly Scope[]
}

const emptyObject = t.Object({})

export function operation<
  Route extends `${Method} /${string}`,
  Query extends TObject = typeof emptyObject,
  Body extends TObject = typeof emptyObject,
>(route: Route, definition: OperationDefinition<Route, Query, Body>): UnscopedOperation {
  const [method, path] = route.split(' ') as [Method, string]
  return {
    status: 200,
    mayExist: false,
    mayNeed: [],
    conflicts: [],
    mcp: {},
    transaction: false,
    steps: false,
    query: emptyObject,
    body: emptyObject,
    needs: undefined,
    orFile: undefined,
    ...definition,
    method,
    path,
    lock: definition.lock as UnscopedOperation['lock'],
    run: definition.run as unknown as UnscopedOperation['run'],
  }
}

/** What is said of a table to those who read resources: how it is called, what its ids begin with, what a row holds. */
export interface DescribedTable {
  readonly name: string
  readonly noun: string
  readonly typeName: string
  readonly prefix: string
  readonly record: TObject
  readonly order: { readonly column: string }
  readonly parent: { readonly column: string } | undefined
  /** How its changes are told, where they are. */
  readonly event: EventSource<StatementContext> | undefined
}

interface ResourceDefinition {
  readonly entity: Entity
  readonly tables: readonly DescribedTable[]
  /** What is read together with a record and has ids of its own. */
  readonly parts?: readonly Pick<DescribedTable, 'typeName' | 'prefix'>[]
  /** What else is told as events, beyond its tables. */
  readonly told?: readonly EventSource<StatementContext>[]
}

/** Everything that one kind of record declares about itself. */
export interface Resource extends ResourceDefinition {
  readonly operations: readonly Operation[]
}

/** Each operation needs the entity's scope for its method unless it names its own. */
export function resource(definition: ResourceDefinition, operations: readonly UnscopedOperation[]): Resource {
  const { entity } = definition
  return {
    ...definition,
    operations: operations.map((one) => ({ ...one, entity, needs: one.needs ?? [scopeFor(entity, one.method)] })),
  }
}

/** The names of the ids in a path, in order. */
export const idsIn = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)

export const isStatement = (value: unknown): value is Statement<unknown> =>
  typeof value === 'object' && value !== null && 'decode' in value && 'sql' in value

/** What a delete or a removal answers. */
export const deletionMessage = t.Object({ message: t.String(), id: t.String() })
