// An import as the command line drives it: step by step, with progress, beside a service that may do the same.
import { setTimeout as delay } from 'node:timers/promises'
import { type Queryable, sql } from '../db/database.ts'
import { type AuditAction, audit, auditEntry, operator } from '../identity/audit.ts'
import type { Caller } from '../operations/caller.ts'
import { createContext } from '../operations/context.ts'
import type { Context } from '../operations/operation.ts'
import { imports } from '../resources/imports/record.ts'
import { selectFilesWithWrong, wrongRowsInPieces } from '../resources/imports/wrong-rows.ts'
import { scopeCatalogue } from '../resources/index.ts'
import { takeImportStep } from '../worker/imports.ts'
import type { CommandContext } from './context.ts'
import { table } from './layout.ts'
import { databaseWithOrganisation } from './organisations.ts'

export interface Problem {
  readonly file: string
  readonly row: number
  readonly column: string | null
  readonly value: string | null
  readonly reason: string
  readonly fix: string
}

export interface BroughtImport {
  readonly id: string
  readonly status: string
  readonly isDryRun: boolean
  readonly files: readonly {
    readonly name: string
    readonly source: string
    readonly kind: string
    readonly rows: number
    readonly unusedColumns: readonly string[]
  }[]
  readonly progress: { readonly done: number; readonly total: number }
  readonly records: number
  readonly created: number
  readonly filled: number
  readonly same: number
  readonly skipped: number
  readonly wrong: number
  readonly questions: readonly { readonly file: string; readonly column: string; readonly samples: readonly string[] }[]
  readonly repairs: readonly (Omit<Problem, 'fix'> & { readonly count: number })[]
  readonly undo: {
    readonly reversed: number
    readonly kept: number
    readonly failed: number
    readonly keptRecords: readonly { id: string; reason: string }[]
  } | null
  readonly failure: string | null
  readonly createdAt: string
}

const reportEveryMs = 2_000

export type Imports = Awaited<ReturnType<typeof openImports>>

export async function openImports(orgId: string, command: CommandContext) {
  const database = await databaseWithOrganisation(orgId, command)
  const dependencies = await command.dependencies()
  const caller: Caller = {
    orgId,
    kind: 'operator',
    credentialId: 'command-line',
    name: 'command line',
    scopes: new Set(scopeCatalogue.scopes),
  }
  const contextOn = (db: Queryable): Context => createContext(db, caller, dependencies)
  const reading = createContext(database, caller, dependencies)
  const find = async (importId: string): Promise<BroughtImport> =>
    JSON.parse((await reading.query(imports.find(reading, importId))).text)
  let reportedAt = 0
  const report = (words: string) => {
    if (performance.now() - reportedAt < reportEveryMs) return
    reportedAt = performance.now()
    command.reportProgress(words)
  }

  return {
    database,
    orgId,
    contextOn,
    find,
    reportRows: (rows: number) => report(`${rows.toLocaleString('en-GB')} rows read`),

    async list(): Promise<readonly BroughtImport[]> {
      const { imports: all } = JSON.parse((await reading.query(imports.page(reading, { limit: 100 }))).text)
      return all
    },

    filesWithWrong: (importId: string): Promise<number[]> => reading.query(selectFilesWithWrong(reading, importId)),
    wrongRows: (importId: string, file: number): AsyncGenerator<string> => wrongRowsInPieces(reading, importId, file),

    /** With its line in the audit log, where one belongs there. */
    act: (action: AuditAction | undefined, importId: string, work: (ctx: Context) => Promise<void>): Promise<void> =>
      database.transaction(orgId, async (transaction) => {
        await work(contextOn(transaction))
        if (action) await audit(transaction, orgId, operator, auditEntry(action, { id: importId, name: importId }))
      }),

    /** Takes the steps itself, unless the service is at it, until the import has come to an end. */
    async finish(importId: string, goal: 'judged' | 'written' | 'undone'): Promise<BroughtImport> {
      for (;;) {
        const now = await find(importId)
        if (now.status === goal || now.status === 'asking' || now.status === 'failed') return now
        const { done, total } = now.progress
        report(`${doing[goal]}: ${done.toLocaleString('en-GB')} of ${total.toLocaleString('en-GB')}`)
        let isTaken = true
        for (let steps = 0; isTaken && steps < 20; steps++)
          isTaken = (await takeImportStep(database, orgId, { importId })) !== undefined
        if (!isTaken) await delay(100)
      }
    },

    /** What programs are given. */
    async result(importId: string) {
      const found = await find(importId)
      const problems = await database.query<Problem>(sql`
        select file, row, "column", value, reason, fix from import_problems
        where org_id = ${orgId} and import_id = ${importId} order by created_at, id`)
      const { files, ...rest } = found
      return {
        ...rest,
        files: files.map(
          ({ columns: _, map: __, ...file }: (typeof files)[number] & { columns?: unknown; map?: unknown }) => file,
        ),
        problems,
      }
    },
  }
}

const doing = { judged: 'Judging', written: 'Writing', undone: 'Undoing' } as const

/** For people: what it came to, and what they should look at. */
export function summarise(result: BroughtImport & { readonly problems: readonly Problem[] }): string {
  const { status, questions, isDryRun, problems, repairs, files, failure } = result
  const words =
    status === 'asking'
      ? 'Nothing is written yet: there is a question.'
      : status === 'failed'
        ? `It failed: ${failure}`
        : status === 'written'
          ? `It is written. To take it back within 30 days: jobwright bring undo --org … ${result.id}`
          : isDryRun
            ? 'This was a trial: nothing is written.'
            : 'Nothing is written.'
  const counts = [result.records, result.created, result.filled, result.same, result.skipped, result.wrong].map(String)
  const unused = files.filter(({ unusedColumns }) => unusedColumns.length > 0)
  return [
    words,
    '',
    table(
      ['File', 'Source', 'Kind', 'Rows'],
      files.map((file) => [file.name, file.source, file.kind, String(file.rows)]),
    ),
    '',
    table(['Records', 'Created', 'Filled', 'Same', 'Skipped', 'Wrong'], [counts]),
    ...questions.map(
      ({ column, file, samples }) =>
        `\nIs the day or the month first in ${column} of ${file} (${samples.join(', ')})? Say --date-order dmy or mdy.`,
    ),
    ...unused.map(
      ({ name, unusedColumns }) => `\nNothing is taken from these columns of ${name}: ${unusedColumns.join(', ')}`,
    ),
    ...(repairs.length > 0
      ? [
          '',
          'Decided without asking:',
          table(
            ['Column', 'What', 'Times'],
            repairs.slice(0, 20).map((one) => [one.column ?? '', one.reason, String(one.count)]),
          ),
        ]
      : []),
    ...(problems.length > 0
      ? [
          '',
          `Wrong, all of them in a file with: jobwright bring problems --org … ${result.id} --out wrong.csv`,
          table(
            ['File', 'Row', 'Column', 'Why', 'What to do'],
            problems.slice(0, 20).map((one) => [one.file, String(one.row), one.column ?? '', one.reason, one.fix]),
          ),
        ]
      : []),
  ].join('\n')
}
