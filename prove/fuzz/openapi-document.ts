// The service's own OpenAPI document as the fuzz reads it: every operation, what it takes and what it may answer.

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxProperties?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly multipleOf?: number
  readonly pattern?: string
  readonly format?: string
  readonly examples?: readonly unknown[]
  readonly additionalProperties?: unknown
}

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>
}

export interface OpenApiDocument {
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** One operation of the document. */
export interface DescribedOperation {
  readonly name: string
  readonly method: string
  /** With its places for ids: `/organisations/{orgId}/customers/{customerId}`. */
  readonly template: string
  /** The places after the organisation's. */
  readonly ids: readonly string[]
  readonly query: readonly Parameter[]
  readonly takesIdempotencyKey: boolean
  readonly body: Schema | undefined
  /** A body that the document shows as a good one. */
  readonly example: Readonly<Record<string, unknown>>
  /** Content types and their schemas, by status. */
  readonly responses: ReadonlyMap<number, ReadonlyMap<string, Schema>>
}

interface OpenApiOperation {
  readonly security: readonly object[]
  readonly operationId: string
  readonly parameters?: readonly unknown[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, unknown>>
}

export const basePath = '/api/v1'

export async function fetchDocument(origin: string): Promise<OpenApiDocument> {
  const response = await fetch(`${origin}${basePath}/openapi.json`)
  return (await response.json()) as OpenApiDocument
}

/** What a reference stands for; anything else stands for itself. */
export function resolveRef<T extends object>(document: OpenApiDocument, part: T): T {
  const { $ref } = part as { $ref?: string }
  if ($ref === undefined) return part
  let node: unknown = document
  for (const step of $ref.split('/').slice(1)) node = (node as Record<string, unknown>)[step]
  return resolveRef(document, node as T)
}

/** The operations that a key opens and that come to an end. */
export function operationsIn(document: OpenApiDocument): DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([template, { parameters: _, ...methods }]) =>
    Object.entries(methods as Readonly<Record<string, OpenApiOperation>>)
      .filter(([, { security }]) => security.some((scheme) => 'apiKey' in scheme))
      .map(([method, operation]) => describeOperation(document, template, method, operation))
      .filter(({ responses }) => !responses.get(200)?.has('text/event-stream')),
  )
}

function describeOperation(
  document: OpenApiDocument,
  template: string,
  method: string,
  operation: OpenApiOperation,
): DescribedOperation {
  const parameters = (operation.parameters ?? []).map((one) => resolveRef(document, one as Parameter))
  const responses = Object.entries(operation.responses).map(([status, answer]) => {
    const { content = {} } = resolveRef(document, answer as Content)
    const schemas = Object.entries(content).map(([type, { schema }]) => [type, schema] as const)
    return [Number(status), new Map(schemas)] as const
  })
  const body = operation.requestBody?.content?.['application/json']
  return {
    name: operation.operationId,
    method: method.toUpperCase(),
    template,
    ids: [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).slice(1),
    query: parameters.filter((one) => one.in === 'query'),
    takesIdempotencyKey: parameters.some((one) => one.name === 'Idempotency-Key'),
    body: body?.schema,
    example: (body?.example ?? {}) as DescribedOperation['example'],
    responses: new Map(responses),
  }
}
