// The authorization server as apps meet it: metadata, the code flow, consent, refresh and revocation, with oauth4webapi.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { code, read, redeem, refresh, register, tokens } from '../../test/oauth-app.ts'
import { freePort, person } from '../../test/visitor.ts'
import { world } from '../../test/world.ts'

const here = await world({
  PORT: await freePort(),
  AUTHORIZE_PER_MINUTE: '100000',
  TOKEN_PER_MINUTE: '100000',
  REGISTER_PER_MINUTE: '100000',
  REGISTER_PER_DAY: '100000',
})

test('takes an app from registration to data, and on with a refreshed token', async () => {
  const { orgId } = await here.organisation()
  const admin = await person(here, orgId)
  const app = await register(here)
  const first = await tokens(here, app, admin)
  assert.equal(first.expires_in, 3600)
  assert.ok(first.scope.split(' ').includes('customers:read'))
  assert.equal((await read(here, orgId, first.access_token)).status, 200)
  const next = await refresh(here, app, first.refresh_token)
  assert.equal(next.status, 200, JSON.stringify(next.body))
  assert.notEqual(next.body.refresh_token, first.refresh_token)
  assert.equal((await read(here, orgId, next.body.access_token)).status, 200)
})
