// The doctor's checks of the database: is it reachable, is it durable, does it have our tables.
import type { Config } from '../config/config.ts'
import { type Database, sql } from '../db/database.ts'
import { listen } from '../db/listen.ts'
import { migrationFiles } from '../db/migrate.ts'
import { connectionsNeeded } from '../processes/plan.ts'
import type { CommandContext } from './context.ts'
import { type Check, check, type Finding, fine, warning, wrong } from './doctor-checks.ts'
import { checkCluster } from './doctor-cluster.ts'
import { serversFinding } from './doctor-servers.ts'

const oldestVersion = 15
const maxSkewMs = 2_000
/** A busy machine is slow to tell, and not broken. */
const notificationTimeoutMs = 10_000

export async function checkDatabase(ctx: CommandContext): Promise<Check[]> {
  const isEmbedded = ctx.config().databaseUrl === null
  const connection = await check(
    'Database',
    isEmbedded ? 'See postgres.log in the data folder.' : 'Check DATABASE_URL, and that PostgreSQL runs there.',
    async () => versionFinding(await ctx.unmigratedDatabase(), isEmbedded),
  )
  if (connection.status === 'wrong') return [connection] // no connection
  const database = await ctx.unmigratedDatabase()
  const advice = 'Try again; if it stays so, the log of PostgreSQL says more.'
  return [
    connection,
    ...(isEmbedded ? [] : [await check('Servers', advice, () => serversFinding(database))]),
    await check('Durability', advice, () => durabilityFinding(database)),
    await check('Connections', advice, () => connectionsFinding(database, ctx.config())),
    await check('Session', advice, () => sessionFinding(database)),
    await check('Migrations', advice, () => migrationsFinding(database)),
    await check('Notifications', advice, () => notificationsFinding(database)),
    await check('Clock', advice, () => clockFinding(database)),
    ...(await checkCluster(database)),
  ]
}

async function versionFinding(database: Database, isEmbedded: boolean): Promise<Finding> {
  const [server] = await database.query<{ version: string; number: number }>(sql`
    select split_part(current_setting('server_version'), ' ', 1) as version,
      current_setting('server_version_num')::int as number`)
  const detail = `PostgreSQL ${server!.version}${isEmbedded ? ', embedded' : ' at DATABASE_URL'}`
  return server!.number >= oldestVersion * 10_000
    ? fine(detail)
    : wrong(detail, `Move to PostgreSQL ${oldestVersion} or newer.`)
}

async function durabilityFinding(database: Database): Promise<Finding> {
  const [server] = await database.query<{ fsync: string }>(sql`select current_setting('fsync') as fsync`)
  return server!.fsync === 'on'
    ? fine('fsync is on: what is confirmed survives a power cut')
    : wrong('fsync is off: a power cut can destroy the database', 'Set fsync = on in postgresql.conf.')
}

/** The embedded one is started with as many as are needed; a command that starts it needs few. */
async function connectionsFinding(database: Database, config: Config): Promise<Finding> {
  const needed = connectionsNeeded(config)
  if (config.databaseUrl === null) return fine(`as many as the processes need (${needed})`)
  const [server] = await database.query<{ allowed: number }>(sql`
    select current_setting('max_connections')::int as allowed`)
  const detail = `PostgreSQL allows ${server!.allowed}, the processes of this machine may need ${needed}`
  return server!.allowed >= needed
    ? fine(detail)
    : warning(detail, 'Raise max_connections of PostgreSQL, or lower PROCESSES.')
}

/** A pooler can drop the settings of a session. */
async function sessionFinding(database: Database): Promise<Finding> {
  const [session] = await database.query<{ zone: string; limit: string }>(sql`
    select current_setting('timezone') as zone, current_setting('statement_timeout') as limit`)
  const detail = `time zone ${session!.zone}, statement_timeout ${session!.limit}`
  const way = 'Let DATABASE_URL lead to PostgreSQL itself, or see poolers in docs/operations.md.'
  if (session!.zone !== 'UTC') return wrong(`${detail}: our settings do not arrive, times would be wrong`, way)
  return session!.limit === '0' ? warning(`${detail}: a slow statement is not ended`, way) : fine(detail)
}

async function migrationsFinding(database: Database): Promise<Finding> {
  const known = await migrationFiles()
  const [found] = await database.query<{ exists: boolean }>(sql`select to_regclass('migrations') is not null as exists`)
  const rows = found!.exists ? await database.query<{ name: string }>(sql`select name from migrations`) : []
  const applied = new Set(rows.map(({ name }) => name))
  const newer = [...applied].filter((name) => !known.includes(name.replace(/ \(step \d+\)$/, '')))
  if (newer.length > 0) {
    return wrong(`the database was used by a newer version (${newer.join(', ')})`, 'Run that version, or a later one.')
  }
  const missing = known.filter((name) => !applied.has(name))
  return missing.length === 0
    ? fine(`up to date with ${known.at(-1)}`)
    : warning(
        `${missing.length} of ${known.length} not applied`,
        'The server applies them when it starts; `jobwright migrate` does it now.',
      )
}

/** Servers learn of a paused or revoked key by LISTEN/NOTIFY; a pooler between them and PostgreSQL can break it. */
async function notificationsFinding(database: Database): Promise<Finding> {
  const { promise: outcome, resolve } = Promise.withResolvers<boolean>()
  const subscription = listen(database, {
    channels: { doctor: () => resolve(true) },
    connected: () => void database.query(sql`select pg_notify('doctor', '')`).catch(() => resolve(false)),
    disconnected: () => resolve(false),
  })
  const timer = setTimeout(() => resolve(false), notificationTimeoutMs)
  const isReceived = await outcome
  clearTimeout(timer)
  await subscription.close()
  return isReceived
    ? fine('LISTEN and NOTIFY work: servers hear of changed keys at once')
    : wrong(
        'LISTEN hears nothing, so servers learn of a revoked key late',
        'Let DATABASE_URL lead to PostgreSQL itself, or to a pooler in session mode.',
      )
}

async function clockFinding(database: Database): Promise<Finding> {
  const before = Date.now()
  const [server] = await database.query<{ now: Date }>(sql`select clock_timestamp() as now`)
  const skewMs = server!.now.getTime() - (before + Date.now()) / 2
  const detail = `${(Math.abs(skewMs) / 1_000).toFixed(1)} s apart from the clock of the database`
  return Math.abs(skewMs) < maxSkewMs
    ? fine(detail)
    : wrong(detail, 'Let both machines keep time by NTP: keys and trials end by the database’s clock.')
}
