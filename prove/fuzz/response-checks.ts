// Whether an answer is one the document allows: never 5xx, always the envelope, a declared status, exactly the declared body.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FuzzRequest, FuzzResponse } from './http-sender.ts'
import { basePath, type DescribedOperation, type OpenApiDocument, type Schema } from './openapi-document.ts'

/** Stands in records of the other organisation, and nowhere else. */
export const canary = 'Zq7CanaryOfTheOther'

export interface Violation {
  /** What is wrong, without what differs from request to request. */
  readonly kind: string
  readonly detail: string
}

const rateLimitHeaders = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
/** Any request may be too large to be read. */
const tooLarge = new Set([413, 431])
/** Refusals of what may never have been a request for an operation. */
const generalStatuses = new Set([400, 401, 403, 404, 405, 409, 412, 413, 414, 415, 417, 431])

export type ResponseChecker = ReturnType<typeof createResponseChecker>

export function createResponseChecker(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false })
  // By division large amounts come out a little off; what is meant is how many decimal places there may be.
  ajv.removeKeyword('multipleOf')
  ajv.addKeyword({ keyword: 'multipleOf', type: 'number', validate: isMultiple })
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/)
  ajv.addFormat('date', /^\d{4}-\d\d-\d\d$/)
  ajv.addFormat('email', /^[^\s@]+@[^\s@]+$/)
  ajv.addFormat('uri', (text: string) => URL.canParse(text))
  ajv.addSchema({ $id: 'document', components: closeSchemas(document.components) })
  const compiled = new Map<Schema, ValidateFunction>()
  const validator = (schema: Schema): ValidateFunction => {
    const cached = compiled.get(schema)
    if (cached) return cached
    const compiledSchema = ajv.compile(withDocumentRefs(closeSchemas(schema)) as object)
    compiled.set(schema, compiledSchema)
    return compiledSchema
  }
  const errorSchema = document.components.schemas!.Error as Schema

  return {
    validator,

    /** `operation` is undefined where a request may have led anywhere. */
    violations(
      operation: DescribedOperation | undefined,
      request: Pick<FuzzRequest, 'method' | 'path'>,
      answer: FuzzResponse,
    ): Violation[] {
      const { status, headers } = answer
      const text = answer.body.toString('utf8')
      if (status === 0) return [{ kind: 'no answer', detail: text }]
      const violations: Violation[] = []
      const report = (kind: string, detail = text.slice(0, 600)) =>
        violations.push({ kind, detail: `${status} ${detail}` })
      if (status >= 500) report(`status ${status}`)
      if (text.includes(canary)) report('a record of the other organisation')
      const hasRateLimitHeaders = rateLimitHeaders.every((name) => /^\d+$/.test(String(headers[name])))
      if (request.path.startsWith(basePath) && !hasRateLimitHeaders) report(`no X-RateLimit-* with ${status}`)
      if (headers['x-request-id'] === undefined) report('no x-request-id')
      if (request.method === 'HEAD')
        return text === '' ? violations : [...violations, { kind: 'a body for HEAD', detail: text }]

      const type = String(headers['content-type'] ?? '').split(';')[0]!
      const declared = operation?.responses.get(status)
      const isKnown = operation && !tooLarge.has(status) ? declared : status < 400 || generalStatuses.has(status)
      if (!isKnown) report(`status ${status} is not declared`)
      if (type === 'application/pdf' && status === 200 && (!operation || declared?.has(type))) {
        return text.startsWith('%PDF-') ? violations : [...violations, { kind: 'no PDF', detail: text.slice(0, 100) }]
      }
      if (type === 'application/xml' && status === 200 && (!operation || declared?.has(type))) {
        return text.startsWith('<?xml ') ? violations : [...violations, { kind: 'no XML', detail: text.slice(0, 100) }]
      }
      if (type.startsWith('image/') && status === 200 && (!operation || declared?.has(type))) {
        const isInert = String(headers['content-security-policy']).includes('sandbox')
        return isInert ? violations : [...violations, { kind: 'a picture that could run', detail: text.slice(0, 100) }]
      }
      if (type === 'text/csv' && status === 200 && (!operation || declared?.has(type))) {
        const isTable = text.endsWith('\r\n') && !/(^|,)"?[=+@]/m.test(text)
        return isTable ? violations : [...violations, { kind: 'a formula in a table', detail: text.slice(0, 300) }]
      }
      const value = parseJson(text)
      if (type !== 'application/json' || (value as { success?: unknown })?.success !== status < 400) {
        report('not the envelope', `${type}: ${text.slice(0, 300)}`)
        return violations
      }
      const schema = declared
        ? declared.get(type)
        : status >= 400 && status !== 409 && !operation
          ? errorSchema
          : undefined
      if (declared && !schema) report('a content type that is not declared', type)
      if (schema && !validator(schema)(value)) {
        const [first] = validator(schema).errors!
        report(
          `the body: ${first!.schemaPath.replace(/\d+/g, 'n')}`,
          `${first!.instancePath} ${first!.message} ${JSON.stringify(first!.params)} in ${text.slice(0, 600)}`,
        )
      }
      return violations
    },
  }
}

const isMultiple = (step: number, value: number): boolean => {
  const scaled = `${Number(value.toPrecision(15))}e${Math.round(-Math.log10(step))}`
  return /e[+-]?\d+e/.test(scaled) || Number.isInteger(Number(Number(scaled).toPrecision(15)))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What is not declared is not there: the same schema, with no room for more. */
function closeSchemas(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closeSchemas)
  if (typeof part !== 'object' || part === null) return part
  const copy = Object.fromEntries(Object.entries(part).map(([name, member]) => [name, closeSchemas(member)]))
  if (typeof copy.properties !== 'object' || copy.additionalProperties !== undefined) return copy
  return { ...copy, additionalProperties: false }
}

/** References lead into the document, wherever a schema was taken from. */
const withDocumentRefs = (part: unknown): unknown =>
  JSON.parse(JSON.stringify(part), (name, value) => (name === '$ref' ? `document${value}` : value))
