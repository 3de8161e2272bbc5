// What an operator does stands in the audit log of the organisation, where its admins read it.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { commandLine, settingsFor } from '../../test/command-line.ts'
import { signIntoPortal } from '../../test/portal.ts'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { listAuditEntries } from '../identity/audit.ts'

const folder = mkdtempSync(join(tmpdir(), 'jobwright-audit-'))
after(() => rmSync(folder, { recursive: true, force: true }))
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

test('writes down what is written out, brought in and taken over, and the portal shows it', async () => {
  const shop = await here.organisation({ name: 'Quay Cycles' })
  const { orgId } = shop
  const invoice = await shop.post('/invoices', {
    customerName: 'Ada',
    lineItems: [{ name: 'Bench work', unitPrice: 36 }],
  })
  const payment = [
    '--invoice',
    invoice.body.data.id,
    '--amount',
    '36',
    '--source',
    'processor',
    '--external-id',
    'ch_1',
  ]
  const { id } = await runJson('payment', 'import', '--org', orgId, ...payment)
  assert.equal((await jobwright('payment', 'import', '--org', orgId, ...payment)).code, 1, 'taken over once')
  const file = join(folder, 'quay.jsonl')
  await runJson('export', '--org', orgId, file)
  const portal = await signIntoPortal(here, orgId)
  const { text } = await portal.open('/audit')
  assert.match(text, /Command line<\/strong> wrote out everything of the organisation <strong>Quay Cycles/)
  assert.match(text, /as JSON lines; with 1 organisations,[^)]*1 invoices, 1 payments/)
  assert.match(
    text,
    /took over a payment for the invoice <strong>INV-0001<\/strong>.*amount 36; paid by other; kept by processor; as ch_1/,
  )

  const [exported, imported, ...more] = await listAuditEntries(here.database, orgId, null)
  assert.deepEqual([exported!.action, imported!.action, more.length], ['organisation.exported', 'payment.imported', 0])
  assert.deepEqual([imported!.subject, imported!.detail.name], [id, invoice.body.data.invoiceNumber])
  await here.database.query(sql`delete from organisations where org_id = ${orgId}`)
  await runJson('import', file, '--entitlement', 'trial')
  const [arrived, before] = await listAuditEntries(here.database, orgId, null)
  assert.deepEqual([arrived!.action, arrived!.memberName], ['organisation.imported', 'Command line'])
  assert.deepEqual([arrived!.detail.name, arrived!.detail.entitlement], ['Quay Cycles', 'trial'])
  assert.equal(before!.action, 'payment.imported', 'what stood in the file')
  assert.equal((await jobwright('import', file)).code, 1)
  assert.equal((await jobwright('export', '--org', orgId, join(folder, 'none', 'x.jsonl'))).code, 1)
  assert.equal((await listAuditEntries(here.database, orgId, null)).length, 2, 'nothing that failed')
})

test('writes down nothing that was refused', async () => {
  const { orgId } = await here.organisation()
  assert.equal((await jobwright('key', 'pause', orgId, 'key_unknown')).code, 1)
  assert.equal((await jobwright('key', 'create', '--org', orgId, '--scopes', 'nonsense')).code, 1)
  assert.deepEqual(await listAuditEntries(here.database, orgId, null), [])
})
