// The guides for integrators, shops and agents: what they tell people to type is typed here, in that order, with what was printed before.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { commandLine, settingsFor } from './command-line.ts'
import { numberAll, testSequencer } from './events.ts'
import { programEnvironment, runProgram } from './programs.ts'
import { startTestService } from './test-service.ts'

const here = await startTestService()
const sequencer = await testSequencer(here)
const jobwright = commandLine({ ...settingsFor(here), REST_ORIGIN: here.origin, AUTH_URL: here.config.authUrl })
const root = fileURLToPath(new URL('..', import.meta.url))

/** A reader with an empty folder, who puts what was printed last in the place of `org_…` and the like. */
async function reader() {
  const folder = await mkdtemp(join(tmpdir(), 'jobwright-guide-'))
  after(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'node_modules'))
  await symlink(join(root, 'client'), join(folder, 'node_modules/jobwright-client'))
  await copyFile(join(root, 'client/examples/sync-to-spreadsheet.js'), join(folder, 'sync-to-spreadsheet.js'))
  const printed = new Map<string, string>()
  const environment: Record<string, string> = {}

  const fill = (text: string) =>
    text
      .replaceAll('http://127.0.0.1:3000', here.origin)
      .replaceAll(
        /\b(sk_live|[a-z]{3})_…/g,
        (_, prefix) => printed.get(prefix) ?? assert.fail(`no ${prefix} was printed`),
      )

  async function run(command: string): Promise<void> {
    const [program, ...args] = wordsOf(fill(command))
    let output = ''
    if (program === 'export')
      for (const pair of args) environment[pair.split('=')[0]!] = pair.slice(pair.indexOf('=') + 1)
    else if (program === 'curl') output = await curl(args)
    else if (command.startsWith('npm run -s jobwright -- ')) {
      const inFolder = args.slice(4).map((word) => (/\.(csv|jsonl)$/.test(word) ? join(folder, word) : word))
      const { code, stdout, stderr } = await jobwright(...inFolder)
      assert.equal(code, 0, `${command}: ${stderr}`)
      output = stdout
    } else if (program === 'node') output = await runNode(args)
    else assert.fail(`nobody here knows how to run ${command}`)
    for (const [value, prefix] of output.matchAll(/\b(sk_live|[a-z]{3})_\w{10,}/g)) printed.set(prefix!, value)
    await settle()
  }

  /** There is no worker here. */
  const settle = async () => printed.has('org') && numberAll(sequencer, printed.get('org')!)

  async function runNode(args: readonly string[]): Promise<string> {
    const { code, output } = await runProgram(process.execPath, args, {
      cwd: folder,
      env: { ...programEnvironment(), ...environment },
    })
    assert.equal(code, 0, output)
    return output
  }

  return {
    async follow(guide: string): Promise<void> {
      const text = await readFile(join(root, 'docs', guide), 'utf8')
      for (const [, language, block] of text.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
        if (language === 'sh') for (const command of commandsOf(block!)) await run(command)
        else if (language === 'csv') await writeFile(join(folder, 'customers.csv'), block!)
        else if (language === 'js') {
          await writeFile(join(folder, 'guide.mjs'), fill(block!))
          await runNode(['guide.mjs'])
          await settle()
        } else assert.fail(`${guide} has a block of ${language}`)
      }
    },
    folder,
    printed,
  }
}

/** A line each; one that ends in a backslash goes on. */
const commandsOf = (block: string) =>
  block
    .replaceAll(/\\\n\s*/g, '')
    .trim()
    .split('\n')

/** As a shell takes them apart. */
const wordsOf = (command: string) =>
  [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) => (single ?? double ?? bare)!)

async function curl(args: readonly string[]): Promise<string> {
  const headers = new Headers()
  let [url, body, method]: (string | undefined)[] = []
  for (let index = 0; index < args.length; index++) {
    const word = args[index]!
    if (word === '-H') headers.append(...(args[++index]!.split(': ') as [string, string]))
    else if (word === '-d') body = args[++index]
    else if (word === '-X') method = args[++index]
    else url = word
  }
  const response = await fetch(url!, { method: method ?? (body ? 'POST' : 'GET'), headers, ...(body && { body }) })
  const text = await response.text()
  assert.ok(response.ok && !text.includes('"isError":true'), `${args.join(' ')}: ${text}`)
  return text
}

test('the quick start ends with a spreadsheet of the job that it made', async () => {
  const { follow, folder } = await reader()
  await follow('quick-start.md')
  const lines = (await readFile(join(folder, 'jobs.csv'), 'utf8')).trim().split('\r\n')
  assert.equal(lines.length, 2)
  assert.match(lines[1]!, /Gears slip/)
})

test("a shop's first day ends with its customers, its admin and a file of it all", async () => {
  const { follow, folder, printed } = await reader()
  await follow('first-day.md')
  const { json } = await jobwright('member', 'list', '--org', printed.get('org')!, '--json')
  assert.deepEqual(
    json.members.map(({ role }: { role: string }) => role),
    ['admin'],
  )
  const exported = await readFile(join(folder, 'quay-cycles.jsonl'), 'utf8')
  assert.match(exported, /amara@okafor-bakery\.example/)
})

test('an agent is connected and asked as its guide says', async () => {
  const { follow, printed } = await reader()
  printed.set('org', (await here.organisation()).orgId)
  await follow('agents.md')
  assert.match(printed.get('cus')!, /^cus_/)
})

test('no guide leads to a page that is not there', async () => {
  for (const file of [...globSync('docs/**/*.md', { cwd: root }), 'README.md', 'client/README.md']) {
    const text = await readFile(join(root, file), 'utf8')
    for (const [, target] of text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)) {
      const path = join(root, file, '..', target!)
      await readFile(path).catch((error) => assert.equal(error.code, 'EISDIR', `${file} leads to ${target}`))
    }
  }
})
