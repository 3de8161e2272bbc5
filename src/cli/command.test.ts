// What the framework of the command line promises, whatever the commands are.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { email, id, integer, oneOf, text } from '../operations/fields.ts'
import { t } from '../operations/schemas.ts'
import { command, parseCommandLine, UsageError } from './command.ts'
import { commandFiles, loadCommands } from './commands.ts'
import { helpFor, listedCommands } from './help.ts'

const hire = command('crew hire', {
  summary: 'Hire somebody',
  positionals: { ship: id({ description: 'the id of the ship' }) },
  options: {
    firstName: text(20, { description: 'their first name' }),
    email: t.Optional(email()),
    rank: oneOf(['mate', 'cook'], { default: 'mate', description: 'what they do' }),
    years: t.Optional(integer(1, 5)),
    aboard: t.Optional(t.Boolean()),
    unpaid: t.Boolean({ default: false, description: 'for the love of it' }),
    skills: t.Array(oneOf(['rowing', 'knots']), { default: [] }),
  },
  run: async () => ({}),
  render: () => '',
})
const read = (...words: string[]) => parseCommandLine(hire, words).args()
const assertRefused = (reason: string, ...words: string[]) =>
  assert.throws(() => read(...words), new UsageError(reason))

describe('a command line', () => {
  it('is read by the schemas of its command', () => {
    assert.deepEqual(read('ship_1', '--first-name', ' Ann ', '--years=3', '--aboard', 'false'), {
      ship: 'ship_1',
      firstName: 'Ann',
      rank: 'mate',
      years: 3,
      aboard: false,
      unpaid: false,
      skills: [],
    })
  })

  it('takes a flag without a value, whatever follows it', () => {
    const unpaid = (...words: string[]) => (read(...words) as { unpaid: boolean }).unpaid
    assert.equal(unpaid('ship_1', '--first-name', 'Ann', '--unpaid'), true)
    assert.equal(unpaid('--unpaid', 'ship_1', '--first-name', 'Ann'), true)
    const line = parseCommandLine(hire, ['ship_1', '--first-name', 'Ann', '--unpaid', '--json'])
    assert.deepEqual([line.wantsJson, (line.args() as { unpaid: boolean }).unpaid], [true, true])
  })

  it('takes options before and after what is told by its place', () => {
    assert.deepEqual(read('--first-name', 'Ann', 'ship_1'), read('ship_1', '--first-name', 'Ann'))
  })

  it('takes lists with commas, with spaces, and from a repeated option', () => {
    const skills = ['rowing', 'knots']
    for (const words of [
      ['--skills', 'rowing,knots'],
      ['--skills', 'rowing  knots'],
      ['--skills=rowing', '--skills=knots,rowing'],
    ]) {
      assert.deepEqual((read('ship_1', '--first-name', 'Ann', ...words) as { skills: string[] }).skills, skills)
    }
  })

  it('says in one sentence what is wrong with it', () => {
    const fine = ['ship_1', '--first-name', 'Ann']
    assertRefused('SHIP is required', '--first-name', 'Ann')
    assertRefused('SHIP must be an id: 1 to 128 letters, digits, _ or -', '../x', '--first-name', 'Ann')
    assertRefused('--first-name is required', 'ship_1')
    assertRefused('--first-name must not be empty', 'ship_1', '--first-name', ' ')
    assertRefused('--first-name must be at most 20 characters', 'ship_1', '--first-name', 'a'.repeat(21))
    assertRefused('--first-name has characters that are not allowed', 'ship_1', '--first-name', 'a\u001b[31m')
    assertRefused('--first-name needs a value', 'ship_1', '--first-name')
    assertRefused(
      '--first-name needs a value; one that begins with a dash is written --first-name=--json',
      'ship_1',
      '--first-name',
      '--json',
    )
    assertRefused('--first-name must be given once', ...fine, '--first-name', 'Bea')
    assertRefused('--email must be a valid email address', ...fine, '--email', 'ann@')
    assertRefused('--rank must be one of mate, cook', ...fine, '--rank', 'captain')
    assertRefused('--years must be at most 5', ...fine, '--years', '6')
    assertRefused('--years must be an integer', ...fine, '--years', 'many')
    assertRefused('--aboard must be true or false', ...fine, '--aboard', 'yes')
    assertRefused('--skills must be one of rowing, knots', ...fine, '--skills', 'rowing,singing')
    assertRefused('There is no option --firstName', ...fine, '--firstName', 'Ann')
    assertRefused('There is no option -x', ...fine, '-x')
    assertRefused('There is no place for "ship_2"', ...fine, 'ship_2')
    assertRefused('--json takes no value', ...fine, '--json=yes')
    assertRefused('--unpaid takes no value', ...fine, '--unpaid=true')
    assertRefused('There is no place for "true"', ...fine, '--unpaid', 'true')
  })

  it('gives help whatever else was typed', () => {
    for (const words of [['--help'], ['-h'], ['--rank', 'captain', '--oops', '--help']]) {
      assert.equal(parseCommandLine(hire, words).wantsHelp, true)
    }
  })

  it('is explained by its command alone', () => {
    assert.equal(
      helpFor(hire),
      `Hire somebody.

Usage
  jobwright crew hire SHIP --first-name NAME [options]

Arguments
  SHIP  the id of the ship

Options
  --first-name NAME    their first name (required)
  --email EMAIL
  --rank mate|cook     what they do (default: mate)
  --years YEARS
  --aboard true|false
  --unpaid             for the love of it
  --skills LIST
  --json               print one JSON object
  --help               show this text

A LIST has commas or spaces between its entries.`,
    )
  })
})

describe('the commands', async () => {
  const commands = await loadCommands()

  it('are found in the file that their first word leads to', async () => {
    for (const { groups, load } of commandFiles) {
      const words = (await load()).default.map((one) => one.words.split(' ')[0]!)
      assert.deepEqual(new Set(words), new Set(groups))
    }
    assert.deepEqual(await loadCommands('nothing'), commands)
    assert.ok((await loadCommands('key')).every(({ words }) => words.startsWith('key ')))
  })

  it('are listed by help without being loaded', () => {
    assert.deepEqual(
      listedCommands(),
      commands.map(({ words, summary }) => ({ words, summary })),
    )
  })

  it('show examples that can be typed', () => {
    for (const command of commands) {
      const words = command.example?.replaceAll('…', '').match(/'[^']*'|\S+/g) ?? []
      if (words.length > 0)
        parseCommandLine(
          command,
          words.map((word) => word.replaceAll("'", '')),
        ).args()
    }
  })

  it('explain everything they take', () => {
    for (const { words, positionals, options } of commands) {
      for (const { name, schema } of [...positionals, ...options]) assert.ok(schema.description, `${words} ${name}`)
    }
  })

  it('have help that fits a terminal', () => {
    for (const command of commands) {
      for (const line of helpFor(command).split('\n')) assert.ok(line.length <= 100, line)
    }
  })
})
