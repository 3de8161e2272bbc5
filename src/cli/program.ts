// The administrative command line as a whole: finds the command that was typed, runs it and prints its result.
import type { Config } from '../config.ts'
import { readCommandLine, UsageError } from './command.ts'
import { commands } from './commands.ts'
import { type Context, openContext } from './context.ts'
import { helpFor, helpForAll, helpForGroup } from './help.ts'
import { sentence } from './layout.ts'

/** Where a program runs. */
export interface Surroundings {
  readConfig(): Config
  print(text: string): void
  complain(text: string): void
}

/** Answers the exit status. */
export async function program(
  words: readonly string[],
  { readConfig, print, complain }: Surroundings,
): Promise<number> {
  const context = openContext(readConfig, (progress) => complain(`${progress}\n`))
  try {
    const { text, succeeded, isAside = false } = await act(words, context).finally(context.close)
    if (isAside) complain(`${text}\n`)
    else print(`${text}\n`)
    return succeeded ? 0 : 1
  } catch (error) {
    complain(`${sentence(error)}\n`)
    if (wantsStack(context)) complain(`${(error as Error).stack}\n`)
    return 1
  }
}

interface Act {
  readonly text: string
  readonly succeeded: boolean
  /** The output was needed for something else. */
  readonly isAside?: boolean
}

async function act(words: readonly string[], context: Context): Promise<Act> {
  const command = commands.find((one) => one.words === words.slice(0, one.words.split(' ').length).join(' '))
  if (!command) return { text: helpOn(words.filter((word) => !isWishForHelp.test(word))), succeeded: true }
  const line = readCommandLine(command, words.slice(command.words.split(' ').length))
  if (line.wantsHelp) return { text: helpFor(command), succeeded: true }
  try {
    const args = line.args()
    const result = await command.run(args, context)
    return {
      isAside: command.fillsOutput(args),
      text: line.wantsJson ? JSON.stringify(result) : command.show(result),
      succeeded: command.succeeded(result),
    }
  } catch (error) {
    if (error instanceof UsageError) error.message += `; see jobwright ${command.words} --help`
    throw error
  }
}

const isWishForHelp = /^(help|--help|-h)$/

/** `jobwright`, `jobwright key`, `jobwright help key create`: what remains when the wish for help is taken away. */
function helpOn(words: readonly string[]): string {
  const typed = words.join(' ')
  if (typed === '') return helpForAll(commands)
  const named = commands.find((command) => command.words === typed)
  if (named) return helpFor(named)
  const group = commands.filter((command) => command.words.startsWith(`${typed} `))
  if (group.length > 0) return helpForGroup(typed, group)
  const [first, second = ''] = words
  const isGroup = commands.some((command) => command.words.startsWith(`${first} `))
  const meant = second.startsWith('-') ? first : `${first} ${second}`.trim()
  throw new Error(`There is no command "${meant}"; see jobwright ${isGroup ? `${first} ` : ''}--help`)
}

function wantsStack({ config }: Context): boolean {
  try {
    return ['debug', 'trace'].includes(config().logLevel)
  } catch {
    return false // the settings are what is wrong
  }
}
