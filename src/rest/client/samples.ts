// A call of the client as people would write it: for the page at /docs, beside curl, and for the reference.
import { inspect } from 'node:util'
import { isRequired, type JsonSchema } from '../../operations/json-schema.ts'
import type { Operation } from '../../operations/operation.ts'
import type { Examples } from '../openapi/examples.ts'
import { type Argument, type ClientCall, callName, clientCalls } from './calls.ts'

export interface ClientSamples {
  /** With the names of arguments: `jobwright.customers.devices(customerId).update(deviceId, body)`. */
  signatureOf(operation: Operation): string
  /** With example values, ready to be copied. */
  sampleOf(operation: Operation, examples: Examples): string
}

export function createClientSamples(operations: readonly Operation[]): ClientSamples {
  const calls = new Map(
    clientCalls(operations)
      .filter(({ fileQuery }) => fileQuery === undefined)
      .map((call) => [call.operation, call]),
  )
  return {
    signatureOf: (operation) => signature(calls.get(operation)!),
    sampleOf: (operation, examples) => sample(calls.get(operation)!, examples),
  }
}

/** What is followed is not read as a file. */
const isStream = ({ operation }: ClientCall) => operation.path.endsWith('/stream')
const follow = (call: ClientCall) => ({ ...call, method: 'follow' })

function signature(call: ClientCall): string {
  if (isStream(call)) return `${callName(follow(call))}(query)`
  const { id, body, query } = call
  return `${callName(call)}(${[id, body && 'body', query && 'query'].filter(Boolean).join(', ')})`
}

function sample(call: ClientCall, examples: Examples): string {
  const { operation, id, body, query, listKey, file } = call
  if (isStream(call)) return loop('event', `${callName(follow(call))}({ from: 'now' })`)
  const { path } = operation
  const show = (name: string) =>
    name === 'index' ? '0' : literal(examples.idAt(path.slice(0, path.indexOf(`:${name}`) + name.length + 1)))
  const given = [
    ...(id === undefined ? [] : [show(id)]),
    ...(body ? [literal(exampleOf(body, examples.valueOf(operation.body, path)))] : []),
    ...(query && !query.isOptional ? [literal(exampleOf(query, examples.valueOf(operation.query, path)))] : []),
  ]
  const text = `${callName(call, show)}(${given.join(', ')})`
  if (listKey !== undefined) return loop('record', text)
  return `const ${file ? 'file' : 'answer'} = await ${text}`
}

const loop = (name: string, text: string) => `for await (const ${name} of ${text}) {\n  console.log(${name})\n}`
const literal = (value: unknown) => inspect(value, { depth: null, breakLength: 90, maxArrayLength: null })

/** What must be given, or else the first that can be. */
function exampleOf({ schema }: Argument, value: unknown): object {
  const example = (value ?? {}) as Record<string, unknown>
  const names = Object.keys(schema.properties ?? {})
  const required = names.filter((name) => isRequired(schema as JsonSchema, name))
  const shown = required.length > 0 ? required : names.slice(0, 1)
  return Object.fromEntries(shown.map((name) => [name, example[name]]))
}
