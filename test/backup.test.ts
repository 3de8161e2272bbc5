// A cold copy of the data folder is a backup: stopped, archived, extracted elsewhere, started, everything still there.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { commandLine } from './command-line.ts'
import { type ServerProcess, startService } from './programs.ts'

const workDir = await mkdtemp(join(tmpdir(), 'jobwright-backup-'))
const backup = join(workDir, 'backup.tar')
let server: ServerProcess | undefined
after(async () => {
  await server?.stop()
  await rm(workDir, { recursive: true, force: true, maxRetries: 20 })
})

const start = async (folder: string) => {
  server = await startService({ DATA_DIR: join(workDir, folder) })
  return server
}
/** As docs/operations.md says it. */
const pack = (folder: string) => execFileSync('tar', ['-C', join(workDir, folder), '-cpf', backup, '.'])
const unpack = async (folder: string) => {
  await mkdir(join(workDir, folder), { mode: 0o700 })
  execFileSync('tar', ['-C', join(workDir, folder), '-xpf', backup])
}

let shop = { key: '', orgId: '', email: '', password: '', totpSecret: '', customerId: '', keyId: '' }

const call = (path: string, headers: Record<string, string>, body?: object) =>
  fetch(`${server!.origin}${path}`, {
    headers: { 'content-type': 'application/json', ...headers },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
const customers = () => `/api/v1/organisations/${shop.orgId}/customers`

/** Rotating a key wants the password and a code of the authenticator app, so the key that encrypted the secret must be right. */
async function rotateKey(): Promise<Response> {
  const { email, password, totpSecret } = shop
  const signedIn = await call('/identity/token', {}, { email, password })
  assert.equal(signedIn.status, 200)
  const { identity_token } = (await signedIn.json()) as { identity_token: string }
  const headers = {
    authorization: `Bearer ${identity_token}`,
    'x-totp-code': new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate(),
  }
  return call(`/api/v1/api-keys/${shop.keyId}/rotate`, headers, {})
}

test('what was in the folder is there after it was copied, and keys and second factors go on', async () => {
  const output = (await start('first')).output()
  const [, key = '', orgId = ''] = /X-API-Key: (\S+)" \S+\/organisations\/(\w+)\/customers/.exec(output) ?? []
  const [, email = '', password = '', totpSecret = ''] =
    /Email +(\S+)\n +Password +(\S+)\n +TOTP secret +(\S+)/.exec(output) ?? []
  const { json } = await commandLine({ DATA_DIR: join(workDir, 'first') })('key', 'list', '--org', orgId, '--json')
  shop = { ...shop, key, orgId, email, password, totpSecret, keyId: json.keys[0].id }
  const made = await call(customers(), { 'x-api-key': key }, { firstName: 'Kept' })
  assert.equal(made.status, 201)
  shop.customerId = ((await made.json()) as { data: { id: string } }).data.id
  assert.equal(await server!.stop(), 0)

  pack('first')
  await rm(join(workDir, 'first'), { recursive: true })
  await unpack('second')
  await start('second')
  const found = await call(`${customers()}/${shop.customerId}`, { 'x-api-key': key })
  assert.equal(found.status, 200)
  assert.equal((await rotateKey()).status, 200)
  assert.equal(await server!.stop(), 0)
})

test('without secrets.key the data and the keys are there, and the second factors are lost', async () => {
  await unpack('third')
  await rm(join(workDir, 'third', 'secrets.key'))
  await start('third')
  assert.equal((await call(`${customers()}/${shop.customerId}`, { 'x-api-key': shop.key })).status, 200)
  const refused = await rotateKey()
  assert.ok(refused.status >= 400, String(refused.status))
})
