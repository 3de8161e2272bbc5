// One kind of record in the reference: its fields, and the operations on it.
import { fileKindOf } from '../operations/answers.ts'
import { isRequired, type JsonSchema } from '../operations/json-schema.ts'
import { deletionMessage, type Operation } from '../operations/operation.ts'
import type { Entity } from '../operations/scopes.ts'
import { createVersions, type Versions } from '../operations/versions.ts'
import { createClientSamples } from './client/samples.ts'
import { anchor, link, table } from './markdown.ts'
import { code, describeType } from './schema-text.ts'

/** A record as it is read, and the bodies that create and change it. */
interface RecordEntry {
  readonly title: string
  readonly entity: Entity
  readonly read: JsonSchema
  readonly create: JsonSchema | undefined
  readonly update: JsonSchema | undefined
}

export function recordsOf(operations: readonly Operation[]): readonly RecordEntry[] {
  const bodies = new Map(operations.map(({ body }) => [(body as JsonSchema).title, body as JsonSchema]))
  const records = new Map<string, RecordEntry>()
  for (const { entity, returns, body } of operations) {
    const within = Object.values((body as JsonSchema).properties ?? {}).flatMap(titledIn)
    for (const read of [...titledIn(returns as JsonSchema), ...within]) {
      const title = read.title!
      if (isList(read) || title === 'Pagination' || records.has(title)) continue
      records.set(title, {
        title,
        entity,
        read,
        create: bodies.get(`${title}Create`),
        update: bodies.get(`${title}Update`),
      })
    }
  }
  return [...records.values()]
}

const isList = ({ properties }: JsonSchema) => properties?.pagination !== undefined

function titledIn(schema: JsonSchema): JsonSchema[] {
  const members = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])]
  return [...(schema.title ? [schema] : []), ...members.flatMap(titledIn)]
}

export function section(entity: Entity, operations: readonly Operation[], records: readonly RecordEntry[]): string[] {
  const versions = createVersions(operations)
  const samples = createClientSamples(operations)
  const own = operations.filter((operation) => operation.entity === entity)
  return [
    `## ${entity.title}`,
    entity.description,
    table(
      ['Operation', 'Address', 'Needs'],
      own.map((operation) => [
        link(operation.name),
        code(operationAddress(operation)),
        operation.needs.map(code).join(', '),
      ]),
    ),
    ...records.filter((record) => record.entity === entity).flatMap(recordLines),
    ...own.flatMap((operation) => operationLines(operation, records, versions, samples.signatureOf(operation))),
  ]
}

const operationAddress = ({ method, path }: Operation) =>
  `${method} {org}${path === '/' ? '' : path.replace(/:(\w+)/g, '{$1}')}`

function recordLines({ title, read, create, update }: RecordEntry): string[] {
  const bodies = Object.entries({ 'On create': create, 'On change': update }).filter(([, body]) => body)
  const presence = (body: JsonSchema | undefined, name: string) =>
    body?.properties?.[name] && !body.properties[name].readOnly
      ? isRequired(body, name)
        ? 'required'
        : 'optional'
      : ''
  // Some fields are only ever written: what a record answers is not all there is.
  const all = { ...create?.properties, ...update?.properties, ...read.properties }
  const names = [...new Set([...Object.keys(read.properties ?? {}), ...Object.keys(all)])]
  const rows = names
    .map((name) => [name, all[name]!] as const)
    .flatMap(([name, schema]) =>
      fieldRows(name, create?.properties?.[name] ?? schema).map(([field, kind, meaning], index) => [
        field!,
        kind!,
        ...bodies.map(([, body]) => (index === 0 ? presence(body, name) : '')),
        meaning!,
      ]),
    )
  return [`### ${recordHeading(title)}`, table(['Field', 'Kind', ...bodies.map(([head]) => head), 'Meaning'], rows)]
}

/** A field, and below it the fields of an object that has no name of its own. */
function fieldRows(name: string, schema: JsonSchema): string[][] {
  const inner = schema.items ?? schema
  const members = inner.title ? [] : Object.entries(inner.properties ?? {})
  return [
    [code(name), describeType(schema, recordLink), schema.description ?? ''],
    ...members.flatMap(([member, shape]) => fieldRows(`${name}${schema.items ? '[]' : ''}.${member}`, shape)),
  ]
}

function operationLines(
  operation: Operation,
  records: readonly RecordEntry[],
  versions: Versions,
  clientCall: string,
): string[] {
  const { name, summary, needs, mayNeed, query, body, status, returns, steps, orFile } = operation
  const scopes = [...needs.map(code), ...mayNeed.map((scope) => `${code(scope)} where it does what that guards`)]
  const refusals = operation.conflicts.map((conflict) => `[${code(conflict.code)}](#conflicts)`)
  return [
    `### ${name}`,
    `${summary}.`,
    `${code(operationAddress(operation))} · needs ${scopes.join(' and ')}`,
    `With the [client](../client/README.md): ${code(clientCall)}`,
    ...inputLines('Query', query as JsonSchema),
    ...bodyLines(body as JsonSchema, records),
    ...answerLines(status, returns as JsonSchema),
    ...(orFile
      ? [`Or, where ${code(orFile.parameter)} asks for it, with the ${orFile.noun} (${orFile.mediaTypes.join(', ')}).`]
      : []),
    ...versionLines(operation, versions),
    ...(steps
      ? ['Where it takes longer than two seconds it answers 202 in the same shape, and the service goes on with it.']
      : []),
    ...(refusals.length > 0 ? [`Refuses with 409 ${refusals.join(', ')}.`] : []),
  ]
}

function inputLines(title: string, schema: JsonSchema): string[] {
  const fields = Object.entries(schema.properties ?? {})
  if (fields.length === 0) return []
  const rows = fields.flatMap(([name, field]) =>
    fieldRows(name, field).map(([path, kind, meaning], index) => [
      path!,
      kind!,
      index === 0 && isRequired(schema, name) ? 'yes' : '',
      meaning!,
    ]),
  )
  return [table([title, 'Kind', 'Required', 'Meaning'], rows)]
}

function bodyLines(body: JsonSchema, records: readonly RecordEntry[]): string[] {
  const creates = records.find(({ create }) => create?.title === body.title)
  if (body.title && creates) return [`Body: the fields of ${recordLink(creates.title)} marked *on create*.`]
  const updates = records.find(({ update }) => update?.title === body.title)
  if (body.title && updates)
    return [`Body: the fields of ${recordLink(updates.title)} marked *on change*, any of them.`]
  return inputLines('Body', body)
}

function answerLines(status: number, returns: JsonSchema): string[] {
  const file = fileKindOf(returns)
  if (file) return [`Answers ${status} with the ${file.noun} itself (${file.mediaTypes.join(', ')}).`]
  if (returns === (deletionMessage as JsonSchema)) return [`Answers ${status} with \`message\` and \`id\` in \`data\`.`]
  if (returns.title && !isList(returns)) return [`Answers ${status} with ${recordLink(returns.title)} as \`data\`.`]
  const fields = Object.entries(returns.properties ?? {})
    .filter(([name]) => name !== 'pagination')
    .map(([name, schema]) => `${code(`data.${name}`)} (${describeType(schema, recordLink)})`)
  if (isList(returns)) fields.push('`data.pagination`')
  return [`Answers ${status} with ${fields.length > 0 ? fields.join(', ') : describeType(returns, recordLink)}.`]
}

function versionLines(operation: Operation, { isVersioned, readOf }: Versions): string[] {
  const hasTag = isVersioned(operation)
  if (readOf(operation)) return [`Takes \`If-Match\`${hasTag ? '; the answer carries the new `ETag`' : ''}.`]
  if (!hasTag) return []
  return [operation.method === 'GET' ? 'Carries an `ETag`; takes `If-None-Match`.' : 'Carries an `ETag`.']
}

const recordHeading = (title: string) => `The record ${title}`
const recordLink = (title: string) => `[${title}](${anchor(recordHeading(title))})`
