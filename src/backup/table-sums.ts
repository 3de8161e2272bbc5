// Row counts and checksums of all tables, by which a restored database is compared with the one it was copied from.
import { setTimeout as delay } from 'node:timers/promises'
import { type Queryable, sql } from '../db/database.ts'
import type { TableSum } from './format.ts'

/** 16 MB: a statement for each of these, with a rest between them, delays nobody for long. */
const blocksPerStatement = 2_048
const maxTries = 2_000

/**
 * Begins a transaction whose snapshot is exactly what the log holds up to a position, and answers that position; undefined where no
 * moment came for it. Nothing may be written to the log from before until after the snapshot is taken, and in between nobody may have
 * a transaction under way that writes: its commit could be in the log already, and not yet be seen by others.
 */
export async function beginAtPosition(session: Queryable, signal?: AbortSignal): Promise<string | undefined> {
  const readPosition = async () =>
    (await session.query<{ lsn: string }>(sql`select pg_current_wal_insert_lsn()::text as lsn`))[0]!.lsn
  for (let tries = 0; tries < maxTries; tries++) {
    signal?.throwIfAborted()
    const before = await readPosition()
    const writers = await session.query(sql`select from pg_stat_activity where backend_xid is not null limit 1`)
    await session.query(sql`begin isolation level repeatable read read only`)
    if ((await readPosition()) === before && writers.length === 0) return before // the snapshot is of its first statement
    await session.query(sql`rollback`)
    await delay(1 + Math.random() * 4) // not in step with whoever writes
  }
  return undefined
}

/** Reads every page of every table, which PostgreSQL checks against the checksum of the page. */
export async function sumTables(session: Queryable, pace: () => Promise<void>): Promise<TableSum[]> {
  const tables = await session.query<{ name: string; blocks: number }>(sql`
    select relname as name, (pg_relation_size(oid) / current_setting('block_size')::int)::int as blocks
    from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace order by relname`)
  const sums: TableSum[] = []
  for (const { name, blocks } of tables) {
    let [rows, checksum] = [0, 0n]
    for (let block = 0; block < blocks; block += blocksPerStatement) {
      const [part] = await session.query<{ rows: number; checksum: string }>({
        text: `
          select count(*)::int as rows, coalesce(bit_xor(hashtextextended((one.*)::text, 0)), 0)::text as checksum
          from "${name.replaceAll('"', '""')}" as one
          where ctid >= '(${block},0)'::tid and ctid < '(${block + blocksPerStatement},0)'::tid`,
        values: [],
        isOneOff: true,
      })
      rows += part!.rows
      checksum ^= BigInt(part!.checksum)
      await pace()
    }
    sums.push({ name, rows, checksum: String(checksum) })
  }
  return sums
}
