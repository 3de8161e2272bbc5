// The beginning of an import: what was recognised is written down, then its rows, then the questions' answers.
import { sql } from '../../db/database.ts'
import { isBlank } from '../../domain/moving-in/cells.ts'
import type { Kind } from '../../domain/moving-in/kinds.ts'
import { maxCharacters, maxRows } from '../../domain/moving-in/limits.ts'
import { profileOf } from '../../domain/moving-in/profiles.ts'
import { FileRefused, type Recognised, recognise, type Wishes } from '../../domain/moving-in/recognise.ts'
import type { Caller } from '../../operations/caller.ts'
import { badRequest, conflictCode } from '../../operations/errors.ts'
import { newId } from '../../operations/ids.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import type { Scope } from '../../operations/scopes.ts'
import { longestExternal } from '../external-ids.ts'
import { lockOrganisation } from '../organisation.ts'
import { keptDays, untilForgotten } from './account.ts'
import {
  charactersOf,
  type ImportOptions,
  insertRows,
  lockImport,
  type NumberedRow,
  type StagedFile,
  type StagedImport,
  updateImport,
} from './staged.ts'

export const importNotOpen = conflictCode(
  'IMPORT_NOT_OPEN',
  'The import is being judged or written already; make a new one.',
)
export const importNotJudged = conflictCode(
  'IMPORT_NOT_JUDGED',
  'Judge the import first, and answer its questions; then write it.',
)
export const importIsTrial = conflictCode(
  'IMPORT_IS_TRIAL',
  'It was only to be tried; bring the files again to have them written.',
)
export const importIsStale = conflictCode(
  'IMPORT_IS_STALE',
  'Another import was written or undone since this one was judged, or is at it; judge it again then, and look.',
)
export const importNotWritten = conflictCode(
  'IMPORT_NOT_WRITTEN',
  'Only an import that is written, and not undone yet, can be undone.',
)
export const importMustWait = conflictCode(
  'IMPORT_MUST_WAIT',
  'Another import is being written, which counts on what is here; undo this one when that is done.',
)
export const importTooOld = conflictCode('IMPORT_TOO_OLD', `An import can be undone for ${keptDays} days.`)

/** What writing records of a kind, and what is made along with them, needs. */
const scopesOf: Readonly<Record<Kind, readonly Scope[]>> = {
  customers: ['customers:write'],
  devices: ['devices:write'],
  services: ['services:write'],
  inventory: ['inventory:write', 'categories:write'],
  jobs: ['tickets:write', 'messages:write'],
  quotes: ['quotes:write', 'tax-rates:write'],
  invoices: ['invoices:write', 'payments:write', 'tax-rates:write'],
}
export const neededScopes: readonly Scope[] = [...new Set([...Object.values(scopesOf).flat()])]

type ScopedFile = Pick<StagedFile, 'kind' | 'source' | 'targets'>

/** Lists of goods hold work, too, where they say what each of them is. */
const scopesFor = ({ kind, source, targets }: ScopedFile): readonly Scope[] =>
  kind === 'inventory' && (targets.includes('itemType') || profileOf(source, kind)?.unstockedIsService)
    ? [...scopesOf.inventory, ...scopesOf.services]
    : scopesOf[kind]

export const requireScopes = (ctx: Context, files: readonly ScopedFile[]): void => {
  for (const scope of new Set(files.flatMap(scopesFor))) ctx.require(scope)
}

/** Undoing deletes what writing made: who may not delete it may take back what they brought themselves, and nothing else. */
const deletionOf = (scope: Scope): Scope => scope.replace(/:write$/, ':delete') as Scope
export const undoScopes: readonly Scope[] = neededScopes.flatMap((scope) => [scope, deletionOf(scope)])

export interface FileShape {
  readonly name: string
  readonly encoding?: string | null
  readonly delimiter?: string | null
}

/** A file that was recognised, ready for its rows. `fallback` names the other system where nobody else does. */
export function stagedFile(
  shape: FileShape,
  found: Recognised,
  source: string | undefined,
  fallback: string,
): StagedFile {
  const own = found.source === 'generic' || found.source === 'jobwright'
  return {
    name: shape.name.slice(0, 200),
    source: found.source,
    kind: found.kind,
    externalSource: (source ?? (own ? fallback : found.source)).slice(0, longestExternal),
    encoding: shape.encoding ?? null,
    delimiter: shape.delimiter ?? null,
    rows: 0,
    columns: found.columns,
    targets: found.targets,
  }
}

/** Refusals of a file are refusals of the request. */
export function recogniseColumns(rows: readonly (readonly string[])[], wishes: Wishes): Recognised {
  try {
    return recognise(rows, wishes)
  } catch (error) {
    throw error instanceof FileRefused ? badRequest(error.message) : error
  }
}

/** What else somebody sent along is not kept. */
export const chosenOptions = ({ dateOrder, update, map }: ImportOptions): ImportOptions => ({
  ...(dateOrder !== undefined && { dateOrder }),
  ...(update && { update }),
  ...(map && { map }),
})

interface NewImport {
  readonly files: readonly StagedFile[]
  readonly options: ImportOptions
  readonly isDryRun?: boolean
}

/** Who brings it: whoever begins it, and then whoever has it written. */
const makerOf = ({ kind, credentialId, name }: Caller) => ({ kind, id: credentialId, name })

/** One that nobody goes on with is forgotten after a month. */
export const insertImport = (
  { orgId, caller }: Context,
  { files, options, isDryRun = false }: NewImport,
  id = newId('imp'),
): Statement<string> =>
  statement(
    sql`insert into imports (org_id, id, files, options, is_dry_run, maker, phase, due_at)
        values (${orgId}, ${id}, ${JSON.stringify(files)}::jsonb, ${JSON.stringify(options)}::jsonb, ${isDryRun},
          ${JSON.stringify(makerOf(caller))}::jsonb,
          ${untilForgotten.phase}, ${untilForgotten.due_at})`,
    () => id,
  )

export async function addRows(
  ctx: Context,
  staged: StagedImport,
  file: number,
  rows: readonly NumberedRow[],
): Promise<void> {
  if (staged.status !== 'open') throw importNotOpen()
  requireScopes(ctx, staged.files)
  const full = rows.filter(([, cells]) => !isBlank(cells))
  if (staged.rowCount + full.length > maxRows)
    throw badRequest(`rows must be at most ${maxRows} in one import; bring the others in another one`)
  const characters = full.reduce((sum, [, cells]) => sum + charactersOf(cells), staged.characters)
  if (characters > maxCharacters)
    throw badRequest(
      `rows must hold at most ${maxCharacters} characters in one import; bring the others in another one`,
    )
  await ctx.query(insertRows(ctx, staged.id, file, full))
  const files = staged.files.map((one, index) => (index === file ? { ...one, rows: one.rows + full.length } : one))
  await ctx.query(updateImport(ctx, staged.id, { files, row_count: staged.rowCount + full.length, characters }))
}

/** Judged anew as often as somebody likes, until it is written: with other options, or another meaning of a column. */
export async function startJudging(ctx: Context, importId: string, changed: ImportOptions): Promise<void> {
  const staged = await ctx.query(lockImport(ctx, importId))
  if (!['open', 'asking', 'judged'].includes(staged.status)) throw importNotOpen()
  const options = { ...staged.options, ...changed }
  const isAnswered = changed.dateOrder ? staged.status === 'asking' : staged.facts.isAnswered === true
  const files = changed.map === undefined ? staged.files : staged.files.map((file) => remapped(file, changed.map!))
  requireScopes(ctx, files)
  await ctx.query(
    updateImport(ctx, importId, {
      files,
      options,
      facts: { isStale: true, isAnswered },
      questions: [],
      repairs: [],
      ...{ done: 0, total: staged.rowCount, records: 0, created: 0, filled: 0, same: 0, skipped: 0, wrong: 0 },
      status: 'judging',
      judging_since: sql`now()`,
      names_customers: ctx.caller.scopes.has('customers:read'),
      phase: 'sorting',
      due_at: sql`now()`,
    }),
  )
}

/** A map for several files names columns of any of them. */
function remapped(file: StagedFile, map: Readonly<Record<string, string | null>>): StagedFile {
  const known = Object.fromEntries(file.columns.map((column, index) => [column, file.targets[index] ?? null]))
  const own = Object.fromEntries(Object.entries(map).filter(([column]) => Object.hasOwn(known, column)))
  const { targets } = recogniseColumns([file.columns], { kind: file.kind, map: { ...known, ...own } })
  return { ...file, targets }
}

export async function startWriting(ctx: Context, importId: string): Promise<void> {
  const staged = await ctx.query(lockImport(ctx, importId))
  if (staged.isDryRun) throw importIsTrial()
  if (staged.status !== 'judged') throw importNotJudged()
  requireScopes(ctx, staged.files)
  await ctx.query(lockOrganisation(ctx))
  if (await ctx.query(selectIsStale(ctx, importId))) throw importIsStale()
  await ctx.query(
    updateImport(ctx, importId, {
      status: 'writing',
      maker: makerOf(ctx.caller),
      phase: 'writing',
      due_at: sql`now()`,
      done: 0,
      total: sql`created + filled`,
    }),
  )
}

/** Whether another import wrote or took back anything since this one was judged. */
const selectIsStale = ({ orgId }: Context, importId: string): Statement<boolean> =>
  statement(
    sql`select from imports own join imports other on other.org_id = ${orgId} and other.id <> own.id
          and (other.status = 'writing' or other.phase = 'undoing'
            or other.status in ('written', 'undone', 'failed') and other.updated_at > own.judging_since)
        where own.org_id = ${orgId} and own.id = ${importId} limit 1`,
    (rows) => rows.length > 0,
  )

export async function startUndoing(ctx: Context, importId: string): Promise<void> {
  const staged = await ctx.query(lockImport(ctx, importId))
  requireScopes(ctx, staged.files)
  if (staged.maker.id !== ctx.caller.credentialId)
    for (const scope of new Set(staged.files.flatMap(scopesFor))) ctx.require(deletionOf(scope))
  // One that failed may have written much before.
  if (!['written', 'failed'].includes(staged.status) || staged.phase === 'undoing') throw importNotWritten()
  if (staged.writtenAt && staged.writtenAt.getTime() < Date.now() - keptDays * 86_400_000) throw importTooOld()
  // As who writes does: of the two, the second sees the first.
  await ctx.query(lockOrganisation(ctx))
  if (await ctx.query(selectIsWriting(ctx))) throw importMustWait()
  await ctx.query(
    updateImport(ctx, importId, {
      status: 'written',
      failure: null,
      phase: 'undoing',
      due_at: sql`now()`,
      done: 0,
      total: sql`created + filled`,
    }),
  )
}

/** Whether an import is being written, which this one is not. */
const selectIsWriting = ({ orgId }: Context): Statement<boolean> =>
  statement(sql`select from imports where org_id = ${orgId} and status = 'writing' limit 1`, (rows) => rows.length > 0)
