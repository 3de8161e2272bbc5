// The administrative command line as a whole: finds the command that was typed, runs it and prints its result.
import type { Config } from '../config/config.ts'
import { FileRefused } from '../domain/moving-in/recognise.ts'
import { type Command, parseCommandLine, UsageError } from './command.ts'
import { loadCommands } from './commands.ts'
import { type CommandContext, openCommandContext } from './context.ts'
import { helpFor, helpForAll, helpForGroup, listedCommands } from './help.ts'
import { errorSentence } from './layout.ts'

/** Where a program runs. */
export interface ProgramIo {
  readConfig(): Config
  print(text: string): void
  printError(text: string): void
}

/** Answers the exit status. */
export async function program(words: readonly string[], { readConfig, print, printError }: ProgramIo): Promise<number> {
  const context = openCommandContext(
    readConfig,
    (progress) => printError(`${progress}\n`),
    (line) => print(`${line}\n`),
  )
  try {
    const { text, status, usesStderr = false } = await runCommand(words, context).finally(context.close)
    if (usesStderr) printError(`${text}\n`)
    else print(`${text}\n`)
    return status
  } catch (error) {
    printError(`${errorSentence(error)}\n`)
    if (wantsStack(context)) printError(`${(error as Error).stack}\n`)
    return error instanceof FileRefused ? refusedFile : 1
  }
}

/** A file that cannot be brought is no failure of ours, and programs tell it apart. */
const refusedFile = 2

interface CommandOutcome {
  readonly text: string
  /** As the shell sees it. */
  readonly status: number
  /** The output was needed for something else. */
  readonly usesStderr?: boolean
}

async function runCommand(words: readonly string[], context: CommandContext): Promise<CommandOutcome> {
  const typed = words.filter((word) => !helpPattern.test(word))
  if (typed.length === 0) return { text: helpForAll(listedCommands()), status: 0 }
  const commands = await loadCommands(typed[0])
  const command = commands.find((one) => one.words === words.slice(0, one.words.split(' ').length).join(' '))
  if (!command) return { text: helpOn(commands, typed), status: 0 }
  const parsed = parseCommandLine(command, words.slice(command.words.split(' ').length))
  if (parsed.wantsHelp) return { text: helpFor(command), status: 0 }
  try {
    const args = parsed.args()
    const result = await command.run(args, { ...context, isJson: parsed.wantsJson })
    return {
      usesStderr: command.usesStdout(args),
      text: parsed.wantsJson ? JSON.stringify(result) : command.render(result),
      status: command.exitStatus(result),
    }
  } catch (error) {
    if (error instanceof UsageError) error.message += `; see jobwright ${command.words} --help`
    throw error
  }
}

const helpPattern = /^(help|--help|-h)$/

/** `jobwright key`, `jobwright help key create`: what remains when the wish for help is taken away. */
function helpOn(commands: readonly Command[], words: readonly string[]): string {
  const typed = words.join(' ')
  const named = commands.find((command) => command.words === typed)
  if (named) return helpFor(named)
  const group = commands.filter((command) => command.words.startsWith(`${typed} `))
  if (group.length > 0) return helpForGroup(typed, group)
  const [first, second = ''] = words
  const isGroup = commands.some((command) => command.words.startsWith(`${first} `))
  const attempted = second.startsWith('-') ? first : `${first} ${second}`.trim()
  throw new Error(`There is no command "${attempted}"; see jobwright ${isGroup ? `${first} ` : ''}--help`)
}

function wantsStack({ config }: CommandContext): boolean {
  try {
    return ['debug', 'trace'].includes(config().logLevel)
  } catch {
    return false // the settings are what is wrong
  }
}
