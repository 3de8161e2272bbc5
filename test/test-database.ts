// The database of a test file: on the server that `npm test` starts for all files, or on one of the file's own.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { Client } from 'pg'
import { type ConnectionOptions, Database } from '../src/db/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/db/embedded/launcher.ts'
import { migrate } from '../src/db/migrate.ts'
import {
  clusterUser,
  copyDistributedTemplate,
  createDistributedDatabase,
  selectPorts,
  startCitusCluster,
} from './citus-cluster.ts'

/** Whether the tests run on a cluster. */
export const isOnCitus = process.env.TEST_DATABASE === 'citus'
/** For `skip` of tests that wait until they see somebody wait for a lock. */
export const unseenLocks = isOnCitus && 'who waits for a lock on another machine is not seen from here'

/** Migrates a server's database once, for processes of tests to begin with copies of it. */
export async function makeTemplate({ connection }: Pick<EmbeddedPostgres, 'connection'>): Promise<void> {
  const database = new Database(connection)
  await migrate(database)
  await database.close()
  // One that somebody is connected to cannot be copied, and autovacuum would connect.
  await onServer(connection, `alter database ${connection.database} with allow_connections false`)
  process.env.TEST_POSTGRES_TEMPLATE = connection.database
}

/** The files of one process share a database. Whoever does tasks has one to itself, or it would do those of others. */
export const databaseFor = ({ ROLE = 'rest' }: Readonly<Record<string, string>>): Promise<ConnectionOptions> =>
  /all|worker/.test(ROLE) ? createOwnDatabase() : testDatabase()

/** One that nobody else has, without organisations. */
export async function createOwnDatabase(): Promise<ConnectionOptions> {
  const connection = await testDatabase()
  const database = new Database(connection)
  const own = await createSecondDatabase({ database, connection })
  await database.close()
  return own
}

interface DatabaseHandle {
  readonly database: Database
  readonly connection: ConnectionOptions
}

/** Another database on the same server, without organisations. */
export async function createSecondDatabase(here: DatabaseHandle): Promise<ConnectionOptions> {
  const template = serverTemplate()
  if (isOnCitus) {
    const ports = await selectPorts(here.database)
    return template ? copyDistributedTemplate(ports, template, newName()) : createDistributedDatabase(ports, newName())
  }
  return template ? copyTemplate(here.connection as Place, template) : createEmptyDatabase(here)
}

/** Another database on the same server, without tables. */
export async function createEmptyDatabase({
  connection,
}: Pick<DatabaseHandle, 'connection'>): Promise<ConnectionOptions> {
  const place = connection as Place
  const database = newName()
  await onServer(place, `create database ${database}`)
  return { ...place, database }
}

type Place = EmbeddedPostgres['connection']

/** With TEST_DATABASE=citus the server is a cluster whose tables are distributed. */
function testDatabase(): Promise<ConnectionOptions> {
  started ??= isOnCitus ? clusterDatabase() : serverDatabase()
  return started
}
let started: Promise<ConnectionOptions> | undefined

async function serverDatabase(): Promise<ConnectionOptions> {
  const host = process.env.TEST_POSTGRES_SOCKET
  if (!host) return startDatabase()
  const place = { host, port: 5432, user: 'jobwright_owner', database: 'jobwright' }
  const template = serverTemplate()
  return template ? copyTemplate(place, template) : place
}

/** A file that starts a server of its own has none. */
const serverTemplate = () => (process.env.TEST_POSTGRES_SOCKET ? process.env.TEST_POSTGRES_TEMPLATE : undefined)

async function copyTemplate(place: Place, template: string): Promise<ConnectionOptions> {
  const database = newName()
  await onServer(place, `create database ${database} template ${template} strategy file_copy`)
  return { ...place, database }
}

let madeCount = 0
const newName = () => `test_${process.pid}_${++madeCount}`

export async function onServer({ host, port, user }: Place, text: string): Promise<void> {
  const client = new Client({ host, port, user, database: 'postgres' })
  await client.connect()
  await client.query(text)
  await client.end()
}

async function startDatabase(): Promise<ConnectionOptions> {
  const dataDir = await mkdtemp(join(tmpdir(), 'jobwright-test-'))
  const { connection, stop } = await startEmbeddedPostgres({ dataDir, mode: 'serve' })
  after(async () => {
    await stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  return connection
}

async function clusterDatabase(): Promise<ConnectionOptions> {
  const port = process.env.TEST_POSTGRES_SOCKET
  if (port) return { host: '127.0.0.1', port: Number(port), user: clusterUser, database: 'jobwright' }
  const { coordinator, workers, stop } = await startCitusCluster()
  after(stop)
  return createDistributedDatabase(
    [coordinator, ...workers].map((node) => node.port),
    'jobwright',
  )
}
