// Writes what is read off the operations: the reference, and snapshots that make a change of the API visible in review.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readConfig } from '../src/config/config.ts'
import { createOperationSearch } from '../src/mcp/search.ts'
import { createToolSelector, createTools } from '../src/mcp/tools.ts'
import { operations, resources, scopeCatalogue } from '../src/resources/index.ts'
import { guidance } from '../src/resources/mcp-guidance.ts'
import { createOpenApi } from '../src/rest/openapi/openapi.ts'
import { reference } from '../src/rest/reference.ts'

const root = join(import.meta.dirname, '..')
/** The same on every machine, whatever its settings are. */
const config = readConfig({ REST_ORIGIN: 'http://127.0.0.1:3000', AUTH_URL: 'http://127.0.0.1:3000' })

const files: Readonly<Record<string, () => string>> = {
  'docs/reference.md': () => reference(resources, scopeCatalogue),
  'test/snapshots/openapi.json': () => `${JSON.stringify(createOpenApi(resources, scopeCatalogue, config), null, 2)}\n`,
  'test/snapshots/tools.json': () => `${JSON.stringify(toolList(), null, 2)}\n`,
  'test/snapshots/scopes.txt': () =>
    operations
      .map(({ method, path, needs, mayNeed }) => {
        const needed = `${method} ${path} needs ${needs.join(' ')}`
        return `${needed}${mayNeed.length > 0 ? ` may need ${mayNeed.join(' ')}` : ''}\n`
      })
      .join(''),
}

/** What `tools/list` shows whoever may do everything. */
function toolList(): object[] {
  const tools = createTools(operations)
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

/** The files that no longer say what the code does. */
export function staleFiles(): string[] {
  return Object.entries(files)
    .filter(([path, contents]) => contents() !== current(path))
    .map(([path]) => path)
}

function current(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return undefined
  }
}

function write(): void {
  for (const [path, contents] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), contents())
  }
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    for (const path of staleFiles()) {
      process.stderr.write(`${path} is stale: run \`npm run generate\`\n`)
      process.exitCode = 1
    }
  } else write()
}
