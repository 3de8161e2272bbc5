// The doctor finds what is wrong, says what to do, and ends with 1 only then.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { type CommandResult, commandLine, settingsFor } from '../../test/command-line.ts'
import { mailServer } from '../../test/mail-server.ts'
import { skipUnlessInstalled, startRedis, startService } from '../../test/programs.ts'
import { createEmptyDatabase, createSecondDatabase, isOnCitus } from '../../test/test-database.ts'
import { startTestService } from '../../test/test-service.ts'
import { Database, sql } from '../db/database.ts'
import type { Check } from './doctor-checks.ts'
import { judgeServers } from './doctor-servers.ts'

delete process.env.TEST_POSTGRES_SOCKET // the server of a test run is not durable, and doctor says so
const here = await startTestService()

const doctor = (settings: Record<string, string> = {}): Promise<CommandResult> =>
  commandLine({ ...settingsFor(here), ...settings })('doctor', '--json')

const finding = ({ json }: CommandResult, name: string): Check =>
  json.checks.find((check: Check) => check.name === name)

describe('doctor', () => {
  it('finds nothing wrong with an installation that works', async () => {
    const settings = settingsFor({ connection: await createSecondDatabase(here) }) // others may have left mail that failed in ours
    assert.equal((await commandLine(settings)('migrate')).code, 0)
    const { code, json } = await doctor(settings)
    assert.deepEqual([code, json.ok], [0, true])
    assert.deepEqual(
      json.checks.map(({ name, status }: Check) => [name, status]),
      [
        'Settings',
        'Addresses',
        'Data folder',
        'Database',
        'Servers',
        'Durability',
        'Connections',
        'Session',
        'Migrations',
        'Notifications',
        'Clock',
        'Tables',
        ...(isOnCitus ? ['Nodes', 'Balance', 'Two-phase commits'] : []),
        'Backups',
        'Mail',
        'Rate-limit store',
        'Port',
      ].map((name) => [name, 'ok']),
    )
  })

  it('reads well', async () => {
    const { code, stdout } = await commandLine(settingsFor(here))('doctor')
    assert.equal(code, 0)
    assert.match(stdout, /^ {2}ok {7}Settings/)
    assert.match(stdout, /\nNothing is wrong\.\n$/)
  })

  it('warns of more processes than PostgreSQL has connections for', async () => {
    const { status, detail } = finding(await doctor({ PROCESSES: '64' }), 'Connections')
    assert.equal(status, 'warning')
    assert.match(detail, /^PostgreSQL allows \d+, the processes of this machine may need 2654$/)
  })

  it('names every wrong setting, and stops there', async () => {
    const outcome = await doctor({ PORT: 'nonsense', REST_ORIGIN: 'nowhere' })
    assert.equal(outcome.code, 1)
    assert.deepEqual(outcome.json.checks.length, 1)
    assert.match(finding(outcome, 'Settings').detail, /PORT must be .*; REST_ORIGIN must be/)
  })

  it('warns of addresses whose traffic others can read, and not of those on this machine', async () => {
    for (const [origin, status] of [
      ['http://jobs.example', 'warning'],
      ['http://192.0.2.7:3000', 'warning'],
      ['https://jobs.example', 'ok'],
      ['http://127.0.0.1:3000', 'ok'],
      ['http://[::1]:3000', 'ok'],
      ['http://localhost:3000', 'ok'],
    ] as const) {
      assert.equal(finding(await doctor({ AUTH_URL: origin }), 'Addresses').status, status, origin)
    }
  })

  it('finds a data folder that cannot be made', async () => {
    const outcome = await doctor({ DATA_DIR: '/proc/jobwright' })
    assert.deepEqual([outcome.code, finding(outcome, 'Data folder').status], [1, 'wrong'])
  })

  it('finds a database that is away, and goes on with the rest', async () => {
    const outcome = await doctor({ DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' })
    const { status, detail, advice } = finding(outcome, 'Database')
    assert.deepEqual([outcome.code, status], [1, 'wrong'])
    assert.match(detail, /ECONNREFUSED/)
    assert.match(advice!, /DATABASE_URL/)
    assert.equal(finding(outcome, 'Port').status, 'ok')
  })

  it('says which server takes writes, which is away, and that two that do are one too many', async () => {
    const { host, port, user, database } = here.connection as Record<string, string>
    const own = `${encodeURIComponent(host!)}:${port}`
    const servers = async (...hosts: string[]) =>
      finding(await doctor({ DATABASE_URL: `postgres://${user}@${hosts.join()}/${database}` }), 'Servers')
    const name = `${host}:${port}`
    assert.deepEqual([(await servers(own)).status, (await servers(own)).detail], ['ok', `${name} takes writes`])
    const one = await servers('127.0.0.1:1', own)
    assert.equal(one.status, 'warning')
    assert.match(one.detail, /^127\.0\.0\.1:1 is away \(.*ECONNREFUSED.*\); \S+ takes writes$/)
    assert.equal((await servers(own, own)).status, 'wrong')
    const replica = { name: 'b:5432', state: 'read-only', reason: 'it is a replica' } as const
    const primary = { name: 'a:5432', state: 'writable' } as const
    assert.deepEqual(
      ['', 'b'].map((awaited) => judgeServers([primary, replica], awaited).status),
      ['warning', 'ok'],
    )
  })

  it('finds a session that does not keep our time, and the service does not start on one', async () => {
    const settings = settingsFor(here)
    settings.DATABASE_URL += `&options=${encodeURIComponent('-c timezone=America/New_York')}`
    const outcome = await doctor(settings)
    assert.deepEqual([outcome.code, finding(outcome, 'Session').status], [1, 'wrong'])
    await assert.rejects(startService(settings), /America\/New_York although we ask for UTC/)
  })

  it('warns of migrations that are missing, without applying them', async () => {
    const settings = settingsFor({ connection: await createEmptyDatabase(here) })
    const outcome = await doctor(settings)
    assert.deepEqual([outcome.code, finding(outcome, 'Migrations').status], [0, 'warning'])
    assert.equal(finding(await doctor(settings), 'Migrations').status, 'warning')
  })

  it('finds a database that a newer version has used', async () => {
    const connection = await createEmptyDatabase(here)
    const database = new Database(connection)
    await database.query(sql`create table migrations (name text)`)
    await database.query(sql`insert into migrations values ('9999-later.sql')`)
    await database.close()
    const outcome = await doctor(settingsFor({ connection }))
    assert.equal(outcome.code, 1)
    assert.match(finding(outcome, 'Migrations').detail, /9999-later\.sql/)
  })

  describe('about mail', () => {
    const mail = async (settings: Record<string, string> = {}) => finding(await doctor(settings), 'Mail')

    it('says where it goes', async () => {
      assert.match((await mail({ DATA_DIR: '/tmp/somewhere' })).detail, /^files in \/tmp\/somewhere\/outbox/)
      const server = await mailServer()
      const { status, detail } = await mail({ SMTP_URL: server.url, MAIL_FROM: 'office@example.com' })
      assert.notEqual(status, 'wrong')
      assert.equal(detail.split(';')[0], new URL(server.url).host)
    })

    it('finds a mail server that is not there, without showing its password', async () => {
      const settings = { SMTP_URL: 'smtp://me:hush@127.0.0.1:1', MAIL_FROM: 'office@example.com' }
      const { status, detail } = await mail(settings)
      assert.equal(status, 'wrong')
      assert.match(detail, /^127\.0\.0\.1:1 does not take mail: .*ECONNREFUSED/)
      assert.doesNotMatch(detail, /hush/)
    })

    it('warns of mail that failed, with the reason', async () => {
      const { orgId } = await here.organisation()
      await here.database.write(
        'test',
        sql`
        insert into outbox (org_id, id, to_address, from_name, subject, sealed_body, status, failure_reason, tried_at)
        values (${orgId}, 'eml_lost', 'a@example.com', 'Shop', 'Hello', '', 'failed', 'No such user here', now())`,
      )
      const { status, detail } = await mail()
      assert.equal(status, 'warning')
      assert.match(detail, /[1-9]\d* failed .*the last reason: /)
      await here.database.write('test', sql`delete from outbox where org_id = ${orgId}`)
    })

    it('still says where it goes while the database is away', async () => {
      assert.equal((await mail({ DATABASE_URL: 'postgres://127.0.0.1:1/nowhere' })).status, 'ok')
    })
  })

  it('recognises Jobwright on its port, and tells another program from it', async () => {
    const running = await doctor({ PORT: new URL(here.origin).port })
    assert.match(finding(running, 'Port').detail, /^Jobwright is running/)

    const stranger = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1')
    after(() => stranger.close())
    await once(stranger, 'listening')
    const taken = await doctor({ PORT: String((stranger.address() as AddressInfo).port) })
    assert.equal(taken.code, 1)
    assert.match(finding(taken, 'Port').detail, /^another program listens/)
  })

  it('says what is wrong when Redis is to count and nobody said where it is', async () => {
    const outcome = await doctor({ RATE_LIMIT_STORE: 'redis' })
    assert.deepEqual([outcome.code, finding(outcome, 'Rate-limit store').status], [1, 'wrong'])
  })

  it('finds a Redis that does not answer', async () => {
    const outcome = await doctor({ RATE_LIMIT_STORE: 'redis', REDIS_URL: 'redis://127.0.0.1:1' })
    assert.deepEqual([outcome.code, finding(outcome, 'Rate-limit store').status], [1, 'wrong'])
  })

  it('finds a Redis that answers', { skip: skipUnlessInstalled('redis-server') }, async () => {
    const redis = await startRedis()
    after(() => redis.stop())
    const outcome = await doctor({ RATE_LIMIT_STORE: 'redis', REDIS_URL: redis.url })
    assert.deepEqual([outcome.code, finding(outcome, 'Rate-limit store').status], [0, 'ok'])
  })
})
