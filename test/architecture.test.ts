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
const importsOf = (folder: string) =>
  [...imports]
    .filter(([file]) => file.startsWith(folder))
    .flatMap(([file, from]) => from.map((name) => ({ file, name })))

/** Names every import below `place` that `allowed` does not cover. */
function allowOnly(folder: string, allowed: RegExp) {
  assert.deepEqual(
    importsOf(folder).filter(({ name }) => !allowed.test(name)),
    [],
  )
}

/** Names every file that imports `what` and is not among `allowed`. */
function allowImporters(what: RegExp, allowed: RegExp) {
  assert.deepEqual(
    [...imports]
      .filter(([file, from]) => from.some((name) => what.test(name)) && !allowed.test(file))
      .map(([file]) => file),
    [],
  )
}

/** What each room may import besides itself and Node; whoever is not listed stands on top. */
const layers = {
  config: [],
  fairness: [],
  db: ['pg$', 'sql-template-tag$', 'src/fairness/', 'src/config/database-url.ts'],
  domain: ['temporal-polyfill$'],
  operations: ['typebox', 'src/db/', 'src/fairness/', 'src/domain/', 'src/rendering/print-document.ts'],
  rendering: [
    '(pdfkit|fontkit|bidi-js|linebreak)$',
    'src/domain/',
    'src/fairness/',
    'src/http/(html|assets).ts',
    'src/processes/side-process.ts',
  ],
  resources: ['typebox', 'src/(operations|db|domain|rendering|webhooks)/', 'src/events/(event|read-events).ts'],
  events: ['src/(db|domain|fairness|operations)/', 'src/webhooks/queue.ts'],
  identity: [
    'src/config/',
    'src/db/',
    'src/fairness/',
    'src/domain/',
    'src/operations/(scopes|scope-catalogue|ids|errors|fields|share-tokens).ts',
  ],
  http: [
    '(fastify|@fastify/cors|ioredis|rate-limiter-flexible)$',
    'src/config/',
    'src/db/database.ts',
    'src/identity/(tokens|secrets).ts',
    'src/metrics/prometheus.ts',
    'src/operations/(errors|ids|base-path).ts',
  ],
  webhooks: ['package.json$', 'src/(db|domain|events|operations)/', 'src/http/safe-fetch.ts'],
  rest: [
    'fastify$',
    '@scalar/fastify-api-reference$',
    'typebox',
    'src/(config|db|http|identity|operations)/',
    'src/domain/entity-tags.ts',
    'src/events/streams.ts',
    'src/sign-in/(totp|identity-token).ts',
  ],
  mcp: [
    '(fastify|@modelcontextprotocol/server)$',
    'typebox',
    'src/(config|http|operations)/',
    'src/events/(event|streams).ts$',
    'src/metrics/prometheus.ts',
    'src/rest/guard.ts',
  ],
  cards: [
    'src/desk/(formatting|marks|job-marks|document-marks|document-sums|document-data|visit-face).ts',
    'src/http/html.ts',
    'src/mcp/cards.ts',
  ],
  'sign-in': [
    'typebox',
    '(fastify|openid-client|otpauth|uqr)$',
    'src/(config|db|domain|fairness|http|identity|operations)/',
  ],
  public: ['fastify$', 'typebox', 'src/(config|db|domain|fairness|http|identity|operations|rendering|resources)/'],
  metrics: [
    'package.json$',
    'src/db/',
    'src/events/streams.ts',
    'src/http/rate-limits.ts',
    'src/rendering/pdf/pdf-queue.ts',
    'src/worker/worker.ts',
  ],
  backup: ['package.json$', 'src/(db|domain)/'],
  worker: [
    'nodemailer$',
    'src/(backup|config|db|domain|events|fairness|identity|operations|rendering|resources|webhooks)/',
    'src/http/(log-error|safe-fetch).ts',
    'src/processes/side-process.ts',
  ],
  'moving-in': ['(csv-parse|fflate|saxen)$', 'src/(db|domain|fairness|operations|resources)/'],
  processes: [
    'src/(config|db|fairness|metrics)/',
    'src/domain/restarts.ts',
    'src/http/(memory-rate-limiter|rate-limit-store).ts',
  ],
  transfer: ['package.json$', 'typebox', 'src/(db|domain|identity|operations)/', 'src/resources/index.ts'],
}

test('the layers import downwards only', () => {
  for (const [layer, below] of Object.entries(layers))
    allowOnly(`src/${layer}/`, new RegExp(`^(${[`src/${layer}/`, 'node:', ...below].join('|')})`))
})

test('only those who act on records know a resource by name', () => {
  allowImporters(
    /^src\/resources\//,
    /^src\/(resources|desk|portal|public|worker|transfer|moving-in|cli|demo)\/|^src\/(app|background|dependencies)\.ts$/,
  )
})

test('libraries stay in the rooms they were chosen for', () => {
  allowImporters(/^(pdfkit|fontkit|bidi-js|linebreak)$/, /^src\/rendering\/pdf\//)
  allowImporters(/^(fastify|@fastify\/)/, /^src\/(app\.ts|(http|rest|mcp|oauth|sign-in|desk|portal|public)\/)/)
  allowImporters(/^(pg|sql-template-tag)$/, /^src\/db\//)
  allowImporters(/^(csv-parse|fflate|saxen)$/, /^src\/moving-in\//)
  allowImporters(/^oidc-provider$/, /^src\/oauth\//)
  allowImporters(/^openid-client$/, /^src\/sign-in\/external-provider\.ts$/)
  allowImporters(/^otpauth$/, /^src\/sign-in\/totp\.ts$/)
  allowImporters(/^@modelcontextprotocol\//, /^src\/mcp\/(server|records)\.ts$/)
})

test('the worker looks for work apart from the connection that requests read on', () => {
  const found = [...sources].filter(
    ([file, source]) => file.startsWith('src/worker/') && /\bdatabase\.query\b/.test(source),
  )
  assert.deepEqual(
    found.map(([file]) => file),
    [],
  )
})

test('the environment is read in one place, and NODE_ENV decides nothing', () => {
  // NODE_OPTIONS is what Node is told, not a setting of ours.
  const readers = [...sources].filter(
    ([file, source]) => /process\.env(?!\.NODE_OPTIONS)/.test(source) && file !== 'src/config/config.ts',
  )
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

/** What a file loads with itself; types are gone by then. */
const loadedBy = (file: string) =>
  [...(sources.get(file) ?? '').matchAll(/^(?:import|export) (?!type\b)[^'"]*?from '([^']+)'|^import '([^']+)'/gm)].map(
    ([, a, b]) => (a ?? b)!,
  )

test('the service imports nothing that an install without development packages leaves out', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const later = [...sources.values()].flatMap((source) => [...source.matchAll(/\bimport\('([^'.][^']*)'\)/g)])
  const packages = [...[...imports.values()].flat(), ...later.map(([, name]) => name!)]
    .filter((name) => !/^(src\/|node:|package\.json$)/.test(name))
    .map((name) => name.match(/^(@[^/]+\/)?[^/]+/)![0])
  const missing = packages.filter((name) => !Object.hasOwn(dependencies, name))
  assert.deepEqual(missing, [])
})

test('a start does without the libraries that few shops need', () => {
  const loaded = new Set(['src/app.ts'])
  for (const file of loaded)
    for (const name of loadedBy(file)) loaded.add(name.startsWith('.') ? join(dirname(file), name) : name)
  const rare = [
    'oidc-provider',
    'openid-client',
    '@modelcontextprotocol/server',
    '@scalar/fastify-api-reference',
    'ioredis',
    'typebox',
    'typebox/compile',
    'typebox/value',
  ]
  assert.deepEqual(
    rare.filter((name) => loaded.has(name)),
    [],
  )
  assert.ok(loaded.has('fastify') && loaded.has('pg'))
})
