// Backups of a real embedded PostgreSQL while it serves: made, proven, restored, killed in the middle, and to a moment.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, open, readdir, realpath, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { waitUntil } from '../../prove/wait-until.ts'
import { commandLine } from '../../test/command-line.ts'
import { programEnvironment } from '../../test/programs.ts'
import { Database, sql } from '../db/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded/launcher.ts'
import { backupName } from '../domain/backups.ts'
import { makeDueBackup } from '../worker/backups.ts'
import { newestBackup, removeExpired } from './backup-folder.ts'
import { contentEntry } from './data-files.ts'
import { readSealedFile, writeSealedFile } from './sealed-file.ts'
import { beginAtPosition } from './table-sums.ts'
import { readTar, tarEnd, tarFolder } from './tar.ts'
import { archiveFolder, archiveLog, stopArchiving } from './wal-archive.ts'

const skip = process.platform === 'win32' && 'the embedded PostgreSQL does not run on Windows'

describe('backups of the embedded PostgreSQL', { skip }, () => {
  let scratch: string
  let dataDir: string
  let postgres: EmbeddedPostgres
  let database: Database
  let first: string
  const jobwright = (folder: string, settings = {}) => commandLine({ DATA_DIR: folder, ...settings })
  const place = (name: string) => join(scratch, name)

  before(async () => {
    scratch = await realpath(await mkdtemp(join(tmpdir(), 'jobwright-backups-')))
    dataDir = place('data')
    postgres = await startEmbeddedPostgres({ dataDir, mode: 'serve' })
    database = new Database(postgres.connection)
    await database.query(sql`create table notes (id int primary key, text text)`)
    await database.query(sql`insert into notes select n, repeat('text ', n % 50) from generate_series(1, 5000) n`)
    first = place('first.tar.gz')
  })
  after(async () => {
    await database.close()
    await postgres.stop()
    await rm(scratch, { recursive: true, force: true, maxRetries: 20 })
  })

  /** What a query answers on a data folder that no server is using. */
  const askRestored = async (folder: string, query: string): Promise<unknown> => {
    const restored = await startEmbeddedPostgres({ dataDir: folder, mode: 'serve' })
    const there = new Database(restored.connection)
    try {
      return (await there.query<{ answer: unknown }>({ text: query, values: [] }))[0]!.answer
    } finally {
      await there.close()
      await restored.stop()
    }
  }

  it('are made while it serves, for their owner alone, and say what is not in them', async () => {
    const { code, stdout, stderr } = await jobwright(dataDir)('backup', first)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /Noted +5,000 rows in 1 tables, to compare/)
    assert.match(stdout, /The key in \S*secrets\.key is\s+not\s+in\s+it: keep a copy/)
    assert.match(stderr, /^copied 10 % of /m)
    assert.match(stderr, /^copied 100 % of /m)
    assert.equal((await stat(first)).mode & 0o777, 0o600)
    const again = await jobwright(dataDir)('backup', first)
    assert.deepEqual([again.code, /is there already: name another/.test(again.stderr)], [1, true])
    const [slots] = await database.query<{ count: number }>(
      sql`select count(*)::int as count from pg_replication_slots`,
    )
    assert.equal(slots!.count, 0)
  })

  it('hold what PostgreSQL needs, the control file after all others, and nothing of the run that was copied', async () => {
    const names: string[] = []
    for await (const { name, kind } of readTar(readSealedFile(first))) if (kind === 'file') names.push(name)
    const log = names.filter((name) => name.startsWith('postgres/pg_wal/'))
    assert.deepEqual(names.slice(-log.length - 3), [
      'postgres/global/pg_control',
      'postgres/backup_label',
      ...log,
      'manifest.json',
    ])
    assert.deepEqual([names[0], names.includes('postgres/PG_VERSION')], ['backup.json', true])
    const strange = /postmaster|\.s\.PGSQL|pg_replslot|pg_internal|secrets\.key|postgres\.log/
    assert.deepEqual(
      names.filter((name) => strange.test(name)),
      [],
    )
  })

  it('are compared at a moment at which nobody writes', async () => {
    await database.longSession(async (writer) => {
      await writer.query(sql`begin`)
      await writer.query(sql`update notes set text = 'unfinished' where id = 1`)
      const noted = database.longSession((session) => beginAtPosition(session, AbortSignal.timeout(500)))
      await assert.rejects(noted, { name: 'TimeoutError' })
      await writer.query(sql`rollback`)
    })
    assert.match((await database.longSession((session) => beginAtPosition(session))) ?? '', /^0\/[0-9A-F]+$/)
  })

  it('are proven by restoring them, and what differs is named', async () => {
    const good = await jobwright(dataDir)('backup', '--verify', first, '--json')
    assert.equal(good.code, 0, good.stderr)
    assert.deepEqual([good.json.isCompared, good.json.rows, good.json.differing], [true, 5_000, []])

    const altered = place('altered.tar.gz')
    await withManifest(first, altered, (manifest) => manifest.replace('"checksum":"', '"checksum":"1'))
    const bad = await jobwright(dataDir)('backup', '--verify', altered, '--json')
    assert.deepEqual([bad.code, bad.json.differing], [1, ['notes']])
    assert.deepEqual(
      (await readdir(dataDir)).filter((name) => name.startsWith('verifying')),
      [],
    )
  })

  it('that are damaged, cut off or lack a part of the log are refused', async () => {
    const flipped = place('flipped.tar.gz')
    await copyFile(first, flipped)
    const handle = await open(flipped, 'r+')
    const byte = Buffer.alloc(1)
    await handle.read(byte, 0, 1, 1_000_000)
    byte[0]! ^= 4
    await handle.write(byte, 0, 1, 1_000_000)
    await handle.close()
    const cut = place('cut.tar.gz')
    await copyFile(first, cut)
    await truncate(cut, (await stat(cut)).size - 1_000)
    const head = JSON.parse(String(await entryOf(first, 'backup.json')))
    const manifest = JSON.parse(String(await entryOf(first, 'manifest.json')))
    const gap = await craft(place('gap.tar.gz'), { 'backup.json': head, 'manifest.json': { ...manifest, files: 0 } })
    const few = await craft(place('few.tar.gz'), { 'backup.json': head, 'manifest.json': manifest })
    const endless = await craft(place('endless.tar.gz'), { 'backup.json': head })
    const foreign = await craft(place('foreign.tar.gz'), { 'backup.json': head, 'postgres/../../outside': 'x' })
    for (const [file, words] of [
      [flipped, /is damaged/],
      [cut, /cut\.tar\.gz does not end as a backup ends/],
      [gap, /lacks the segment [0-9A-F]{24} of the log/],
      [few, /holds 0 files of 1\d{3}/],
      [endless, /lacks its end/],
      [foreign, /a name that does not belong there: "postgres\/\.\.\/\.\.\/outside"/],
      [place('none.tar.gz'), /ENOENT/],
    ] as const) {
      const { code, stderr } = await jobwright(dataDir)('backup', '--verify', file)
      assert.equal(code, 1, basename(file))
      assert.match(stderr, words)
    }
    assert.equal((await jobwright(place('elsewhere'))('restore', gap)).code, 1)
    assert.ok(!existsSync(place('elsewhere/postgres')))
  })

  it('are not restored over data, unless it may be moved aside', async () => {
    const inUse = await jobwright(dataDir)('restore', first, '--force')
    assert.equal(inUse.code, 1)
    assert.match(inUse.stderr, /is in use by a server \(process \d+\).*: stop the service first/)

    const target = place('target')
    await mkdir(join(target, 'postgres'), { recursive: true })
    await writeFile(join(target, 'postgres/PG_VERSION'), '18\n')
    const refused = await jobwright(target)('restore', first)
    assert.match(refused.stderr, /holds data\. With --force it is moved aside/)
    const { code, stdout, stderr } = await jobwright(target)('restore', first, '--force')
    assert.equal(code, 0, stderr)
    assert.match(stdout, /There is no key in\s+\S*secrets\.key: put\s+the\s+one\s+of\s+the\s+old\s+installation/)
    const [, aside = ''] = /Data before +(\S+)/.exec(stdout) ?? []
    assert.deepEqual([dirname(aside), await readdir(aside)], [target, ['PG_VERSION']])
    assert.equal(await askRestored(target, 'select count(*)::int as answer from notes'), 5_000)
  })

  it('of another PostgreSQL, another platform or a newer format are refused in words', async () => {
    const head = JSON.parse(String(await entryOf(first, 'backup.json')))
    for (const [change, words] of [
      [{ postgres: 17 }, /is of PostgreSQL 17, which PostgreSQL \d+ cannot read/],
      [{ platform: 'sunos-sparc' }, /was made on sunos-sparc, and PostgreSQL's files fit no /],
      [{ version: 2 }, /has version 2 of its format, and this Jobwright knows 1/],
      [{ format: 'other' }, /is no backup of Jobwright/],
    ] as const) {
      const file = await craft(place(`${Object.keys(change)[0]}.tar.gz`), { 'backup.json': { ...head, ...change } })
      assert.match((await jobwright(place('nowhere'))('restore', file)).stderr, words)
    }
    const own = { DATABASE_URL: 'postgres://127.0.0.1:1/own', SECRETS_KEY: Buffer.alloc(32).toString('base64') }
    for (const words of [
      ['backup', 'x.gz'],
      ['backup', '--verify', 'x.gz'],
      ['restore', 'x.gz'],
    ])
      assert.match(
        (await jobwright(place('nowhere'), own)(...words)).stderr,
        /whoever runs it backs it up, with pg_basebackup/,
      )
    assert.match((await jobwright(place('empty'))('backup', place('x.gz'))).stderr, /There is no data in /)
  })

  it('that are killed in the middle leave nothing that looks whole, and the next one is made', async () => {
    const file = place('killed.tar.gz')
    const slots = () => database.query(sql`select from pg_replication_slots`)
    await killWhen(['backup', file], dataDir, async () => existsSync(`${file}.part`) && (await slots()).length === 1)
    assert.ok(!existsSync(file))
    await waitUntil(async () => (await slots()).length === 0, 'the slot to go', 20_000)
    assert.equal((await jobwright(dataDir)('backup', file)).code, 0)
    assert.ok(!existsSync(`${file}.part`))

    const target = place('killed')
    const scratchFolders = async () =>
      (await readdir(target).catch(() => [])).filter((name) => name.startsWith('restoring'))
    await killWhen(['restore', file], target, async () => (await scratchFolders()).length > 0)
    assert.ok(!existsSync(join(target, 'postgres')))
    assert.equal((await scratchFolders()).length, 1)
    await copyFile(join(dataDir, 'secrets.key'), join(target, 'secrets.key'))
    const again = await jobwright(target)('restore', file, '--json')
    assert.deepEqual([again.code, again.json.key, again.json.movedTo], [0, 'right', null], again.stderr)
    assert.deepEqual(await scratchFolders(), [])
  })

  /** Runs a command in a process of its own, which is killed as soon as a condition holds. */
  async function killWhen(words: string[], folder: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    const program = fileURLToPath(new URL('../cli/jobwright.ts', import.meta.url))
    const child = spawn(process.execPath, [program, ...words], {
      cwd: scratch,
      env: { ...programEnvironment(), DATA_DIR: folder },
      stdio: 'ignore',
    })
    const exited = once(child, 'exit')
    try {
      await waitUntil(condition, words.join(' '), 60_000)
    } finally {
      child.kill('SIGKILL')
    }
    assert.deepEqual(await exited, [null, 'SIGKILL'])
  }

  it('are made once a day by one of many, and older ones go when the newest is found to be whole', async () => {
    const backupDir = place('daily')
    await mkdir(backupDir)
    const hoursAgo = (hours: number) => new Date(Date.UTC(2026, 10, 16, 2) - hours * 3_600_000)
    for (let day = 1; day <= 10; day++) await copyFile(first, join(backupDir, backupName(hoursAgo(24 * day))))
    await copyFile(first, join(backupDir, 'mine.tar.gz'))
    await copyFile(first, join(backupDir, `${backupName(hoursAgo(1))}.part`))
    const due = (now: Date) => makeDueBackup({ database, dataDir, backupDir, backupHour: 2, keyMark: 'mark', now })
    assert.equal(await due(hoursAgo(2)), undefined)
    const made = (await Promise.all([due(hoursAgo(0)), due(hoursAgo(0)), due(hoursAgo(0))])).filter(Boolean)
    assert.equal(made.length, 1)
    assert.equal(await due(hoursAgo(-20)), undefined)
    const kept = [0, 1, 2, 3, 4, 5, 6, 8].map((day) => backupName(hoursAgo(24 * day)))
    assert.deepEqual((await readdir(backupDir)).sort(), [...kept, 'mine.tar.gz'].sort())

    const newest = join(backupDir, backupName(hoursAgo(-24)))
    await copyFile(first, newest)
    await truncate(newest, 500_000)
    await assert.rejects(removeExpired(backupDir), /does not end as a backup ends/)
    assert.deepEqual((await readdir(backupDir)).sort(), [...kept, `${basename(newest)}.damaged`, 'mine.tar.gz'].sort())
    assert.deepEqual(await newestBackup(backupDir), hoursAgo(0))
  })

  describe('with the log beside them', () => {
    let folder: string
    let file: string
    let between: string
    const archive = () => archiveLog(database, { dataDir, folder })
    const note = (id: number) => database.query(sql`insert into notes values (${id}, 'later')`)
    const later = 'select array_agg(id order by id) as answer from notes where id > 5000'
    const segments = async () => (await readdir(archiveFolder(folder))).sort()

    before(async () => {
      folder = place('moments')
      await mkdir(folder)
      file = join(folder, backupName(new Date()))
      await archive()
      assert.equal((await jobwright(dataDir)('backup', file)).code, 0)
      await note(10_001)
      await archive()
      const [moment] = await database.query<{ now: Date }>(sql`select clock_timestamp() as now`)
      between = moment!.now.toISOString()
      await note(10_002)
      assert.ok((await Promise.all([archive(), archive()])).includes(0), 'one of two does it')
      await archive()
      await note(10_003) // not archived
    })

    const restoreTo = async (to: string, name: string) => {
      const { code, stderr } = await jobwright(place(name))('restore', file, '--to', to)
      return { stderr, ids: code === 0 ? await askRestored(place(name), later) : undefined }
    }

    it('data is restored to a moment, or as far as the log goes', async () => {
      const then = await restoreTo(between, 'then')
      assert.deepEqual(then.ids, [10_001], then.stderr)
      const latest = await restoreTo('latest', 'latest')
      assert.deepEqual(latest.ids, [10_001, 10_002], latest.stderr)
    })

    it('a moment before the backup, after the log or without a time zone is refused in words', async () => {
      assert.match(
        (await restoreTo('2020-01-01T00:00:00Z', 'past')).stderr,
        /is of .*, which is after 2020-.*: take an earlier one/,
      )
      assert.match(
        (await restoreTo('2099-01-01T00:00:00Z', 'future')).stderr,
        /ends before 2099.*its last transaction is of 20/,
      )
      assert.match(
        (await restoreTo('2026-11-16 20:15', 'zone')).stderr,
        /--to must be latest, or a moment with its time zone/,
      )
      for (const name of ['past', 'future', 'zone']) assert.ok(!existsSync(join(place(name), 'postgres')))
    })

    it('what was restored begins a timeline of its own, which no archive has yet', async () => {
      const timeline = `select left(pg_walfile_name(pg_current_wal_lsn()), 8) as answer`
      assert.equal(await askRestored(place('latest'), timeline), '00000002')
      const renewed = await startEmbeddedPostgres({ dataDir: place('latest'), mode: 'serve' })
      const there = new Database(renewed.connection)
      await there.query(sql`insert into notes values (10004, 'on the second timeline')`)
      await archiveLog(there, { dataDir: place('latest'), folder })
      await there.close()
      await renewed.stop()
      assert.ok((await segments()).includes('00000002.history.gz'))
      assert.deepEqual((await restoreTo('latest', 'third')).ids, [10_001, 10_002, 10_004])
      assert.equal(await askRestored(place('third'), timeline), '00000003')
    })

    it('a segment that is missing, damaged or of another installation is noticed', async () => {
      const { lastSegment } = JSON.parse(String(await entryOf(file, 'manifest.json')))
      const second = join(archiveFolder(folder), `${segmentAfter(lastSegment)}.gz`)
      await truncate(second, 100)
      assert.match((await jobwright(dataDir)('backup', '--verify', file)).stderr, /does not end as a backup ends/)
      await rm(second)
      const gap = await jobwright(dataDir)('backup', '--verify', file)
      assert.equal(gap.code, 1)
      assert.match(gap.stdout, /has a gap: segment \d+ is missing/)
      assert.match((await restoreTo('latest', 'gap')).stderr, /has a gap: its segment \d+ is missing/)
    })

    it('the log is kept as long as nobody has copied it, and no longer when nobody will', async () => {
      await note(10_005)
      const slot = async () => database.query(sql`select from pg_replication_slots where slot_name = 'jobwright_wal'`)
      assert.equal((await slot()).length, 1)
      await stopArchiving(database)
      assert.equal((await slot()).length, 0)
      // A new slot is behind what was copied: that is left as it is, and what is there of others is not taken for it.
      await archive()
      const newest = (await segments()).filter((name) => name.startsWith('00000001')).at(-1)!
      await stopArchiving(database)
      await archive()
      await stopArchiving(database)
      await writeSealedFile(join(archiveFolder(folder), newest), contentEntry('of another', Buffer.alloc(0)))
      await assert.rejects(archive(), /is of another installation, or of data that was replaced/)
      await rm(join(archiveFolder(folder), newest))
      await archive()
      assert.ok((await segments()).includes(newest))
    })

    it('older log goes with the backup it belongs to', async () => {
      const before = await segments()
      await removeExpired(folder)
      const { firstSegment } = JSON.parse(String(await entryOf(file, 'backup.json')))
      assert.deepEqual(
        await segments(),
        before.filter((name) => name.endsWith('.history.gz') || name.slice(8) >= firstSegment.slice(8)),
      )
      assert.ok((await segments()).length < before.length)
    })
  })
})

/** The next of the same timeline, as long as its last digits do. */
const segmentAfter = (name: string): string =>
  name.slice(0, 16) + (Number.parseInt(name.slice(16), 16) + 1).toString(16).toUpperCase().padStart(8, '0')

async function entryOf(file: string, wanted: string): Promise<Buffer> {
  for await (const { name, content } of readTar(readSealedFile(file)))
    if (name === wanted) return Buffer.concat(await Array.fromAsync(content))
  assert.fail(`${file} has no ${wanted}`)
}

/** A sealed archive of what is given. */
async function craft(file: string, entries: Readonly<Record<string, object | string>>): Promise<string> {
  const content = async function* () {
    for (const [name, value] of Object.entries(entries))
      yield* contentEntry(name, Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)))
    yield tarEnd
  }
  await writeSealedFile(file, content())
  return file
}

/** The same backup, in which another manifest stands. */
async function withManifest(from: string, to: string, change: (manifest: string) => string): Promise<void> {
  const content = async function* () {
    for await (const { name, kind, content } of readTar(readSealedFile(from))) {
      const bytes = Buffer.concat(await Array.fromAsync(content))
      if (kind === 'folder') yield tarFolder(name)
      else yield* contentEntry(name, name === 'manifest.json' ? Buffer.from(change(String(bytes))) : bytes)
    }
    yield tarEnd
  }
  await writeSealedFile(to, content())
}
