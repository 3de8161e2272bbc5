// Writes what is read off the operations: the reference, the client, cards, and snapshots that make a change of the API visible in review.
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cardDocument, cardNames } from '../src/cards/document.ts'
import { loadCommands } from '../src/cli/commands.ts'
import { readConfig } from '../src/config/config.ts'
import { createOperationSearch } from '../src/mcp/search.ts'
import { createToolSelector, createTools } from '../src/mcp/tools.ts'
import { operations, resources, scopeCatalogue } from '../src/resources/index.ts'
import { guidance } from '../src/resources/mcp-guidance.ts'
import { clientSource } from '../src/rest/client/source.ts'
import { createOpenApi } from '../src/rest/openapi/openapi.ts'
import { reference } from '../src/rest/reference.ts'

const root = join(import.meta.dirname, '..')
/** The same on every machine, whatever its settings are. */
const config = readConfig({ REST_ORIGIN: 'http://127.0.0.1:3000', AUTH_URL: 'http://127.0.0.1:3000' })

const commands = await loadCommands()
const openApi = await createOpenApi(resources, scopeCatalogue, config)

const files: Readonly<Record<string, () => string>> = {
  'docs/reference.md': () => reference(resources, scopeCatalogue),
  'test/snapshots/openapi.json': () => `${JSON.stringify(openApi, null, 2)}\n`,
  'test/snapshots/tools.json': () => `${JSON.stringify(toolList(), null, 2)}\n`,
  'test/snapshots/scopes.txt': () =>
    operations
      .map(({ method, path, needs, mayNeed }) => {
        const needed = `${method} ${path} needs ${needs.join(' ')}`
        return `${needed}${mayNeed.length > 0 ? ` may need ${mayNeed.join(' ')}` : ''}\n`
      })
      .join(''),
  'src/cli/made/commands.json': () =>
    `${JSON.stringify(
      commands.map(({ words, summary }) => ({ words, summary })),
      null,
      2,
    )}\n`,
  ...Object.fromEntries(cardNames.map((name) => [`src/cards/made/${name}.html`, () => cardDocument(name)])),
  ...Object.fromEntries(
    Object.entries(clientSource(resources)).map(([name, text]) => [`client/src/generated/${name}`, () => text]),
  ),
}

/** The client as it is shipped, made of its sources by the compiler. */
function shippedClient(): Readonly<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'jobwright-client-'))
  try {
    const tsc = join(root, 'node_modules/.bin/tsc')
    execFileSync(tsc, ['-p', join(root, 'client'), '--outDir', folder], { stdio: ['ignore', 'inherit', 'inherit'] })
    const names = globSync('**/*.{js,d.ts}', { cwd: folder }).sort()
    // The compiler leaves the names of sources in declarations, where older compilers do not look for them.
    const textOf = (name: string) => readFileSync(join(folder, name), 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'")
    return Object.fromEntries(names.map((name) => [`client/dist/${name}`, textOf(name)]))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What `tools/list` shows whoever may do everything. */
function toolList(): object[] {
  const tools = [...createTools(operations)]
  const direct = createToolSelector(tools, guidance.directTools)(undefined).tools.map(({ listing }) => listing)
  const everything = {
    orgId: '',
    credentialId: '',
    name: '',
    scopes: new Set(scopeCatalogue.scopes),
    kind: 'key' as const,
  }
  return [...direct, ...createOperationSearch(tools, guidance).tools(everything)]
}

/** The files that no longer say what the code does, or that nothing makes any more. */
export function staleFiles(): string[] {
  const shipped = shippedClient()
  return [
    ...Object.entries(files).flatMap(([path, contents]) => (contents() === current(path) ? [] : [path])),
    ...Object.entries(shipped).flatMap(([path, text]) => (text === current(path) ? [] : [path])),
    ...globSync('client/dist/**/*.{js,d.ts}', { cwd: root }).filter((path) => shipped[path] === undefined),
  ]
}

function current(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return undefined
  }
}

function write(): void {
  for (const [path, contents] of Object.entries(files)) writeText(path, contents())
  rmSync(join(root, 'client/dist'), { recursive: true, force: true })
  for (const [path, text] of Object.entries(shippedClient())) writeText(path, text)
}

function writeText(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    for (const path of staleFiles()) {
      process.stderr.write(`${path} is stale: run \`npm run generate\`\n`)
      process.exitCode = 1
    }
  } else write()
}
