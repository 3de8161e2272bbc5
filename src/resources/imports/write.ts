// Writing: what was judged is carried out, a record with its parts at a time. Where one is refused the others go on.
import { captureNothing } from '../../db/actor.ts'
import { raw, sql } from '../../db/database.ts'
import type { Kind } from '../../domain/moving-in/kinds.ts'
import { charactersPerStep } from '../../domain/moving-in/limits.ts'
import { ApiError, badRequest, constraintToApiError } from '../../operations/errors.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { externalIdTaken } from '../external-ids.ts'
import { formGateCreate, formGateInvoice } from '../forms/gate-conflicts.ts'
import { finishWriting } from './account.ts'
import { tableOf } from './candidates.ts'
import { storeProblems } from './judged-records.ts'
import { createParts, type Part } from './parts.ts'
import { type Plan, refusal } from './plan.ts'
import { type StagedImport, updateImport } from './staged.ts'
import { createRecord, fillRecord } from './write-record.ts'

/** Few enough that a step is well within a second, and that requests hardly wait for the process meanwhile. */
const recordsPerStep: Readonly<Record<Kind, number>> = {
  customers: 40,
  devices: 40,
  services: 40,
  inventory: 40,
  jobs: 25,
  quotes: 25,
  invoices: 25,
}

interface Unwritten {
  readonly position: number
  readonly file: number
  readonly row: number
  readonly kind: Kind
  readonly verdict: 'created' | 'filled'
  readonly targetId: string
  readonly plan: Plan
}

export async function writeRecords(ctx: Context, staged: StagedImport): Promise<void> {
  const next = await ctx.query(selectUnwritten(ctx, staged.id, Math.max(...Object.values(recordsPerStep))))
  if (next.length === 0) return finishWriting(ctx, staged)
  const [{ kind }] = next as [Unwritten]
  const batch = next.filter((one) => one.kind === kind).slice(0, recordsPerStep[kind])
  await ctx.query(statement(captureNothing, () => {}))
  const { refused, made } = await writeBatch(ctx, batch)
  const wrong = new Set(refused.map(({ position }) => position))
  const written = batch.filter(({ position }) => !wrong.has(position)).map(({ position }) => position)
  await ctx.query(markWritten(ctx, staged.id, written))
  if (!oneStatement.has(kind)) await ctx.query(followClocks(ctx, staged.id, kind, written))
  for (const { position, file, row, plan, error } of refused) {
    const problems = [refusal(error, plan, staged.files[file]!, row)]
    await ctx.query(markWrong(ctx, staged.id, position))
    await ctx.query(storeProblems(ctx, staged.id, staged.files[file]!.name, [{ position, problems }]))
  }
  await ctx.query(updateImport(ctx, staged.id, { done: staged.done + batch.length, parts: [...staged.parts, ...made] }))
}

type Refused = Unwritten & { readonly error: ApiError }

/** All of them at once, as nearly always goes well; where one is refused, each by itself. */
async function writeBatch(
  ctx: Context,
  batch: readonly Unwritten[],
): Promise<{ refused: Refused[]; made: readonly Part[] }> {
  const parts = createParts(ctx)
  const together = await attempt(ctx, () => writeTogether(batch, (record) => writeOne(ctx, record, parts)))
  if (!together) return { refused: [], made: parts.made }
  const refused: Refused[] = []
  const made: Part[] = []
  for (const record of batch) {
    const own = createParts(ctx)
    const error = await attempt(ctx, () => writeOne(ctx, record, own))
    if (error) refused.push({ ...record, error })
    else made.push(...own.made)
  }
  return { refused, made }
}

const oneStatement: ReadonlySet<Kind> = new Set(['customers', 'devices', 'services'])

/** What is one statement each is sent at once; what is several is done one after the other. */
async function writeTogether(batch: readonly Unwritten[], write: (record: Unwritten) => Promise<void>): Promise<void> {
  if (!batch.every(({ kind }) => oneStatement.has(kind))) {
    for (const record of batch) await write(record)
    return
  }
  // All are answered before anything is taken back; those behind the first that was refused say nothing of their own.
  const refused = (await Promise.allSettled(batch.map(write))).find((one) => one.status === 'rejected')
  if (refused) throw refused.reason
}

const writeOne = (ctx: Context, { kind, verdict, targetId, plan }: Unwritten, parts: ReturnType<typeof createParts>) =>
  verdict === 'created' ? createRecord(ctx, kind, targetId, plan, parts) : fillRecord(ctx, kind, targetId, plan)

const conflicts = [externalIdTaken, formGateCreate, formGateInvoice]

/** What was refused leaves no trace; what is broken ends the step. */
export async function attempt(ctx: Context, work: () => Promise<void>): Promise<ApiError | undefined> {
  await ctx.query(statement(sql`savepoint record`, () => {}))
  try {
    await work()
    await ctx.query(statement(sql`release savepoint record`, () => {}))
    return undefined
  } catch (error) {
    const refused = asRefusal(constraintToApiError(error, conflicts))
    if (!(refused instanceof ApiError) || refused.status >= 500) throw error
    await ctx.query(statement(sql`rollback to savepoint record`, () => {}))
    return refused
  }
}

/** A rule of the database that has no words of its own is still a rule: the record is wrong, not the step. */
const asRefusal = (error: unknown): unknown =>
  /^2[23]/.test((error as { code?: string }).code ?? '')
    ? badRequest(`It cannot be stored: ${(error as Error).message}`)
    : error

const selectUnwritten = ({ orgId }: Context, importId: string, limit: number): Statement<Unwritten[]> =>
  statement(
    sql`select position::float8 as position, file, row, kind, verdict, "targetId", plan from (
          select *, sum(characters) over (order by position) - characters as before from (
            select position, file, rows[1] as row, kind, verdict, target_id as "targetId", plan, characters from import_records
            where org_id = ${orgId} and import_id = ${importId} and verdict in ('created', 'filled') and written_at is null
            order by import_records.position limit ${limit}::int) next
        ) its where before <= ${charactersPerStep}::int order by its.position`,
    (rows: Unwritten[]) => rows,
  )

const markWritten = ({ orgId }: Context, importId: string, positions: readonly number[]): Statement<void> =>
  statement(
    sql`update import_records set written_at = now() where org_id = ${orgId} and import_id = ${importId}
        and position = any(${positions}::bigint[])`,
    () => {},
  )

/** Triggers write the moment of the machine that they run on, which is later where tables are distributed: nobody changed it since. */
const followClocks = (
  { orgId }: Context,
  importId: string,
  kind: Kind,
  positions: readonly number[],
): Statement<void> =>
  statement(
    sql`update import_records set written_at = one.updated_at from ${raw(tableOf[kind])} one
        where import_records.org_id = ${orgId} and import_id = ${importId} and position = any(${positions}::bigint[])
          and one.org_id = ${orgId} and one.id = target_id and one.updated_at > written_at`,
    () => {},
  )

const markWrong = ({ orgId }: Context, importId: string, position: number): Statement<void> =>
  statement(
    sql`update import_records set verdict = 'wrong', target_id = null
        where org_id = ${orgId} and import_id = ${importId} and position = ${position}::bigint`,
    () => {},
  )
