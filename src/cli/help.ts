// The help texts: of the whole command line, of a group of commands, and of one command.
import { readFileSync } from 'node:fs'
import { commandName } from '../config/command-name.ts'
import type { Command, Parameter } from './command.ts'
import { bold, twoColumns, wrap } from './layout.ts'

/** What the list of all commands shows of one. */
type Listed = Pick<Command, 'words' | 'summary'>

/** All of them as `npm run generate` found them: loading them to list them would load the whole service. */
export const listedCommands = (): readonly Listed[] =>
  JSON.parse(readFileSync(new URL('./made/commands.json', import.meta.url), 'utf8'))

export function helpForAll(commands: readonly Listed[]): string {
  return [
    `${bold('jobwright')}: the administrative commands of Jobwright`,
    '',
    bold('Usage'),
    `  ${commandName} COMMAND …`,
    '',
    bold('Commands'),
    twoColumns(commands.map(({ words, summary }) => [words, summary])),
    '',
    bold('With every command'),
    twoColumns(commonOptions),
    '',
    wrap(
      'The commands work while the server runs and while it does not. They read the same settings as the server: ' +
        'see `jobwright settings`.',
    ),
  ].join('\n')
}

/** The commands that begin with the same word. */
export function helpForGroup(word: string, commands: readonly Command[]): string {
  return [
    bold('Usage'),
    `  jobwright ${word} COMMAND …`,
    '',
    bold('Commands'),
    twoColumns(commands.map(({ words, summary }) => [words, summary])),
    '',
    `What one takes: jobwright ${commands[0]!.words} --help`,
  ].join('\n')
}

export function helpFor(command: Command): string {
  const { words, summary, positionals, options, example } = command
  return [
    wrap(`${summary}.`),
    '',
    bold('Usage'),
    wrap(`jobwright ${usage(command)}`, '  '),
    '',
    ...(positionals.length > 0
      ? [bold('Arguments'), twoColumns(positionals.map(({ name, schema }) => [name, schema.description ?? ''])), '']
      : []),
    bold('Options'),
    twoColumns([
      ...options.map((option) => [optionSyntax(option), optionDescription(option)] as const),
      ...commonOptions,
    ]),
    ...(options.some(({ schema }) => schema.type === 'array')
      ? ['', 'A LIST has commas or spaces between its entries.']
      : []),
    ...(example === undefined ? [] : ['', bold('Example'), `  jobwright ${words} ${example}`]),
  ].join('\n')
}

const commonOptions = [
  ['--json', 'print one JSON object'],
  ['--help', 'show this text'],
] as const

function usage({ words, positionals, options }: Command): string {
  const required = options.filter(({ isRequired }) => isRequired).map(optionSyntax)
  const rest = options.some(({ isRequired }) => !isRequired) ? ['[options]'] : []
  const named = positionals.map(({ name, schema }) => (schema.type === 'array' ? `${name}…` : name))
  return [words, ...named, ...required, ...rest].join(' ')
}

/** What is longer is told by its description. */
const widestChoice = 40

/** `--role admin|manager|technician`, `--first-name NAME`, and a flag as it is. */
function optionSyntax({ name, schema, isFlag }: Parameter): string {
  if (isFlag) return name
  const choice = schema.enum?.join('|')
  if (choice && choice.length <= widestChoice) return `${name} ${choice}`
  if (schema.type === 'boolean') return `${name} true|false`
  return `${name} ${schema.type === 'array' ? 'LIST' : name.split('-').at(-1)!.toUpperCase()}`
}

function optionDescription({ schema, isRequired, isFlag }: Parameter): string {
  const { description = '', default: defaultValue } = schema
  const defaultText = Array.isArray(defaultValue) ? defaultValue.join(',') : String(defaultValue ?? '')
  if (isRequired) return `${description} (required)`
  return defaultText === '' || isFlag ? description : `${description} (default: ${defaultText})`
}
