// Other services as their makers ship them, for the same four works on the same PostgreSQL. They are large, so they are
// no dependency: each is installed by npm when it is asked for, into a folder of its own that is kept.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Connection } from '../../src/database.ts'
import type { Customer } from '../customers.ts'
import type { Organisation } from '../data.ts'

const home = fileURLToPath(new URL('../../node_modules/.cache/peers', import.meta.url))
const installLimitMs = 30 * 60_000

interface Project {
  readonly dependencies: Readonly<Record<string, string>>
  readonly overrides?: Readonly<Record<string, string>>
  /** The project that its maker asks for. */
  readonly files?: Readonly<Record<string, string>>
}

/** The folder in which it stands installed. Nothing is compiled on the way. */
export async function installed(name: string, { files = {}, ...wanted }: Project): Promise<string> {
  const folder = join(home, name)
  const mark = join(folder, `installed-${Object.values(wanted.dependencies).join('-')}`)
  await mkdir(folder, { recursive: true })
  for (const [path, text] of Object.entries({
    'package.json': JSON.stringify({ name: `bench-${name}`, version: '1.0.0', private: true, ...wanted }),
    ...files,
  })) {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  if (existsSync(mark)) return folder
  process.stderr.write(`installing ${name}, which takes some minutes the first time\n`)
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], folder)
  await writeFile(mark, '')
  return folder
}

/** Runs a program to its end. */
export async function run(
  command: string,
  words: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child = spawn(command, words, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: installLimitMs,
  })
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-3_000)
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${command} ${words.join(' ')} ended with ${code}:\n${said}`)
}

/** A database of its own on the same server, with nothing in it. */
export async function freshDatabase(connection: Connection, name: string): Promise<pg.Client> {
  const owner = new pg.Client({ ...connection })
  await owner.connect()
  await owner.query(`drop database if exists ${name}`)
  await owner.query(`create database ${name}`)
  await owner.end()
  return connectTo(connection, name)
}

export async function connectTo(connection: Connection, database: string): Promise<pg.Client> {
  const client = new pg.Client({ ...(connection as { host: string }), database })
  await client.connect()
  return client
}

/** Where a program that takes host and user apart finds the database. */
export const placeOf = (connection: Connection) => connection as { host: string; port: number; user: string }

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
export const searched = ['first_name', 'last_name', 'email', 'business_name'] as const

export type Columns = Readonly<Record<(typeof columns)[number], string | null>>

/** In our words, to see that it is the same. */
export const asCustomer = (row: Columns): Customer => ({
  firstName: row.first_name!,
  lastName: row.last_name!,
  email: row.email,
  phone: row.phone,
  businessName: row.business_name,
  address: row.address,
  notes: row.notes,
})

export const asColumns = (orgId: string, one: Customer) => ({
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
export async function fill(
  client: pg.Client,
  idColumn: string,
  organisations: readonly Organisation[],
  more: readonly (readonly [column: string, value: string])[] = [],
): Promise<void> {
  const extra = more.map(([column]) => `, ${column}`).join('')
  const values = more.map(([, value]) => `, ${value}`).join('')
  for (const { id, customers } of organisations) {
    const rows = customers.map((one) => ({ id: one.id, ...asColumns(id, one) }))
    await client.query(
      `insert into customers (${idColumn}, ${columns.join(', ')}${extra})
       select id, ${columns.join(', ')}${values} from jsonb_to_recordset($1)
       as row (id text, ${columns.map((column) => `${column} text`).join(', ')})`,
      [JSON.stringify(rows)],
    )
  }
  await client.query('create extension if not exists pg_trgm')
  await client.query(`create index on customers (org_id, first_name, ${idColumn})`)
  for (const column of searched) {
    await client.query(`create index on customers using gin (${column} gin_trgm_ops)`)
  }
  await client.query('vacuum analyze')
}
