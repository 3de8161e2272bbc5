// What people and programs may rely on when they type a command.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertEventually, commandLine, settingsFor } from '../../test/command-line.ts'
import { createEmptyDatabase } from '../../test/test-database.ts'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'

const here = await startTestService()
const jobwright = commandLine(settingsFor(here))
const { orgId: org } = await here.organisation({ name: 'Quay Cycles' })

describe('org', () => {
  it('makes an organisation with a plan that may use the API', async () => {
    const { json, code, stderr } = await jobwright('org', 'create', '--name', 'Café “Ørsted”', '--json')
    assert.match(json.id, /^org_/)
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    assert.deepEqual(
      { ...json, id: '' },
      { id: '', name: 'Café “Ørsted”', entitlement: 'pro', currency: 'GBP', timeZone: 'Europe/London' },
    )
  })

  it('makes one with a plan, currency and time zone of its own', async () => {
    const details = ['--entitlement', 'trial', '--currency', 'EUR', '--time-zone', 'Europe/Dublin']
    const { json } = await jobwright('org', 'create', '--name', 'Liffey Locks', ...details, '--json')
    assert.deepEqual([json.entitlement, json.currency, json.timeZone], ['trial', 'EUR', 'Europe/Dublin'])
  })

  it('makes one with the built-in job statuses, or without them', async () => {
    const statusesOf = async (...more: string[]) => {
      const { json } = await jobwright('org', 'create', '--name', 'Lock Smiths', ...more, '--json')
      const client = await here.client(json.id)
      const { ticketStatuses } = (await client.get('/ticket-statuses')).body.data
      return ticketStatuses.map(({ name }: Named) => name)
    }
    assert.deepEqual(await statusesOf(), ['Open', 'In Progress', 'Closed'])
    assert.deepEqual(await statusesOf('--no-default-statuses'), [])
  })

  it('changes plan and name, and a running service hears of it', async () => {
    const client = await here.organisation()
    assert.equal((await client.get('/customers')).status, 200)
    const { json } = await jobwright('org', 'set', client.orgId, '--entitlement', 'basic', '--name', 'Closed', '--json')
    assert.deepEqual([json.id, json.entitlement, json.name], [client.orgId, 'basic', 'Closed'])
    await assertEventually(403, async () => (await client.get('/customers')).status)
  })

  it('lists them', async () => {
    const { json } = await jobwright('org', 'list', '--json')
    assert.ok(json.organisations.some(({ id, name }: Named) => id === org && name === 'Quay Cycles'))
    assert.match((await jobwright('org', 'list')).stdout, new RegExp(`^${org} +Quay Cycles +pro +GBP`, 'm'))
  })
})

describe('member', () => {
  const addMember = (...more: string[]) =>
    jobwright('member', 'add', '--org', org, '--first-name', 'Ann', ...more, '--json')

  it('adds an admin with a password and a TOTP secret', async () => {
    const { json } = await addMember('--email', 'ann@quay.example', '--role', 'admin')
    assert.match(json.id, /^mem_/)
    assert.deepEqual([json.email, json.role], ['ann@quay.example', 'admin'])
    assert.match(json.password, /^[a-z2-7]{24}$/)
    assert.match(json.totpSecret, /^[A-Z2-7]{32}$/)
    assert.equal(new Set(json.recoveryCodes).size, 10)
  })

  it('adds a technician with the password that was given and no TOTP secret', async () => {
    const { json } = await addMember('--email', 'tim@quay.example', '--password', 'seven green tides')
    assert.deepEqual([json.role, json.password, json.totpSecret], ['technician', 'seven green tides', null])
    assert.equal(json.recoveryCodes, null)
  })

  it('begins anew with a person whose password another organisation made, and says so', async () => {
    const email = 'moved@quay.example'
    await addMember('--email', email, '--role', 'admin')
    await here.database.query(sql`update people set made_by_org = 'org_other' where email = ${email}`)
    const { orgId: other } = await here.organisation()
    const words = ['member', 'add', '--org', other, '--first-name', 'Ann', '--email', email, '--role', 'admin']
    const { stdout } = await jobwright(...words)
    assert.match(stdout, /^ *Password:? +[a-z2-7]{24}$/m)
    assert.match(stdout, /^ *TOTP secret:? +[A-Z2-7]{32}$/m)
    assert.equal([...stdout.matchAll(/^ {2}([a-z2-7]{4}-){3}[a-z2-7]{4}$/gm)].length, 10, 'recovery codes')
    assert.match(stdout, /Another organisation made the password they had\. It no longer works/)
  })

  it('keeps the secrets of a person who is in another organisation already', async () => {
    await addMember('--email', 'both@quay.example', '--role', 'admin')
    const { orgId: other } = await here.organisation()
    const again = [
      'member',
      'add',
      '--org',
      other,
      '--email',
      'Both@quay.example',
      '--first-name',
      'B',
      '--role',
      'admin',
    ]
    const { stdout } = await jobwright(...again)
    assert.match(stdout, /Password +the one they already have\n.*TOTP secret +the one they already have/)
  })

  it('changes, lists and removes', async () => {
    const { id } = (await addMember('--email', 'sue@quay.example')).json
    const changed = (await jobwright('member', 'set', org, id, '--role', 'manager', '--active', 'false', '--json')).json
    assert.deepEqual([changed.id, changed.role, changed.isActive], [id, 'manager', false])
    const ids = async () =>
      (await jobwright('member', 'list', '--org', org, '--json')).json.members.map((member: Named) => member.id)
    assert.ok((await ids()).includes(id))
    assert.equal((await jobwright('member', 'remove', org, id, '--json')).json.id, id)
    assert.ok(!(await ids()).includes(id))
  })
})

describe('demo', () => {
  it('fills an organisation with as many customers as are asked for', async () => {
    const client = await here.organisation()
    const { json } = await jobwright('demo', '--org', client.orgId, '--size', '3', '--json')
    assert.deepEqual([json.orgId, json.added.customers], [client.orgId, 3])
    assert.equal((await client.get('/customers')).body.data.customers.length, 3)
  })

  it('says in one sentence what was added', async () => {
    const client = await here.organisation()
    const { stdout } = await jobwright('demo', '--org', client.orgId, '--size', '3')
    const sentence = /^Added 3 customers, 6 devices, 4 jobs, 1 quote, \d invoices? and \d payments?\.\n$/
    assert.match(stdout, sentence)
  })
})

describe('settings', () => {
  it('shows the values in force and masks secrets', async () => {
    const { json, stdout } = await jobwright('settings', '--json')
    const value = (name: string) => json.settings.find(({ variable }: { variable: string }) => variable === name).value
    assert.deepEqual([value('PORT'), value('DATABASE_URL'), value('RATE_LIMIT_STORE')], ['0', '••••', 'memory'])
    assert.ok(!stdout.includes(settingsFor(here).SECRETS_KEY!))
  })

  it('needs no database', async () => {
    const away = commandLine({ ...settingsFor(here), DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' })
    assert.equal((await away('settings')).code, 0)
  })
})

describe('the database', () => {
  it('is brought up to date by migrate, which says what it did', async () => {
    const onEmpty = commandLine(settingsFor({ connection: await createEmptyDatabase(here) }))
    assert.ok((await onEmpty('migrate', '--json')).json.applied.includes('0001-foundation.sql'))
    assert.deepEqual((await onEmpty('migrate', '--json')).json, { applied: [] })
  })

  it('is brought up to date by any command that needs it', async () => {
    const onEmpty = commandLine(settingsFor({ connection: await createEmptyDatabase(here) }))
    assert.match((await onEmpty('org', 'create', '--name', 'First', '--json')).json.id, /^org_/)
  })
})

describe('help', () => {
  const help = async (...words: string[]) => {
    const { code, stdout, stderr } = await jobwright(...words)
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    return stdout
  }

  it('is given for everything, for a group and for one command, and needs no settings', async () => {
    const [all, alone, group, one, named] = await Promise.all([
      help('--help'),
      help(),
      help('key', '--help'),
      help('key', 'create', '--help'),
      help('help', 'key', 'create'),
    ])
    assert.equal(alone, all)
    assert.equal(named, one)
    for (const words of ['org create', 'member add', 'key rotate', 'settings', 'migrate', 'doctor', 'demo']) {
      assert.ok(all.includes(`\n  ${words} `), words)
    }
    assert.match(group, /\n {2}key pause +Refuse/)
    assert.match(one, /Usage\n {2}jobwright key create --org ORG \[options\]/)
    const unsettled = commandLine({ PORT: 'nonsense' })
    assert.equal((await unsettled('key', 'create', '--help')).stdout, one)
  })
})

describe('what goes wrong', () => {
  const someKey = 'key_01kbx5'
  const cases: [sentence: string | RegExp, words: () => string[]][] = [
    ['There is no command "keys"; see jobwright --help', () => ['keys']],
    ['There is no command "key make"; see jobwright key --help', () => ['key', 'make', '--org', org]],
    ['--name is required; see jobwright org create --help', () => ['org', 'create']],
    [/^--currency must be an ISO 4217 currency code/, () => ['org', 'create', '--name', 'X', '--currency', 'XYW']],
    [/^--time-zone must be an IANA time zone/, () => ['org', 'create', '--name', 'X', '--time-zone', 'Mars/One']],
    [/^There is no option --no-defaults/, () => ['org', 'create', '--name', 'X', '--no-defaults']],
    [/^--name or --entitlement is required/, () => ['org', 'set', org]],
    ['There is no organisation org_none', () => ['org', 'set', 'org_none', '--name', 'X']],
    ['There is no organisation org_none', () => ['member', 'list', '--org', 'org_none']],
    ['There is no organisation org_none', () => ['key', 'create', '--org', 'org_none']],
    ['There is no organisation org_none', () => ['key', 'list', '--org', 'org_none']],
    ['There is no organisation org_none', () => ['key', 'pause', 'org_none', someKey]],
    ['There is no organisation org_none', () => ['key', 'rotate', 'org_none', someKey]],
    ['There is no organisation org_none', () => ['demo', '--org', 'org_none']],
    [/^--email must be a valid email/, () => ['member', 'add', '--org', org, '--email', 'a@', '--first-name', 'A']],
    [/^--role or --active is required/, () => ['member', 'set', org, 'mem_none']],
    ['The organisation has no member mem_none', () => ['member', 'set', org, 'mem_none', '--role', 'admin']],
    ['The organisation has no member mem_none', () => ['member', 'remove', org, 'mem_none']],
    [`The organisation has no key ${someKey}`, () => ['key', 'resume', org, someKey]],
    [`The organisation has no key ${someKey}`, () => ['key', 'revoke', org, someKey]],
    ['There is no scope tides:read', () => ['key', 'create', '--org', org, '--scopes', 'read,tides:read']],
    [/^--uses must be one of rest, mcp/, () => ['key', 'create', '--org', org, '--uses', 'ftp']],
    [/^--ip must be an address or a network/, () => ['key', 'create', '--org', org, '--ip', '10.0.0.0/33']],
    [/^--expires must be like 90d/, () => ['key', 'create', '--org', org, '--expires', 'soon']],
    [/^--expires must be in the future/, () => ['key', 'create', '--org', org, '--expires', '2020-01-01']],
    [/^--expires must be within 100 years/, () => ['key', 'create', '--org', org, '--expires', '999999999d']],
    [/^--scope-version must be at most 2/, () => ['key', 'create', '--org', org, '--scope-version', '3']],
    [/^--overlap-hours must be at most 72/, () => ['key', 'rotate', org, someKey, '--overlap-hours', '73']],
    [/^--size must be at least 1/, () => ['demo', '--org', org, '--size', '0']],
  ]
  for (const [sentence, words] of cases) {
    it(`is told in one sentence: ${sentence}`, async () => {
      const { code, stdout, stderr } = await jobwright(...words(), '--json')
      assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
      assert.match(stderr, /^[^\n]+\n$/)
      if (typeof sentence === 'string') assert.equal(stderr, `${sentence}\n`)
      else assert.match(stderr, sentence)
    })
  }

  it('names everything that is wrong with the settings', async () => {
    const unsettled = commandLine({ PORT: 'nonsense', DATABASE_URL: 'postgres://localhost/x' })
    const { code, stderr } = await unsettled('org', 'list')
    assert.equal(code, 1)
    assert.match(stderr, /PORT must be .*\n.*SECRETS_KEY is required/)
  })

  it('comes with a stack for those who debug, and only for them', async () => {
    const away = { ...settingsFor(here), DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' }
    const sentence = 'The database is not available: connect ECONNREFUSED 127.0.0.1:1\n'
    assert.equal((await commandLine(away)('org', 'list')).stderr, sentence)
    assert.match((await commandLine({ ...away, LOG_LEVEL: 'debug' })('org', 'list')).stderr, /\n {4}at /)
  })
})

interface Named {
  readonly id: string
  readonly name: string
}
