// Other services as their makers ship them, for the same four works on the same PostgreSQL. They are large, so they are
// no dependency: each is installed by npm on demand, into a folder of its own that is kept.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { ConnectionOptions } from '../../src/db/database.ts'
import type { Customer } from '../customers.ts'
import type { Organisation } from '../data.ts'

const cacheDir = fileURLToPath(new URL('../../node_modules/.cache/peers', import.meta.url))
const installTimeoutMs = 30 * 60_000

interface PeerProject {
  readonly dependencies: Readonly<Record<string, string>>
  readonly overrides?: Readonly<Record<string, string>>
  /** The project that its documentation prescribes. */
  readonly files?: Readonly<Record<string, string>>
}

/** The folder in which it stands installed. Nothing is compiled on the way. */
export async function installPeer(name: string, { files = {}, ...manifest }: PeerProject): Promise<string> {
  const folder = join(cacheDir, name)
  const markerFile = join(folder, `installed-${Object.values(manifest.dependencies).join('-')}`)
  await mkdir(folder, { recursive: true })
  for (const [path, text] of Object.entries({
    'package.json': JSON.stringify({ name: `bench-${name}`, version: '1.0.0', private: true, ...manifest }),
    ...files,
  })) {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  if (existsSync(markerFile)) return folder
  process.stderr.write(`installing ${name}, which takes some minutes the first time\n`)
  await runToEnd('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], folder)
  await writeFile(markerFile, '')
  return folder
}

/** Runs a program to its end. */
export async function runToEnd(
  command: string,
  args: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: installTimeoutMs,
  })
  let stderrTail = ''
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    stderrTail = (stderrTail + text).slice(-3_000)
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${stderrTail}`)
}

/** A database of its own on the same server, with nothing in it. */
export async function createDatabase(connection: ConnectionOptions, name: string): Promise<pg.Client> {
  const owner = new pg.Client({ ...connection })
  await owner.connect()
  await owner.query(`drop database if exists ${name}`)
  await owner.query(`create database ${name}`)
  await owner.end()
  return connectTo(connection, name)
}

export async function connectTo(connection: ConnectionOptions, database: string): Promise<pg.Client> {
  const client = new pg.Client({ ...(connection as { host: string }), database })
  await client.connect()
  return client
}

/** Where a program that takes host and user apart finds the database. */
export const connectionParts = (connection: ConnectionOptions) =>
  connection as { host: string; port: number; user: string }

export const columns = [
  'org_id',
  'first_name',
  'last_name',
  'email',
  'phone',
  'business_name',
  'address',
  'notes',
] as const

/** What a search looks into. */
export const searchedColumns = ['first_name', 'last_name', 'email', 'business_name'] as const

export type CustomerRow = Readonly<Record<(typeof columns)[number], string | null>>

/** In our words, to see that it is the same. */
export const toCustomer = (row: CustomerRow): Customer => ({
  firstName: row.first_name!,
  lastName: row.last_name!,
  email: row.email,
  phone: row.phone,
  businessName: row.business_name,
  address: row.address,
  notes: row.notes,
})

export const toRow = (orgId: string, one: Customer) => ({
  org_id: orgId,
  first_name: one.firstName,
  last_name: one.lastName,
  email: one.email,
  phone: one.phone,
  business_name: one.businessName,
  address: one.address,
  notes: one.notes,
})

/** The same customers under the same ids, with the indexes that the works can use. */
export async function insertCustomers(
  client: pg.Client,
  idColumn: string,
  organisations: readonly Organisation[],
  extraColumns: readonly (readonly [column: string, value: string])[] = [],
): Promise<void> {
  const extra = extraColumns.map(([column]) => `, ${column}`).join('')
  const values = extraColumns.map(([, value]) => `, ${value}`).join('')
  for (const { id, customers } of organisations) {
    const rows = customers.map((one) => ({ id: one.id, ...toRow(id, one) }))
    await client.query(
      `insert into customers (${idColumn}, ${columns.join(', ')}${extra})
       select id, ${columns.join(', ')}${values} from jsonb_to_recordset($1)
       as row (id text, ${columns.map((column) => `${column} text`).join(', ')})`,
      [JSON.stringify(rows)],
    )
  }
  await client.query('create extension if not exists pg_trgm')
  await client.query(`create index on customers (org_id, first_name, ${idColumn})`)
  for (const column of searchedColumns) {
    await client.query(`create index on customers using gin (${column} gin_trgm_ops)`)
  }
  await client.query('vacuum analyze')
}
