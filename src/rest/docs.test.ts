// The API reference page and the document: open, cached rightly, asking nobody outside, and readable in a browser.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { fastify } from 'fastify'
import { readConfig } from '../config/config.ts'
import { resources, scopeCatalogue } from '../resources/index.ts'
import { docs } from './docs.ts'
import { createOpenApi } from './openapi/openapi.ts'

const document = await createOpenApi(resources, scopeCatalogue, readConfig({}))
const app = fastify()
let origin = ''

before(async () => {
  await app.register(docs, { createDocument: async () => document })
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
})
after(() => app.close())

test('the document needs no credential, may be read by any page and is sent again only when it changed', async () => {
  const first = await app.inject('/api/v1/openapi.json')
  assert.equal(first.statusCode, 200)
  assert.deepEqual(first.json(), JSON.parse(JSON.stringify(document)))
  assert.equal(first.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(first.headers['access-control-allow-origin'], '*')
  assert.equal(first.headers['cache-control'], 'no-cache')
  const again = await app.inject({
    url: '/api/v1/openapi.json',
    headers: { 'if-none-match': String(first.headers.etag) },
  })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
})

test('the page allows scripts from here only, and no frame around it', async () => {
  const { headers, body } = await app.inject('/docs')
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /default-src 'self';.*script-src 'self';/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /script-src[^;]*unsafe|https?:|\*/)
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.doesNotMatch(body, /<script[^>]*>[^<]|\son\w+=/, 'no script stands in the page itself')
})

test('the page names nothing outside, and what it names is there and kept by its version', async () => {
  const { body } = await app.inject('/docs')
  assert.doesNotMatch(body, /(https?:)?\/\/\w/)
  const addresses = [...body.matchAll(/(?:src|href)="(\/docs\/[^"]+\?v=\w+)"/g)].map(([, address]) => address!)
  assert.equal(addresses.length, 2)
  for (const address of addresses) {
    const { statusCode, headers } = await app.inject(address)
    assert.equal(statusCode, 200)
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.ok(String(headers.etag).includes(address.split('v=')[1]!), 'the version in the address is the one sent')
  }
})

test('a browser that can unpack is sent the script packed', async () => {
  const plain = await app.inject('/docs/viewer.js')
  const gzipped = await app.inject({ url: '/docs/viewer.js', headers: { 'accept-encoding': 'gzip, br' } })
  assert.equal(gzipped.headers['content-encoding'], 'gzip')
  assert.ok(Number(gzipped.headers['content-length']) < Number(plain.headers['content-length']) / 2)
})

const isMissing = spawnSync('which', ['chromium']).status !== 0 && 'chromium is not on the PATH'

test('a browser shows every resource, asks nobody outside and finds no breach of the policy', {
  skip: isMissing,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'jobwright-docs-'))
  const log = join(folder, 'net.json')
  const { stdout, stderr } = await promisify(execFile)(
    'chromium',
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--enable-logging=stderr',
      `--user-data-dir=${join(folder, 'profile')}`,
      `--log-net-log=${log}`,
      '--virtual-time-budget=20000',
      '--dump-dom',
      `${origin}/docs`,
    ],
    { maxBuffer: 64 * 1024 * 1024, timeout: 60_000 },
  )
  const events: { params?: { url?: string; initiator?: string } }[] = JSON.parse(await readFile(log, 'utf8')).events
  await rm(folder, { recursive: true, force: true })
  const requestedUrls = events.filter(({ params }) => params?.initiator === origin).map(({ params }) => params!.url!)
  assert.ok(requestedUrls.includes(`${origin}/api/v1/openapi.json`))
  assert.deepEqual(
    requestedUrls.filter((url) => !url.startsWith(`${origin}/`)),
    [],
  )
  assert.doesNotMatch(stderr, /Content Security Policy|CONSOLE:\d+\] "(Uncaught|Error)/)
  for (const { name } of document.tags) assert.ok(stdout.includes(name), `${name} is not on the page`)
})
