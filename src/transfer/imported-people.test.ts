// Who may sign in to a shop that arrived: nobody by a password that another shop of this server made.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { commandLine, settingsFor } from '../../test/command-line.ts'
import { createSecondDatabase } from '../../test/test-database.ts'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { acceptInvitation, createInvitation, findInvitation } from '../identity/invitations.ts'
import { hashPassword } from '../identity/passwords.ts'
import { createSession, findSession } from '../identity/sessions.ts'

const folder = mkdtempSync(join(tmpdir(), 'jobwright-people-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const here = await startTestService()
const there = await startTestService({}, {}, await createSecondDatabase(here))
const secretsKey = here.config.secretsKey![0]!.toString('base64')
const ours = commandLine({ ...settingsFor(here), SECRETS_KEY: secretsKey })
const theirs = commandLine({ ...settingsFor(there), SECRETS_KEY: secretsKey })

/** A shop here with an admin of that email, in a file. */
async function exported(email: string): Promise<{ orgId: string; file: string }> {
  const { orgId } = await here.organisation()
  await ours('member', 'add', '--org', orgId, '--email', email, '--first-name', 'Ann', '--role', 'admin')
  const file = join(folder, `${orgId}.jsonl`)
  assert.equal((await ours('export', '--org', orgId, file)).code, 0)
  return { orgId, file }
}

const personWith = async (email: string) => {
  const [person] = await there.database.query<{ id: string; hasPassword: boolean; hasTotp: boolean }>(sql`
    select id, password_hash is not null as "hasPassword", totp_secret is not null as "hasTotp"
    from people where email = ${email}`)
  return person!
}

test('a person whom another shop invited begins anew when their own shop arrives', async () => {
  const email = 'boss@victim.example'
  const { file } = await exported(email)
  const { orgId: attacker } = await there.organisation()
  const invitation = { email, firstName: 'Boss', lastName: null, role: 'admin' } as const
  const { token } = await createInvitation(there.database, attacker, invitation, false)
  const proof = { admission: 'new password', passwordHash: await hashPassword('known to the attacker') } as const
  await acceptInvitation(there.database, (await findInvitation(there.database, token))!, token, proof)
  const { id } = await personWith(email)
  await there.database.query(sql`update people set totp_secret = 'enrolled by the attacker' where id = ${id}`)
  await there.database.query(sql`
    insert into recovery_codes (person_id, hash) values (${id}, ${Buffer.from('known to the attacker')})`)
  const session = await createSession(there.database, 'browser', { personId: id, hasSecondFactor: true })
  assert.ok(await findSession(there.database, 'browser', session))

  const imported = await theirs('import', file, '--json')
  assert.equal(imported.code, 0, imported.stderr)
  assert.equal(await findSession(there.database, 'browser', session), undefined)
  assert.deepEqual(await personWith(email), { id, hasPassword: false, hasTotp: false })
  const codes = await there.database.query(sql`select 1 from recovery_codes where person_id = ${id}`)
  assert.equal(codes.length, 0)
  assert.equal(imported.json.admins[0].canSignIn, false)
})

test('a person whom the operator added keeps their password and second factor', async () => {
  const email = 'owner@two-shops.example'
  const { file } = await exported(email)
  const { orgId } = await there.organisation()
  await theirs('member', 'add', '--org', orgId, '--email', email, '--first-name', 'Ann', '--role', 'admin')
  const { id } = await personWith(email)
  const imported = await theirs('import', file, '--json')
  assert.equal(imported.code, 0, imported.stderr)
  assert.deepEqual(await personWith(email), { id, hasPassword: true, hasTotp: true })
})
