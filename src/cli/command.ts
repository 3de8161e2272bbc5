// A command is one value: its words, what it takes, what it does and how its result reads. Parsing, help, usage and
// argument errors are all read off these values.
import { parseArgs } from 'node:util'
import { type Static, type TObject, type TProperties, Type as t } from 'typebox'
import { ApiError } from '../api/errors.ts'
import { bodyReader } from '../api/input.ts'
import type { Context } from './context.ts'

type Values<Fields extends TProperties> = Static<TObject<Fields>>
type Nothing = Record<never, never>

interface Definition<Places extends TProperties, Options extends TProperties, Result extends object> {
  readonly summary: string
  /** What is told by its place, in order: `key pause ORG KEY`. */
  readonly places?: Places
  /** What is told by its name: `--first-name`. A schema's description is the meaning that help shows. */
  readonly options?: Options
  /** The arguments of a typical call. */
  readonly example?: string
  run(args: Values<Places> & Values<Options>, ctx: Context): Promise<Result>
  /** The result for people; programs are given the result itself, as JSON. */
  show(result: Result): string
  /** Whether the result is good news; a command that finds something wrong ends like one that fails. */
  succeeded?(result: Result): boolean
  /** Whether what it makes goes to the output itself; its result then stands with the errors. */
  fillsOutput?(args: Values<Places> & Values<Options>): boolean
}

export interface Command {
  readonly words: string
  readonly summary: string
  readonly places: readonly Parameter[]
  readonly options: readonly Parameter[]
  readonly example: string | undefined
  /** Checks and tidies by the rules of the API. */
  read(given: Readonly<Record<string, unknown>>): object
  run(args: object, ctx: Context): Promise<object>
  show(result: object): string
  succeeded(result: object): boolean
  fillsOutput(args: object): boolean
}

/** The members of JSON Schema that are looked at here. */
interface Shape {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly description?: string
  readonly default?: unknown
}

export interface Parameter {
  /** Its name among the arguments of `run`. */
  readonly key: string
  /** As people type it: `--first-name`, or `ORG` where the place tells. */
  readonly name: string
  readonly shape: Shape
  readonly isRequired: boolean
  /** Takes no value: to name it is to say yes. Such is a boolean that is false unless it is named. */
  readonly isFlag: boolean
}

/** The command was typed wrongly: the sentence leads to its help. */
export class UsageError extends Error {}

export function command<
  Result extends object,
  Places extends TProperties = Nothing,
  Options extends TProperties = Nothing,
>(words: string, definition: Definition<Places, Options, Result>): Command {
  const { summary, example, show, run, succeeded = () => true, fillsOutput = () => false } = definition
  const schema = t.Object({ ...definition.places, ...definition.options } as TProperties)
  const parameters = (fields: TProperties = {}, nameOf: (key: string) => string): Parameter[] =>
    Object.entries(fields).map(([key, shape]) => ({
      key,
      name: nameOf(key),
      shape: shape as Shape,
      isRequired: ((schema.required ?? []) as string[]).includes(key) && !('default' in shape),
      isFlag: (shape as Shape).type === 'boolean' && (shape as Shape).default === false,
    }))
  return {
    words,
    summary,
    example,
    places: parameters(definition.places, (key) => key.toUpperCase()),
    options: parameters(definition.options, (key) => `--${kebab(key)}`),
    read: (given) => bodyReader(schema)(given).value,
    run: run as Command['run'],
    show: show as Command['show'],
    succeeded: succeeded as Command['succeeded'],
    fillsOutput: fillsOutput as Command['fillsOutput'],
  }
}

const kebab = (key: string) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const forEveryCommand = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const

export interface Reading {
  readonly wantsHelp: boolean
  readonly wantsJson: boolean
  /** What `run` takes. Asked for last, because help is given whatever else was typed. */
  args(): object
}

export function readCommandLine(command: Command, words: readonly string[]): Reading {
  const texts = new Map<string, string[]>()
  const hear = (key: string, text: string) => texts.set(key, [...(texts.get(key) ?? []), text])
  const wishes = new Set<string>()
  let place = 0
  // Not strict: the parser's own complaints run to several sentences.
  const { tokens } = parseArgs({
    args: [...words],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: {
      ...Object.fromEntries(command.options.map(({ name, isFlag }) => [name.slice(2), parsedAs(isFlag)])),
      ...forEveryCommand,
    },
  })
  const complaints: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') {
      const parameter = command.places[place++]
      if (parameter) hear(parameter.key, token.value)
      else complaints.push(`There is no place for "${token.value}"`)
    } else if (token.kind === 'option') {
      const parameter = command.options.find(({ name }) => name === `--${token.name}`)
      const { rawName, value, inlineValue } = token
      if (Object.hasOwn(forEveryCommand, token.name)) {
        wishes.add(token.name)
        if (inlineValue) complaints.push(`${rawName} takes no value`)
      } else if (!parameter) complaints.push(`There is no option ${rawName}`)
      else if (parameter.isFlag && inlineValue) complaints.push(`${rawName} takes no value`)
      else if (parameter.isFlag) hear(parameter.key, 'true')
      else if (value === undefined) complaints.push(`${rawName} needs a value`)
      else if (!inlineValue && value.startsWith('-') && !isDecimal.test(value)) {
        complaints.push(`${rawName} needs a value; one that begins with a dash is written ${rawName}=${value}`)
      } else hear(parameter.key, value)
    }
  }
  return {
    wantsHelp: wishes.has('help'),
    wantsJson: wishes.has('json'),
    args() {
      if (complaints[0] !== undefined) throw new UsageError(complaints[0])
      return checked(command, texts)
    },
  }
}

const isDecimal = /^-?\d+(\.\d+)?$/

const parsedAs = (isFlag: boolean): { type: 'boolean' | 'string' } => ({ type: isFlag ? 'boolean' : 'string' })

function checked(command: Command, texts: ReadonlyMap<string, readonly string[]>): object {
  const parameters = [...command.places, ...command.options]
  const given: Record<string, unknown> = {}
  for (const { key, name, shape } of parameters) {
    const [first, ...more] = texts.get(key) ?? []
    if (first === undefined) continue
    if (shape.type === 'array') given[key] = [...new Set([first, ...more].flatMap(listed))]
    else if (more.length > 0) throw new UsageError(`${name} must be given once`)
    else given[key] = fromText(first, shape)
  }
  try {
    return command.read(given)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // A refusal begins with the field: `firstName is required`, `uses[1] must be one of rest, mcp`.
    throw new UsageError(
      error.message.replace(
        /^(\w+)(\[\d+\])?/,
        (field, key) => parameters.find((parameter) => parameter.key === key)?.name ?? field,
      ),
    )
  }
}

/** Entries stand between commas or spaces. */
const listed = (text: string) => text.split(/[\s,]+/).filter(Boolean)

/** What is not a number or a truth value stays text, and is refused as such. */
function fromText(text: string, { type }: Shape): unknown {
  if (type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : text
  if (type === 'number') return isDecimal.test(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}
