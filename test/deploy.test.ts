// What operators are handed: the files in deploy/ name only what exists, and the proxy's settings work in front of two
// real instances.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { describeSettings } from '../src/config/describe-settings.ts'
import { createKey } from '../src/identity/keys.ts'
import { createOrganisation } from '../src/identity/organisations.ts'
import { scopeCatalogue } from '../src/resources/index.ts'
import { databaseUrl, freePort, skipUnlessInstalled, startProgram, startService } from './programs.ts'
import { createSecondDatabase } from './test-database.ts'
import { startTestService } from './test-service.ts'

const here = await startTestService()
const file = (name: string) => readFileSync(join(import.meta.dirname, '..', 'deploy', name), 'utf8')
const settings = new Set(describeSettings().map(({ variable }) => variable))

/** Variables of others that stand in these files, too. */
const notOurs = new Set(['POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD', 'PUBLIC_ORIGIN', 'NODE_COMPILE_CACHE'])
const ofProxy = new Set(['HTTP_BIND', 'HTTPS_BIND', 'TLS_CERTIFICATE', 'INSTANCE_A', 'INSTANCE_B'])

/** The names that a file gives values to: `NAME: …`, `NAME=…` and `name: NAME`. */
const namedIn = (text: string): string[] =>
  [...text.matchAll(/(?:^|[\s{,#=])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)(?:: |=)|name: ([A-Z][A-Z_]+)/gm)].map(
    ([, given, named]) => (given ?? named)!,
  )

describe('the files of deploy/', () => {
  for (const name of ['Containerfile', 'compose.yaml', 'jobwright.service', 'kubernetes.yaml']) {
    it(`${name} names only settings that exist`, () => {
      const named = namedIn(file(name))
        .map((variable) => variable.replace(/_FILE$/, ''))
        .filter((variable) => !notOurs.has(variable) && !ofProxy.has(variable) && variable !== 'NODE')
      assert.ok(named.length >= 2, named.join())
      assert.deepEqual(
        named.filter((variable) => !settings.has(variable)),
        [],
      )
    })
  }

  it('hold no secret: those are handed over as files', () => {
    const secret = /(?<![A-Z_])(SECRETS_KEY|DATABASE_URL|SMTP_URL|METRICS_TOKEN|INTROSPECTION_SECRET)[:=]/
    for (const name of ['Containerfile', 'compose.yaml', 'jobwright.service', 'kubernetes.yaml']) {
      assert.doesNotMatch(file(name), secret, name)
    }
  })

  it('look for health where it is', async () => {
    const paths = ['Containerfile', 'haproxy.cfg', 'kubernetes.yaml'].flatMap((name) => [
      ...file(name).matchAll(/\/(?:health\/\w+|metrics\b(?!_))/g),
    ])
    const each = [...new Set(paths.map(([path]) => path))]
    assert.deepEqual(each.sort(), ['/health/live', '/health/ready', '/metrics'])
    for (const path of each) assert.equal((await fetch(here.origin + path)).status, 200, path)
  })

  it('chart and watch only metrics that the service really exposes', async () => {
    const service = await startService({
      DATABASE_URL: databaseUrl(await createSecondDatabase(here)),
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      RATE_LIMIT_STORE: 'memory',
    })
    after(() => service.stop())
    const text = await (await fetch(`${service.origin}/metrics`)).text()
    const metricTypes = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => [name!, kind!]))
    for (const name of ['alerts.yaml', 'grafana-dashboard.json']) {
      const named = new Set(file(name).match(/\b(?:jobwright|process|nodejs)_[a-z_]+\b/g))
      assert.ok(named.size > 5)
      const unknown = [...named].filter((one) => {
        const histogram = one.replace(/_(bucket|sum|count)$/, '')
        return !metricTypes.has(one) && metricTypes.get(histogram) !== 'histogram'
      })
      assert.deepEqual(unknown, [], name)
      const matchers = file(name).matchAll(/(task|outcome|state|quantile)[=!]?[=~]\\?"([a-z0-9. |]+)\\?"/g)
      for (const [, label, values] of matchers)
        for (const value of values!.split('|'))
          assert.match(text, new RegExp(`${label}="${value}"`), `${name}: ${label}="${value}"`)
    }
  })
})

describe('haproxy.cfg', { skip: skipUnlessInstalled('haproxy') || skipUnlessInstalled('openssl') }, () => {
  it('is accepted, and serves over TLS what the instances answer', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'jobwright-proxy-'))
    after(() => rm(folder, { recursive: true, force: true }))
    const [http, https] = [await freePort(), await freePort()]
    const ours = {
      DATABASE_URL: databaseUrl(here.connection),
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      RATE_LIMIT_STORE: 'memory',
      RATE_LIMIT_PER_MINUTE: '1000000',
      TRUST_PROXY: '127.0.0.1',
      REST_ORIGIN: `https://127.0.0.1:${https}`,
      AUTH_URL: `https://127.0.0.1:${https}`,
      ROLE: 'rest,auth',
    }
    const [a, b] = [await startService(ours), await startService(ours)]
    after(() => Promise.all([a.stop(), b.stop()]))
    const environment = {
      HTTP_BIND: `127.0.0.1:${http}`,
      HTTPS_BIND: `127.0.0.1:${https}`,
      TLS_CERTIFICATE: await certificate(folder),
      INSTANCE_A: `127.0.0.1:${a.port}`,
      INSTANCE_B: `127.0.0.1:${b.port}`,
    }
    const config = join(import.meta.dirname, '..', 'deploy', 'haproxy.cfg')
    const checked = spawnSync('haproxy', ['-c', '-f', config], { env: { PATH: process.env.PATH, ...environment } })
    assert.equal(checked.status, 0, String(checked.stderr))

    const through = (path: string, headers = {}) => httpsGet(`https://127.0.0.1:${https}${path}`, headers)
    const ready = async () => (await through('/health/ready').catch(() => ({ status: 0 }))).status === 200
    const proxy = await startProgram('haproxy', { args: ['-db', '-f', config], environment, ready })
    after(() => proxy.stop())

    const plain = await fetch(`http://127.0.0.1:${http}/docs`, { redirect: 'manual' })
    assert.deepEqual([plain.status, plain.headers.get('location')?.split(':')[0]], [308, 'https'])
    assert.equal((await through('/metrics')).status, 404, 'metrics stay inside')

    // A key that may be used from one address: what a caller claims in a header does not count, the connection does.
    const { id } = await createOrganisation(here.database, { name: 'Proxied', entitlement: 'pro' })
    const { key } = await createKey(
      here.database,
      id,
      { scopes: ['full'], allowlist: ['198.51.100.7/32'] },
      scopeCatalogue,
    )
    const customers = `/api/v1/organisations/${id}/customers`
    const claimed = await through(customers, { 'x-api-key': key, 'x-forwarded-for': '198.51.100.7' })
    assert.deepEqual([claimed.status, claimed.body.includes('127.0.0.1')], [403, true])
    const { key: open } = await createKey(here.database, id, { scopes: ['full'] }, scopeCatalogue)
    assert.equal((await through(customers, { 'x-api-key': open })).status, 200)

    // One of the two goes away: readers are not affected.
    const answers: number[] = []
    let isGone = false
    const readers = Array.from({ length: 4 }, async () => {
      while (!isGone) answers.push((await through(customers, { 'x-api-key': open })).status)
    })
    assert.equal(await a.stop(), 0)
    for (let more = 0; more < 20; more++) answers.push((await through(customers, { 'x-api-key': open })).status)
    isGone = true
    await Promise.all(readers)
    assert.deepEqual([...new Set(answers)], [200])
  })
})

/** For the name of this machine, good for two days, certificate and key in one file. */
async function certificate(folder: string): Promise<string> {
  const [key, cert, both] = ['key', 'cert', 'both'].map((name) => join(folder, `${name}.pem`)) as [
    string,
    string,
    string,
  ]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  spawnSync('openssl', ['req', '-x509', ...kind, '-subj', '/CN=localhost', '-keyout', key, '-out', cert])
  await writeFile(both, (await readFile(cert, 'utf8')) + (await readFile(key, 'utf8')))
  return both
}

/** The certificate is our own, which nobody has to believe here. */
function httpsGet(url: string, headers: Record<string, string>): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const call = request(url, { headers, rejectUnauthorized: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode!, body })).on('error', reject)
    })
    call.on('error', reject).end()
  })
}
