// An operation is one row of the specification: a route, what it needs, what it takes, what it answers, what it does.
// REST routes, OpenAPI, MCP tools, the scope table and the reference are all read off these values.
import { type Static, type TObject, type TSchema, Type as t } from 'typebox'
import type { ActorKind } from '../db/actor.ts'
import type { Query } from '../db/database.ts'
import type { PrintDocument } from '../rendering/print-document.ts'
import type { Conflict } from './errors.ts'
import type { EventSource } from './event-source.ts'
import { type Entity, type Method, type Scope, scopeFor } from './scopes.ts'

/** Who makes the request, as far as an operation may know. */
export interface Caller {
  readonly orgId: string
  readonly kind: ActorKind
  readonly credentialId: string
  /** What people called the key or the app. */
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
}

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
    options: { readonly orgId: string; readonly isBackground?: boolean },
  ): Promise<Uint8Array>
  readonly webhookRules: WebhookRules
}

/** What a webhook may ask for. A problem follows the name of the field; undefined if there is none. */
export interface WebhookRules {
  urlProblem(url: string): string | undefined
  typeProblem(pattern: string): string | undefined
  /** The names of entities whose records are told of. */
  readonly toldEntities: readonly string[]
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
  /** Which connection it needs: `slow` for a text search, `custom-plan` where the best plan depends on the values. */
  readonly connection?: 'slow' | 'custom-plan' | undefined
}

export const statement = <Row, T>(sql: Query, decode: (rows: Row[]) => T): Statement<T> => ({ sql, decode })

/** JSON text as it left PostgreSQL, made by a projection of declared fields: it goes out as it is. */
export class Json {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** What an operation that creates found there already: it is answered 200 instead of 201. */
export class Existing {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/** What an operation in steps has begun and the worker finishes: it is answered 202. */
export class Accepted {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/** An answer that is a file, made after the database is done with. */
export class Attachment {
  readonly fileName: string
  readonly mediaType: string
  readonly bytes: () => Promise<Uint8Array>
  constructor(fileName: string, mediaType: string, bytes: () => Promise<Uint8Array>) {
    this.fileName = fileName
    this.mediaType = mediaType
    this.bytes = bytes
  }
}

/** An answer that goes on: what happens behind a position, for as long as the connection and the credential last. */
export class Subscription<Filter = unknown> {
  readonly afterPosition: number
  /** What a caller is told; asked again each time, because what a credential allows may change meanwhile. */
  readonly filterFor: (caller: Caller) => Filter
  constructor(afterPosition: number, filterFor: (caller: Caller) => Filter) {
    this.afterPosition = afterPosition
    this.filterFor = filterFor
  }
}

/** What kind of file an operation answers with: what people call it, and the types it may have. */
export interface FileKind {
  readonly noun: string
  readonly mediaTypes: readonly string[]
}

/** What an operation returns that answers with a file; the title is the record's, if the file is one with an id. */
export const fileResponse = (file: FileKind, title?: string) =>
  t.Unsafe<Attachment>({ type: 'string', file, ...(title !== undefined && { title }) })
/** The media type of answers that go on. */
export const streamType = 'text/event-stream'
export const fileKindOf = (returns: object): FileKind | undefined => (returns as { file?: FileKind }).file

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
  readonly conflicts?: readonly Conflict[]
  readonly mcp?: AgentHints
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
  Implementation<OperationInput<Route, Query, Body>>

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
  readonly conflicts: readonly Conflict[]
  readonly mcp: AgentHints
  readonly transaction: boolean
  readonly steps: boolean
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
    ...definition,
    method,
    path,
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
