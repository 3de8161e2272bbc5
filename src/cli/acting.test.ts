// What an operator does stands in the audit log of the organisation, where its admins read it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandLine, settingsFor } from '../../test/command-line.ts'
import { world } from '../../test/world.ts'
import { listLines } from '../identity/audit.ts'

const here = await world()
const jobwright = commandLine(settingsFor(here))

/** What a command made. */
async function done(...words: string[]) {
  const { code, json, stderr } = await jobwright(...words, '--json')
  assert.equal(code, 0, stderr)
  return json
}

test('writes down what is done to keys, apps, people, forms and calendar addresses', async () => {
  const { orgId } = await here.organisation()
  const inOrg = ['--org', orgId]
  const key = await done('key', 'create', ...inOrg, '--name', 'Web shop', '--scopes', 'read')
  await done('key', 'pause', orgId, key.id)
  await done('key', 'resume', orgId, key.id)
  await done('key', 'rotate', orgId, key.id, '--overlap-hours', '2')
  await done('key', 'revoke', orgId, key.id)
  const app = ['--name', 'Ledger', '--redirect-uri', 'https://app.example/back']
  const client = await done('client', 'create', ...inOrg, ...app)
  await done('client', 'rotate', orgId, client.id)
  await done('client', 'remove', orgId, client.id)
  const person = ['--email', 'ann@mail.example', '--first-name', 'Ann', '--role', 'admin']
  const member = await done('member', 'add', ...inOrg, ...person)
  const token = await done('token', 'import', ...inOrg, '--member', member.id, '--client', 'Old app')
  await done('grant', 'revoke', ...inOrg, token.grantId)
  const feed = await done('calendar', 'feed', 'create', ...inOrg, '--member', member.id)
  await done('calendar', 'feed', 'revoke', ...inOrg, feed.id)
  await done('member', 'set', orgId, member.id, '--role', 'manager')
  await done('member', 'reset', orgId, member.id)
  await done('member', 'remove', orgId, member.id)
  await done('org', 'set', orgId, '--name', 'Harbour')
  await done('forms', 'import', ...inOrg, 'docs/examples/gas-safety.json')

  const lines = (await listLines(here.database, orgId, null)).toReversed()
  assert.deepEqual(new Set(lines.map(({ memberName }) => memberName)), new Set(['Command line']))
  const told = lines.map(({ action, detail }) => `${action} ${detail.name}`)
  assert.deepEqual(told.slice(0, 17), [
    ...['created', 'paused', 'resumed', 'rotated', 'revoked'].map((deed) => `key.${deed} Web shop`),
    ...['created', 'rotated', 'removed'].map((deed) => `client.${deed} Ledger`),
    'member.added Ann',
    ...['imported', 'revoked'].map((deed) => `grant.${deed} Old app`),
    ...['created', 'revoked'].map((deed) => `feed.${deed} Ann`),
    ...['changed', 'reset', 'removed'].map((deed) => `member.${deed} Ann`),
    'organisation.changed Harbour',
  ])
  assert.ok(told.slice(17).every((line) => /^(template|rule)\.saved ./.test(line)) && told.length > 18)
  const secrets = [key.key, client.clientSecret, member.password, member.totpSecret, token.accessToken]
  for (const secret of secrets) assert.ok(!JSON.stringify(lines).includes(secret))
})

test('writes down nothing that was refused', async () => {
  const { orgId } = await here.organisation()
  assert.equal((await jobwright('key', 'pause', orgId, 'key_unknown')).code, 1)
  assert.equal((await jobwright('key', 'create', '--org', orgId, '--scopes', 'nonsense')).code, 1)
  assert.deepEqual(await listLines(here.database, orgId, null), [])
})
