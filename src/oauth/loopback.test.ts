// Apps on a device, which listen on whatever port is free: where they are led back to, and with which codes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type App,
  appFrom,
  authorize,
  discoverServer,
  obtainCode,
  obtainTokens,
  readWithToken,
  redeem,
  register,
  startAuthorization,
} from '../../test/oauth-app.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { person, Visitor } from '../../test/visitor.ts'
import { registerClient } from '../identity/clients.ts'

const here = await startTestService({
  PORT: await freePort(),
  AUTHORIZE_PER_MINUTE: '1000',
  REGISTER_PER_MINUTE: '100',
})
const { authUrl } = here.config
const { orgId } = await here.organisation()
const admin = await person(here, orgId)

const registerItself = (uri: string) => register(here, { redirect_uris: [uri, 'https://app.example/callback'] })
async function registeredByAdmin(uri: string): Promise<App> {
  const { clientId, clientSecret } = await here.database.transaction('test', (transaction) =>
    registerClient(transaction, orgId, { name: 'Ledger', redirectUris: ['https://app.example/callback', uri] }),
  )
  return appFrom(await discoverServer(here), { client_id: clientId, client_secret: clientSecret })
}

test('leads an app back to the port it asks for, whoever registered it', async () => {
  for (const host of ['127.0.0.1', '[::1]', 'localhost'])
    for (const register of [registerItself, registeredByAdmin]) {
      const app = { ...(await register(`http://${host}/cb`)), redirect: `http://${host}:51004/cb` }
      const issued = await obtainTokens(here, app, admin)
      assert.equal((await readWithToken(here, orgId, issued.access_token)).status, 200, app.redirect)
    }
})

test('answers JSON 400 and leads nowhere when anything but the port differs', async () => {
  const app = await registerItself('http://127.0.0.1/cb')
  for (const redirect_uri of [
    'http://127.0.0.1:51004/other',
    'http://127.0.0.1:51004/cb?x=1',
    'http://localhost:51004/cb',
    'http://127.0.0.1:51004@evil.example/cb',
    'https://127.0.0.1:51004/cb',
    'https://app.example:8443/callback',
  ]) {
    const page = await new Visitor(authUrl).open((await startAuthorization(app, { redirect_uri })).address.href)
    assert.equal(page.status, 400, redirect_uri)
    assert.match(page.headers.get('content-type')!, /json/)
  }
})

test('gives tokens for a code only with the address it was asked with, port included', async () => {
  const app = { ...(await registerItself('http://127.0.0.1/cb')), redirect: 'http://127.0.0.1:51004/cb' }
  for (const redirect_uri of ['http://127.0.0.1/cb', 'http://127.0.0.1:51005/cb', 'https://app.example/callback']) {
    const code = await obtainCode(here, app, admin)
    assert.equal((await redeem(here, app, code, { redirect_uri })).body.error, 'invalid_grant', redirect_uri)
  }
  assert.equal((await redeem(here, app, await obtainCode(here, app, admin))).status, 200)
})

test('shows whoever consents the port that the code is sent to', async () => {
  const app = { ...(await registerItself('http://127.0.0.1/cb')), redirect: 'http://127.0.0.1:51004/cb' }
  const { page } = await authorize(here, app, admin, { consent: { scope: [] } })
  assert.match(page.text, /a program on this device \(127\.0\.0\.1:51004\)/)
  assert.match(page.headers.get('content-security-policy')!, /form-action [^;]*http:\/\/127\.0\.0\.1:51004/)
})
