// The service as a package: packed, put below node_modules as `npm install` does, and run from there as `npx jobwright` runs it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { settingsFor } from './command-line.ts'
import { printDocument } from './print-documents.ts'
import { programEnvironment, runProgram } from './programs.ts'
import { startTestService } from './test-service.ts'

const here = await startTestService()
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'jobwright-installed-'))
after(() => rm(folder, { recursive: true, force: true }))

async function run(program: string, args: readonly string[], settings: Record<string, string> = {}): Promise<string> {
  const env = { ...programEnvironment(), ...settings }
  const { code, output } = await runProgram(program, args, { cwd: folder, env })
  assert.equal(code, 0, `${program} ${args.join(' ')}:\n${output}`)
  return output
}

/** What it depends on is that of the checkout: to install it would take the network. */
async function install(): Promise<string> {
  await run('npm', ['pack', root, '--pack-destination', folder])
  const [packed] = globSync('jobwright-*.tgz', { cwd: folder })
  await run('tar', ['-xzf', packed!])
  const place = join(folder, 'node_modules/jobwright')
  await mkdir(join(folder, 'node_modules'))
  await rename(join(folder, 'package'), place)
  await symlink(join(root, 'node_modules'), join(place, 'node_modules'))
  return place
}

const place = await install()
const program = join(place, 'bin/jobwright.js')
/** This Node, and that of the system, which is too old for the sources where the package brings its own. */
const systemNode = spawnSync('sh', ['-c', 'PATH=/usr/local/bin:/usr/bin:/bin command -v node']).stdout.toString().trim()

test('what is packed is the service, without its tests', () => {
  const files = globSync('**/*', { cwd: place, exclude: ['node_modules'] })
  for (const needed of ['src/main.ts', 'migrations/0001-foundation.sql', 'bin/strip-types.js', 'README.md'])
    assert.ok(files.includes(needed), needed)
  assert.deepEqual(
    files.filter((file) => /\.test\.ts$|^(test|prove|bench|client|data)\b/.test(file)),
    [],
  )
})

test('its commands run from there, with any Node that npm runs on, and name themselves as they are called', async () => {
  for (const node of new Set([process.execPath, ...(systemNode ? [systemNode] : [])])) {
    const help = await run(node, [program, '--help'])
    assert.match(help, /npx jobwright COMMAND/)
    assert.match(help, /^ {2}start +Start the service/m)
    assert.doesNotMatch(help, /Warning/)
  }
  const { orgId } = await here.organisation()
  assert.match(await run(process.execPath, [program, 'org', 'list', '--json'], settingsFor(here)), new RegExp(orgId))
})

test('its processes run from there, too', async () => {
  await writeFile(
    join(folder, 'print.mjs'),
    `import { createPdfQueue } from ${JSON.stringify(pathToFileURL(join(place, 'src/rendering/pdf/pdf-queue.ts')).href)}
const queue = createPdfQueue()
console.log(Buffer.from(await queue.render(${JSON.stringify(printDocument())}, { orgId: 'org_1' })).toString('latin1', 0, 5))
await queue.close()`,
  )
  const hooks = pathToFileURL(join(place, 'bin/strip-types.js')).href
  const options = ['--disable-warning=ExperimentalWarning', `--import=${hooks}`]
  assert.equal(await run(process.execPath, [...options, 'print.mjs']), '%PDF-\n')
})

test('a command that fails ends as such', async () => {
  const { status, stderr } = spawnSync(process.execPath, [program, 'keys'], { cwd: folder, encoding: 'utf8' })
  assert.deepEqual([status, stderr], [1, 'There is no command "keys"; see jobwright --help\n'])
})
