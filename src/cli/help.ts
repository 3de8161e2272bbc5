// The help texts: of the whole command line, of a group of commands, and of one command.
import type { Command, Parameter } from './command.ts'
import { bold, described, wrapped } from './layout.ts'

export function helpForAll(commands: readonly Command[]): string {
  return [
    `${bold('jobwright')}: the administrative commands of Jobwright`,
    '',
    bold('Usage'),
    '  npm run -s jobwright -- COMMAND …',
    '',
    bold('Commands'),
    described(commands.map(({ words, summary }) => [words, summary])),
    '',
    bold('With every command'),
    described(forEveryCommand),
    '',
    wrapped(
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
    described(commands.map(({ words, summary }) => [words, summary])),
    '',
    `What one takes: jobwright ${commands[0]!.words} --help`,
  ].join('\n')
}

export function helpFor(command: Command): string {
  const { words, summary, places, options, example } = command
  return [
    wrapped(`${summary}.`),
    '',
    bold('Usage'),
    wrapped(`jobwright ${usage(command)}`, '  '),
    '',
    ...(places.length > 0
      ? [bold('Arguments'), described(places.map(({ name, shape }) => [name, shape.description ?? ''])), '']
      : []),
    bold('Options'),
    described([...options.map((option) => [withValue(option), meaning(option)] as const), ...forEveryCommand]),
    ...(options.some(({ shape }) => shape.type === 'array')
      ? ['', 'A LIST has commas or spaces between its entries.']
      : []),
    ...(example === undefined ? [] : ['', bold('Example'), `  jobwright ${words} ${example}`]),
  ].join('\n')
}

const forEveryCommand = [
  ['--json', 'print one JSON object'],
  ['--help', 'show this text'],
] as const

function usage({ words, places, options }: Command): string {
  const required = options.filter(({ isRequired }) => isRequired).map(withValue)
  const rest = options.some(({ isRequired }) => !isRequired) ? ['[options]'] : []
  return [words, ...places.map(({ name }) => name), ...required, ...rest].join(' ')
}

/** `--role admin|manager|technician`, `--first-name NAME`, and a flag as it is. */
function withValue({ name, shape, isFlag }: Parameter): string {
  if (isFlag) return name
  if (shape.enum) return `${name} ${shape.enum.join('|')}`
  if (shape.type === 'boolean') return `${name} true|false`
  return `${name} ${shape.type === 'array' ? 'LIST' : name.split('-').at(-1)!.toUpperCase()}`
}

function meaning({ shape, isRequired, isFlag }: Parameter): string {
  const { description = '', default: otherwise } = shape
  const shown = Array.isArray(otherwise) ? otherwise.join(',') : String(otherwise ?? '')
  if (isRequired) return `${description} (required)`
  return shown === '' || isFlag ? description : `${description} (default: ${shown})`
}
