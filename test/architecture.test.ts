// Who may import whom, and the other promises about the shape of the code.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
const imports = new Map(
  [...sources].map(([file, source]) => {
    const from = [...source.matchAll(/^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'/gm)].map(
      ([, a, b]) => (a ?? b)!,
    )
    return [file, from.map((name) => (name.startsWith('.') ? join(dirname(file), name) : name))]
  }),
)
const importsOf = (place: string) =>
  [...imports]
    .filter(([file]) => file.startsWith(place))
    .flatMap(([file, from]) => from.map((name) => ({ file, name })))

/** Names every import below `place` that `allowed` does not cover. */
function only(place: string, allowed: RegExp) {
  assert.deepEqual(
    importsOf(place).filter(({ name }) => !allowed.test(name)),
    [],
  )
}

/** Names every file that imports `what` and is not among `allowed`. */
function importedBy(what: RegExp, allowed: RegExp) {
  assert.deepEqual(
    [...imports]
      .filter(([file, from]) => from.some((name) => what.test(name)) && !allowed.test(file))
      .map(([file]) => file),
    [],
  )
}

test('the domain imports nothing but the domain, and the calendar of time zones', () => {
  only('src/domain/', /^src\/domain\/|^temporal-polyfill$/)
  importedBy(/^temporal-polyfill$/, /^src\/domain\/recurrence\.ts$/)
})

test('resources import the machine they are written in, the domain and each other', () => {
  only(
    'src/resources/',
    /^(typebox|src\/(domain|resources|documents)\/|src\/api\/(operation|plain|table|record|packing|fields|ids|secret-addresses|errors|scopes)\.ts|src\/database\.ts)/,
  )
})

test('the machine knows no resource; those who act on records do', () => {
  importedBy(/^src\/resources\//, /^src\/(resources\/|service\.ts|portal\/|worker\/|moving\/|cli\/)/)
})

test('identity knows neither REST nor a resource', () => {
  assert.deepEqual(
    importsOf('src/identity/').filter(({ name }) => /^src\/(resources|api\/rest)/.test(name)),
    [],
  )
})

test('documents and pages are rendered from what they are handed: no database, no HTTP, no resource', () => {
  only('src/documents/', /^(node:|(pdfkit|fontkit|bidi-js|linebreak)$|src\/(domain|documents|pages)\/)/)
  only('src/pages/', /^(node:|src\/(domain|pages)\/)/)
})

test('the makers of PDFs appear where documents are made only', () => {
  importedBy(/^(pdfkit|fontkit|bidi-js|linebreak)$/, /^src\/documents\//)
})

test('Fastify appears only where HTTP is served', () => {
  importedBy(
    /^(fastify|@fastify\/)/,
    /^src\/(server|service|docs|api\/(rest|mcp|request|key-rotation))\.ts$|^src\/(oauth|portal)\//,
  )
})

test('the database driver appears in the way to PostgreSQL and in its launcher only', () => {
  importedBy(/^(pg|sql-template-tag)$/, /^src\/(connection|database|embedded-postgres)\.ts$/)
})

test('the authorization server’s libraries stay in their rooms', () => {
  importedBy(/^oidc-provider$/, /^src\/oauth\//)
  importedBy(/^openid-client$/, /^src\/portal\/external\.ts$/)
  importedBy(/^otpauth$/, /^src\/identity\/second-factor\.ts$/)
})

test('the MCP SDK appears where the protocol is spoken only', () => {
  importedBy(/^@modelcontextprotocol\//, /^src\/api\/mcp-server\.ts$/)
})

test('the environment is read in one place, and NODE_ENV decides nothing', () => {
  const readers = [...sources].filter(([file, source]) => /process\.env/.test(source) && file !== 'src/config.ts')
  assert.deepEqual(
    readers.map(([file]) => file),
    [],
  )
  assert.deepEqual(
    [...sources].filter(([, source]) => source.includes('NODE_ENV')).map(([file]) => file),
    [],
  )
})

test('nothing is imported in a circle', () => {
  const state = new Map<string, 'open' | 'done'>()
  const visit = (file: string, trail: readonly string[]): void => {
    assert.notEqual(state.get(file), 'open', `a circle: ${[...trail, file].join(' → ')}`)
    if (state.has(file)) return
    state.set(file, 'open')
    for (const name of imports.get(file) ?? []) if (imports.has(name)) visit(name, [...trail, file])
    state.set(file, 'done')
  }
  for (const file of files) visit(file, [])
})

test('every file opens with a sentence saying what it is for', () => {
  const silent = [...sources].filter(([, source]) => !/^(#![^\n]*\n)?\/\/ [^\n]{20,}/.test(source))
  assert.deepEqual(
    silent.map(([file]) => file),
    [],
  )
})

test('there are no drawers without a subject', () => {
  assert.deepEqual(
    files.filter((file) =>
      /(^|\/)(utils?|helpers?|common|misc|types|base|manager|service-[a-z]+)(\.ts|\/)/i.test(file),
    ),
    [],
  )
})

test('a file can be seen whole', () => {
  const long = [...sources]
    .map(([file, source]) => ({ file, lines: source.split('\n').length }))
    .filter(({ lines }) => lines > 300)
  assert.deepEqual(long, [])
})
