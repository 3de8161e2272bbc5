// A command is one value: its words, what it takes, what it does and how its result reads. Parsing, help, usage and
// argument errors are all read off these values.
import { parseArgs } from 'node:util'
import type { Static, TObject, TProperties } from 'typebox'
import { ApiError } from '../operations/errors.ts'
import { createBodyParser } from '../operations/input.ts'
import { t } from '../operations/schemas.ts'
import type { CommandContext } from './context.ts'

type Values<Fields extends TProperties> = Static<TObject<Fields>>
type Nothing = Record<never, never>

interface Definition<Positionals extends TProperties, Options extends TProperties, Result extends object> {
  readonly summary: string
  /** Positional arguments, in order: `key pause ORG KEY`. The last one takes all that follow if it is an array. */
  readonly positionals?: Positionals
  /** Named options: `--first-name`. A schema's description is the meaning that help shows. */
  readonly options?: Options
  /** The arguments of a typical call. */
  readonly example?: string
  run(args: Values<Positionals> & Values<Options>, ctx: CommandContext): Promise<Result>
  /** The result for people; programs are given the result itself, as JSON. */
  render(result: Result): string
  /** Whether the result is good news; a command that finds something wrong ends like one that fails. */
  isSuccess?(result: Result): boolean
  /** How it ends, where programs tell more than two endings apart. */
  exitStatus?(result: Result): number
  /** Whether what it makes goes to the output itself; its result then stands with the errors. */
  usesStdout?(args: Values<Positionals> & Values<Options>): boolean
}

export interface Command {
  readonly words: string
  readonly summary: string
  readonly positionals: readonly Parameter[]
  readonly options: readonly Parameter[]
  readonly example: string | undefined
  /** Checks and tidies by the rules of the API. */
  read(given: Readonly<Record<string, unknown>>): object
  run(args: object, ctx: CommandContext): Promise<object>
  render(result: object): string
  exitStatus(result: object): number
  usesStdout(args: object): boolean
}

/** The members of JSON Schema that are looked at here. */
interface ParameterSchema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly description?: string
  readonly default?: unknown
}

export interface Parameter {
  /** Its name among the arguments of `run`. */
  readonly key: string
  /** As people type it: `--first-name`, or `ORG` for a positional argument. */
  readonly name: string
  readonly schema: ParameterSchema
  readonly isRequired: boolean
  /** Takes no value: to name it is to say yes. Such is a boolean that is false unless it is named. */
  readonly isFlag: boolean
}

/** The command was typed wrongly: the sentence leads to its help. */
export class UsageError extends Error {}

export function command<
  Result extends object,
  Positionals extends TProperties = Nothing,
  Options extends TProperties = Nothing,
>(words: string, definition: Definition<Positionals, Options, Result>): Command {
  const { summary, example, render, run, isSuccess = () => true, usesStdout = () => false } = definition
  const { exitStatus = (result) => (isSuccess(result) ? 0 : 1) } = definition
  const schema = t.Object({ ...definition.positionals, ...definition.options } as TProperties)
  const parameters = (fields: TProperties = {}, nameOf: (key: string) => string): Parameter[] =>
    Object.entries(fields).map(([key, parameterSchema]) => ({
      key,
      name: nameOf(key),
      schema: parameterSchema as ParameterSchema,
      isRequired: ((schema.required ?? []) as string[]).includes(key) && !('default' in parameterSchema),
      isFlag:
        (parameterSchema as ParameterSchema).type === 'boolean' &&
        (parameterSchema as ParameterSchema).default === false,
    }))
  return {
    words,
    summary,
    example,
    positionals: parameters(definition.positionals, (key) => key.toUpperCase()),
    options: parameters(definition.options, (key) => `--${kebab(key)}`),
    read: (given) => createBodyParser(schema)(given).value,
    run: run as Command['run'],
    render: render as Command['render'],
    exitStatus: exitStatus as Command['exitStatus'],
    usesStdout: usesStdout as Command['usesStdout'],
  }
}

const kebab = (key: string) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const commonOptions = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const

export interface ParsedCommandLine {
  readonly wantsHelp: boolean
  readonly wantsJson: boolean
  /** What `run` takes. Parsed last, because help is given whatever else was typed. */
  args(): object
}

export function parseCommandLine(command: Command, words: readonly string[]): ParsedCommandLine {
  const valuesByKey = new Map<string, string[]>()
  const addValue = (key: string, text: string) => valuesByKey.set(key, [...(valuesByKey.get(key) ?? []), text])
  const commonFlags = new Set<string>()
  let position = 0
  // Not strict: the parser's own complaints run to several sentences.
  const { tokens } = parseArgs({
    args: [...words],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: {
      ...Object.fromEntries(command.options.map(({ name, isFlag }) => [name.slice(2), optionType(isFlag)])),
      ...commonOptions,
    },
  })
  const errors: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') {
      const last = command.positionals.at(-1)
      const parameter = command.positionals[position++] ?? (last?.schema.type === 'array' ? last : undefined)
      if (parameter) addValue(parameter.key, token.value)
      else errors.push(`There is no place for "${token.value}"`)
    } else if (token.kind === 'option') {
      const parameter = command.options.find(({ name }) => name === `--${token.name}`)
      const { rawName, value, inlineValue } = token
      if (Object.hasOwn(commonOptions, token.name)) {
        commonFlags.add(token.name)
        if (inlineValue) errors.push(`${rawName} takes no value`)
      } else if (!parameter) errors.push(`There is no option ${rawName}`)
      else if (parameter.isFlag && inlineValue) errors.push(`${rawName} takes no value`)
      else if (parameter.isFlag) addValue(parameter.key, 'true')
      else if (value === undefined) errors.push(`${rawName} needs a value`)
      else if (!inlineValue && value.startsWith('-') && !isDecimal.test(value)) {
        errors.push(`${rawName} needs a value; one that begins with a dash is written ${rawName}=${value}`)
      } else addValue(parameter.key, value)
    }
  }
  return {
    wantsHelp: commonFlags.has('help'),
    wantsJson: commonFlags.has('json'),
    args() {
      if (errors[0] !== undefined) throw new UsageError(errors[0])
      return validateArgs(command, valuesByKey)
    },
  }
}

const isDecimal = /^-?\d+(\.\d+)?$/

const optionType = (isFlag: boolean): { type: 'boolean' | 'string' } => ({ type: isFlag ? 'boolean' : 'string' })

function validateArgs(command: Command, valuesByKey: ReadonlyMap<string, readonly string[]>): object {
  const parameters = [...command.positionals, ...command.options]
  const given: Record<string, unknown> = {}
  for (const { key, name, schema } of parameters) {
    const [first, ...more] = valuesByKey.get(key) ?? []
    if (first === undefined) continue
    if (command.positionals.some((one) => one.key === key && schema.type === 'array')) given[key] = [first, ...more]
    else if (schema.type === 'array') given[key] = [...new Set([first, ...more].flatMap(splitList))]
    else if (more.length > 0) throw new UsageError(`${name} must be given once`)
    else given[key] = parseValue(first, schema)
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
const splitList = (text: string) => text.split(/[\s,]+/).filter(Boolean)

/** What is not a number or a truth value stays text, and is refused as such. */
function parseValue(text: string, { type }: ParameterSchema): unknown {
  if (type === 'integer') return /^-?\d+$/.test(text) ? Number(text) : text
  if (type === 'number') return isDecimal.test(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}
