// Files into an import: opened, recognised, and their rows put into the database, some at a time.
import { join } from 'node:path'
import type { Database, Queryable } from '../db/database.ts'
import type { Kind } from '../domain/moving-in/kinds.ts'
import { FileRefused, headerSearchRows, type Recognised, recognise } from '../domain/moving-in/recognise.ts'
import { backgroundWork } from '../fairness/tenant.ts'
import type { Context } from '../operations/operation.ts'
import { addRows, insertImport, requireScopes, stagedFile } from '../resources/imports/stage.ts'
import { type ImportOptions, lockImport } from '../resources/imports/staged.ts'
import { readFileRows } from './reading.ts'
import type { FileRows, NumberedRow } from './rows.ts'
import { spooledRows } from './spool.ts'

export interface GivenFile {
  readonly name: string
  /** Where its bytes are. */
  readonly path: string
}

export interface BringOptions extends ImportOptions {
  readonly source?: string | undefined
  readonly kind?: Kind | undefined
  readonly isDryRun?: boolean
}

interface OpenedFile {
  readonly name: string
  readonly file: FileRows
  readonly found: Recognised
}

interface Reading {
  readonly orgId: string
  /** Where rows lie until they are staged; whoever made it removes it. */
  readonly folder: string
}

/** Every file is looked at before anything is stored: one that is refused refuses all. */
export async function recogniseFiles(
  files: readonly GivenFile[],
  { source, kind, map = {} }: BringOptions,
  { orgId, folder }: Reading,
): Promise<OpenedFile[]> {
  const opened: OpenedFile[] = []
  for (const [index, { name, path }] of files.entries()) {
    try {
      const spool = join(folder, `${index}.rows`)
      const file = { ...(await readFileRows(orgId, { path, to: spool })), rows: () => spooledRows(spool) }
      const head = await firstRows(file)
      // A map may be meant for several files: of each it names the columns that it has.
      const names = new Set(head.flat().map((cell) => cell.trim()))
      const own = Object.fromEntries(Object.entries(map).filter(([column]) => files.length === 1 || names.has(column)))
      opened.push({ name, file, found: recognise(head, { source, kind, map: own }) })
    } catch (error) {
      throw error instanceof FileRefused ? new FileRefused(`${name}: ${error.message}`) : error
    }
  }
  return opened
}

async function firstRows(file: FileRows): Promise<(readonly string[])[]> {
  const head: (readonly string[])[] = []
  for await (const [, cells] of file.rows()) if (head.push(cells) >= headerSearchRows) break
  return head
}

const rowsPerWrite = 200
const charactersPerWrite = 500_000

interface Staging {
  readonly database: Database
  readonly orgId: string
  contextOn(db: Queryable): Context
  onProgress?(rows: number): void
}

/** Answers the id of the import, which waits to be judged. */
export async function stageFiles(
  opened: readonly OpenedFile[],
  options: BringOptions,
  staging: Staging,
): Promise<string> {
  const { database, orgId, contextOn, onProgress = () => {} } = staging
  const { source, kind: _, isDryRun = false, ...rest } = options
  const files = opened.map(({ name, file, found }) => stagedFile({ name, ...file }, found, source, 'generic'))
  const write = <T>(work: (ctx: Context) => Promise<T>) =>
    database.transaction(backgroundWork(orgId), (transaction) => work(contextOn(transaction)))
  const importId = await write((ctx) => {
    requireScopes(ctx, files)
    return ctx.query(insertImport(ctx, { files, options: rest, isDryRun }))
  })
  let count = 0
  for (const [index, { file, found }] of opened.entries()) {
    let batch: NumberedRow[] = []
    let characters = 0
    const flush = async () => {
      await write(async (ctx) => addRows(ctx, await ctx.query(lockImport(ctx, importId)), index, batch))
      count += batch.length
      onProgress(count)
      batch = []
      characters = 0
    }
    let place = -1
    for await (const row of file.rows()) {
      if (++place <= found.headerIndex) continue
      batch.push(row)
      for (const cell of row[1]) characters += cell.length
      if (batch.length >= rowsPerWrite || characters >= charactersPerWrite) await flush()
    }
    if (batch.length > 0) await flush()
  }
  return importId
}
