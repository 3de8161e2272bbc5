// Holds the launcher to its promises with real processes: nothing lost, nothing left behind, nobody run over.
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { linkLibraries, packagedFolder } from './installation.ts'
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './launcher.ts'

const run = promisify(execFile)
const isRoot = process.getuid?.() === 0
const isLinux = process.platform === 'linux'
const packaged = packagedFolder()
const skip = process.platform === 'win32' && 'the embedded PostgreSQL does not run on Windows'

describe('embedded PostgreSQL', { skip }, () => {
  let scratch: string
  let dataDir: string

  before(async () => {
    scratch = await realpath(await mkdtemp(join(tmpdir(), 'jobwright-test-')))
    dataDir = join(scratch, 'data')
  })
  after(() => rm(scratch, { recursive: true, force: true }))

  it('starts on an empty folder, safe against power cuts and closed to the network', async (t) => {
    const postgres = await start(t, { dataDir, mode: 'serve' })
    await query(postgres, 'create table note (text text)')
    await query(postgres, "insert into note values ('kept')")
    for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums']) {
      assert.deepEqual(await query(postgres, `show ${setting}`), [{ [setting]: 'on' }])
    }
    assert.deepEqual(await query(postgres, 'show listen_addresses'), [{ listen_addresses: '' }])
    assert.deepEqual(await query(postgres, 'show server_encoding'), [{ server_encoding: 'UTF8' }])
    assert.equal((await stat(postgres.connection.host)).mode & 0o777, 0o700)
    assert.deepEqual((await readdir(dataDir)).sort(), ['postgres', 'postgres.log'])
  })

  it('starts again with the data, and stops as often as asked', async (t) => {
    const postgres = await start(t, { dataDir, mode: 'serve' })
    assert.deepEqual(await query(postgres, 'select text from note'), [{ text: 'kept' }])
    const pid = await postmasterPid(dataDir)
    await Promise.all([postgres.stop(), postgres.stop()])
    await postgres.stop()
    await postgres.exited
    assert.ok(!isAlive(pid))
  })

  it('lets requests go before its autovacuum', { skip: !isLinux && 'it does on Linux' }, async (t) => {
    const settings = { autovacuum_naptime: '1s', autovacuum_vacuum_cost_delay: '20ms' }
    const postgres = await start(t, { dataDir, mode: 'serve', settings })
    await query(postgres, 'create table busy as select n, n::text as text from generate_series(1, 200000) n')
    const pid = await postmasterPid(dataDir)
    const lowered = new Set<string>()
    for (let looks = 0; lowered.size === 0 && looks < 1_500; looks++) {
      await delay(20)
      for (const [title, priority] of childPriorities(pid)) if (priority > 0) lowered.add(title)
    }
    assert.deepEqual([...lowered], ['postgres: autovacuum worker'])
    await query(postgres, 'drop table busy')
  })

  it('lets a command join the running server, and outlives the command', async (t) => {
    const server = await start(t, { dataDir, mode: 'serve' })
    const command = await start(t, { dataDir, mode: 'join' })
    assert.deepEqual(command.connection, server.connection)
    await command.stop()
    assert.deepEqual(await query(server, 'select text from note'), [{ text: 'kept' }])
  })

  it('serves commands without a server, and stops after the last of them', async (t) => {
    const first = await start(t, { dataDir, mode: 'join' })
    const pid = await postmasterPid(dataDir)
    const second = await start(t, { dataDir, mode: 'join' })
    const atWork = query(second, "select 'done' as work from pg_sleep(0.5)")
    await delay(100)
    await first.stop()
    assert.deepEqual(await atWork, [{ work: 'done' }])
    assert.ok(!isAlive(pid))
  })

  it('refuses a second server on the same folder in one sentence', async (t) => {
    const server = await startElsewhere(t, dataDir, 'serve')
    const refusal = { message: `A Jobwright server (process ${server.pid}) already runs on ${dataDir}; only one can.` }
    await assert.rejects(startEmbeddedPostgres({ dataDir, mode: 'serve' }), refusal)
  })

  it('makes a server wait for the command that is at work', async (t) => {
    const command = await startElsewhere(t, dataDir, 'join')
    const pid = await postmasterPid(dataDir)
    const server = start(t, { dataDir, mode: 'serve' })
    await delay(300)
    assert.equal(await postmasterPid(dataDir), pid)
    command.kill('SIGTERM')
    assert.deepEqual(await query(await server, 'select text from note'), [{ text: 'kept' }])
  })

  it('loses nothing when the server is killed, and leaves no PostgreSQL behind', async (t) => {
    const server = await startElsewhere(t, dataDir, 'serve')
    const pid = await postmasterPid(dataDir)
    const joined = await start(t, { dataDir, mode: 'join' })
    await query(joined, "insert into note values ('committed')")
    server.kill('SIGKILL')
    if (isLinux) await waitUntil(() => !isAlive(pid))
    const next = await start(t, { dataDir, mode: 'serve' })
    assert.ok(!isAlive(pid))
    assert.deepEqual(await query(next, 'select text from note'), [{ text: 'kept' }, { text: 'committed' }])
  })

  it('takes over from a PostgreSQL that has lost its server', { skip: !isLinux && 'reads /proc' }, async (t) => {
    const orphan = await orphanPostgres(dataDir)
    t.after(() => isAlive(orphan) && process.kill(orphan, 'SIGINT'))
    const joined = await start(t, { dataDir, mode: 'join' })
    await joined.stop()
    assert.ok(isAlive(orphan))
    await start(t, { dataDir, mode: 'serve' })
    assert.ok(!isAlive(orphan))
    assert.notEqual(await postmasterPid(dataDir), orphan)
  })

  it('waits for what a killed PostgreSQL had started', { skip: !isLinux && 'reads /proc' }, async (t) => {
    const killed = await start(t, { dataDir, mode: 'serve' })
    const pid = await postmasterPid(dataDir)
    const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number)
    t.after(() => children.forEach((child) => void (isAlive(child) && process.kill(child, 'SIGKILL'))))
    for (const child of children) process.kill(child, 'SIGSTOP')
    process.kill(pid, 'SIGKILL')
    await killed.exited
    const logPath = join(dataDir, 'postgres.log')
    // Each of many says that it ends, before and after the new one says why it does not start.
    const ending = '2026-11-19 04:30:07.305 UTC [1] FATAL:  terminating connection due to unexpected postmaster exit\n'
    const others = setInterval(() => appendFileSync(logPath, ending.repeat(12)), 1)
    t.after(() => clearInterval(others))
    const next = start(t, { dataDir, mode: 'serve' })
    const log = () => readFileSync(logPath, 'utf8')
    await Promise.race([next, waitUntil(() => log().includes('pre-existing shared memory block'))])
    for (const child of children) process.kill(child, 'SIGCONT')
    assert.equal((await query(await next, 'select text from note')).length, 2)
  })

  it('starts although another process has the number a killed PostgreSQL left', async (t) => {
    const killed = await start(t, { dataDir, mode: 'serve' })
    const pid = await postmasterPid(dataDir)
    process.kill(pid, 'SIGKILL')
    await killed.exited
    const bystander = spawn('sleep', ['60'], { ...(await ownerOf(join(dataDir, 'postgres'))), stdio: 'ignore' })
    t.after(() => bystander.kill())
    for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
      const file = join(dataDir, 'postgres', name)
      await writeFile(file, (await readFile(file, 'utf8')).replace(/^\d+/, String(bystander.pid)))
    }
    const next = await start(t, { dataDir, mode: 'serve' })
    assert.equal((await query(next, 'select text from note')).length, 2)
    assert.ok(isAlive(bystander.pid!))
  })

  it('keeps PostgreSQL running through a Ctrl-C until the server has drained', async (t) => {
    const server = await startElsewhere(t, dataDir, 'serve')
    const pid = await postmasterPid(dataDir)
    process.kill(-server.pid!, 'SIGINT') // what a terminal does: to the whole process group
    await once(server.stdout!, 'data')
    await delay(300)
    assert.ok(isAlive(pid))
    const joined = await start(t, { dataDir, mode: 'join' })
    assert.equal((await query(joined, 'select text from note')).length, 2)
  })

  it('shows why PostgreSQL did not start', async () => {
    const settings = { shared_buffers: 'plenty' }
    const cause =
      /^PostgreSQL did not start\. The end of .*postgres\.log:\n(.*\n)*.*invalid value for parameter "shared_buffers"/
    await assert.rejects(startEmbeddedPostgres({ dataDir, mode: 'serve', settings }), { message: cause })
  })

  it('starts a new log when the old one is large', async (t) => {
    await writeFile(join(dataDir, 'postgres.log'), Buffer.alloc(10_000_001))
    await start(t, { dataDir, mode: 'serve' })
    assert.ok((await stat(join(dataDir, 'postgres.log'))).size < 10_000)
    assert.equal((await stat(join(dataDir, 'postgres.log.1'))).size, 10_000_001)
  })

  it('tells its starter when it ends on its own', async (t) => {
    const postgres = await start(t, { dataDir, mode: 'serve' })
    process.kill(await postmasterPid(dataDir), 'SIGINT')
    await postgres.exited
    await postgres.stop()
  })

  it('runs for root as another user, in a folder only root can enter', { skip: !isRoot && 'needs root' }, async (t) => {
    await chmod(scratch, 0o700)
    await start(t, { dataDir, mode: 'serve' })
    assert.notEqual((await stat(join(dataDir, 'postgres/postmaster.pid'))).uid, 0)
  })

  it('works in a folder whose path is too long for a socket', async (t) => {
    const deep = join(scratch, 'a folder, with a comma and spaces'.repeat(4), 'data')
    const server = await start(t, { dataDir: deep, mode: 'serve' })
    t.after(() => rm(server.connection.host, { recursive: true, force: true }))
    assert.equal((await stat(server.connection.host)).mode & 0o777, 0o700)
    const joined = await start(t, { dataDir: deep, mode: 'join' })
    assert.deepEqual(await query(joined, 'select 1 as one'), [{ one: 1 }])
  })

  it('refuses data of another major version', async () => {
    const old = join(scratch, 'old')
    await mkdir(join(old, 'postgres'), { recursive: true })
    await writeFile(join(old, 'postgres/PG_VERSION'), '14\n')
    const refusal = { message: /was made by PostgreSQL 14, which PostgreSQL \d+ cannot read: .*DATABASE_URL/ }
    await assert.rejects(startEmbeddedPostgres({ dataDir: old, mode: 'serve' }), refusal)
  })

  it('makes the library links that the package lacks', { skip: !packaged && 'no package here' }, async () => {
    const native = await copyWithoutLinks(join(scratch, 'package'))
    await assert.rejects(run(join(native, 'bin/postgres'), ['--version']))
    assert.deepEqual(await linkLibraries(native, join(scratch, 'unused')), {})
    await run(join(native, 'bin/postgres'), ['--version'])
    assert.ok(!existsSync(join(scratch, 'unused')))
  })

  const skipReadOnly = (!packaged && 'no package here') || (isRoot && 'root can write everywhere')
  it('makes them elsewhere when it may not write to the package', { skip: skipReadOnly }, async () => {
    const native = await copyWithoutLinks(join(scratch, 'read-only'))
    await chmod(join(native, 'lib'), 0o500)
    const env = await linkLibraries(native, join(scratch, 'links'))
    await run(join(native, 'bin/postgres'), ['--version'], { env })
    await run(join(native, 'bin/initdb'), ['--version'], { env })
    await chmod(join(native, 'lib'), 0o700)
  })
})

async function start(t: TestContext, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres(options)
  t.after(() => postgres.stop())
  return postgres
}

/** In a process of its own, which says when it is ready, says so again at Ctrl-C, and ends orderly at SIGTERM. */
async function startElsewhere(t: TestContext, dataDir: string, mode: string): Promise<ChildProcess> {
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(import.meta.resolve('./launcher.ts'))}
    const postgres = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, mode: '${mode}' })
    process.on('SIGINT', () => console.log('draining'))
    process.on('SIGTERM', () => postgres.stop().then(() => process.exit()))
    console.log('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // a process group of its own
  })
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  await once(child.stdout, 'data')
  return child
}

async function query({ connection }: EmbeddedPostgres, text: string): Promise<object[]> {
  const client = new Client(connection)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

async function postmasterPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10)
}

function isAlive(pid: number): boolean {
  try {
    // A process that has ended keeps its number until its parent looks, but not its command line.
    return isLinux ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '' : process.kill(pid, 0)
  } catch {
    return false
  }
}

async function waitUntil(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 100 && !condition(); tries++) await delay(20)
  assert.ok(condition())
}

/** The processes of a PostgreSQL, each as it calls itself. */
function childPriorities(pid: number): [title: string, priority: number][] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  return children.flatMap((child) => {
    try {
      const [title] = readFileSync(`/proc/${child}/cmdline`, 'utf8').split(/ *\0| jobwright/)
      return [[title!, getPriority(Number(child))]]
    } catch {
      return [] // it has just ended
    }
  })
}

async function ownerOf(path: string): Promise<{ uid: number; gid: number }> {
  const { uid, gid } = await stat(path)
  return { uid, gid }
}

/** Runs PostgreSQL again as it was run for us, but as the child of a shell that ends at once. */
async function orphanPostgres(dataDir: string): Promise<number> {
  const postgres = await startEmbeddedPostgres({ dataDir, mode: 'serve' })
  const pid = await postmasterPid(dataDir)
  const commandLine = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').slice(0, -1)
  await postgres.stop()
  const folder = join(dataDir, 'postgres')
  const options = { ...(await ownerOf(folder)), cwd: folder, stdio: 'ignore' } as const
  await once(spawn('sh', ['-c', '"$@" &', 'sh', ...commandLine], options), 'exit')
  await waitUntil(() => existsSync(join(folder, '.s.PGSQL.5432')))
  return postmasterPid(dataDir)
}

async function copyWithoutLinks(folder: string): Promise<string> {
  const native = join(folder, 'native')
  const filter = (path: string) => !path.startsWith(join(packaged!, 'share')) // a thousand files that do not matter here
  await cp(packaged!, native, { recursive: true, verbatimSymlinks: true, filter })
  const files = await readdir(join(native, 'lib'), { withFileTypes: true })
  for (const file of files) if (file.isSymbolicLink()) await unlink(join(native, 'lib', file.name))
  return native
}
