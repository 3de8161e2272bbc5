// What an operator does stands in the audit log of the organisation, where its admins read it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandLine, settingsFor } from '../../test/command-line.ts'
import { startTestService } from '../../test/test-service.ts'
import { listAuditEntries } from '../identity/audit.ts'

const here = await startTestService()
const jobwright = commandLine(settingsFor(here))

/** What a command made. */
async function runJson(...words: string[]) {
  const { code, json, stderr } = await jobwright(...words, '--json')
  assert.equal(code, 0, stderr)
  return json
}

test('writes down what is done to keys, apps, people, forms and calendar addresses', async () => {
  const { orgId } = await here.organisation()
  const inOrg = ['--org', orgId]
  const key = await runJson('key', 'create', ...inOrg, '--name', 'Web shop', '--scopes', 'read')
  await runJson('key', 'pause', orgId, key.id)
  await runJson('key', 'resume', orgId, key.id)
  await runJson('key', 'rotate', orgId, key.id, '--overlap-hours', '2')
  await runJson('key', 'revoke', orgId, key.id)
  const app = ['--name', 'Ledger', '--redirect-uri', 'https://app.example/back']
  const client = await runJson('client', 'create', ...inOrg, ...app)
  await runJson('client', 'rotate', orgId, client.id)
  await runJson('client', 'remove', orgId, client.id)
  const person = ['--email', 'ann@mail.example', '--first-name', 'Ann', '--role', 'admin']
  const member = await runJson('member', 'add', ...inOrg, ...person)
  const token = await runJson('token', 'import', ...inOrg, '--member', member.id, '--client', 'Old app')
  await runJson('grant', 'revoke', ...inOrg, token.grantId)
  const feed = await runJson('calendar', 'feed', 'create', ...inOrg, '--member', member.id)
  await runJson('calendar', 'feed', 'revoke', ...inOrg, feed.id)
  await runJson('member', 'set', orgId, member.id, '--role', 'manager')
  await runJson('member', 'reset', orgId, member.id)
  await runJson('member', 'remove', orgId, member.id)
  await runJson('org', 'set', orgId, '--name', 'Harbour')
  await runJson('forms', 'import', ...inOrg, 'docs/examples/gas-safety.json')

  const lines = (await listAuditEntries(here.database, orgId, null)).toReversed()
  assert.deepEqual(new Set(lines.map(({ memberName }) => memberName)), new Set(['Command line']))
  const summaries = lines.map(({ action, detail }) => `${action} ${detail.name}`)
  assert.deepEqual(summaries.slice(0, 17), [
    ...['created', 'paused', 'resumed', 'rotated', 'revoked'].map((deed) => `key.${deed} Web shop`),
    ...['created', 'rotated', 'removed'].map((deed) => `client.${deed} Ledger`),
    'member.added Ann',
    ...['imported', 'revoked'].map((deed) => `grant.${deed} Old app`),
    ...['created', 'revoked'].map((deed) => `feed.${deed} Ann`),
    ...['changed', 'reset', 'removed'].map((deed) => `member.${deed} Ann`),
    'organisation.changed Harbour',
  ])
  assert.ok(summaries.slice(17).every((line) => /^(template|rule)\.saved ./.test(line)) && summaries.length > 18)
  const secrets = [
    key.key,
    client.clientSecret,
    member.password,
    member.totpSecret,
    ...member.recoveryCodes,
    token.accessToken,
  ]
  for (const secret of secrets) assert.ok(!JSON.stringify(lines).includes(secret))
})

test('writes down nothing that was refused', async () => {
  const { orgId } = await here.organisation()
  assert.equal((await jobwright('key', 'pause', orgId, 'key_unknown')).code, 1)
  assert.equal((await jobwright('key', 'create', '--org', orgId, '--scopes', 'nonsense')).code, 1)
  assert.deepEqual(await listAuditEntries(here.database, orgId, null), [])
})
