// Writes test/released-shop.json.gz: the demo shop of the release before, row by row, and what its API answered about it.
// Usage: node test/record-released.ts
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Client } from 'pg'
import { startEmbeddedPostgres } from '../src/db/embedded/launcher.ts'
import { readAll, readablePaths, unpackReleased } from './released.ts'
import { startReleasedShop } from './released-shop.ts'

await using released = await unpackReleased()
const dataDir = await mkdtemp(join(tmpdir(), 'jobwright-recorded-'))
const { shop, stop } = await startReleasedShop(released.root, dataDir)
const answers = await readAll(shop, await readablePaths(shop.origin))
await stop()

const postgres = await startEmbeddedPostgres({ dataDir, mode: 'serve' })
const client = new Client(postgres.connection)
await client.connect()
const { rows: tables } = await client.query<{ name: string; columns: string }>(`
  select relname as name, string_agg(format('%L, %I', attname, attname), ', ' order by attnum) as columns
  from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
  where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'migrations' group by 1 order by 1`)
const rows: Record<string, unknown[]> = {}
for (const { name, columns } of tables) {
  const found = await client.query(`select jsonb_build_object(${columns}) as row from ${name} one`)
  if (found.rows.length > 0) rows[name] = found.rows.map(({ row }) => row)
}
await client.end()
await postgres.stop()
const secretsKey = (await readFile(join(dataDir, 'secrets.key'), 'utf8')).trim()
const text = JSON.stringify({ orgId: shop.orgId, secretsKey, rows, answers })
const file = new URL('released-shop.json.gz', import.meta.url)
await writeFile(file, gzipSync(text, { level: 9 }))
await rm(dataDir, { recursive: true, force: true, maxRetries: 20 })
