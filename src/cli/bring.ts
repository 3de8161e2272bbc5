// The commands with which a shop moves in from another system: its files, tried out or brought for good, and undone.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, parse } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { setFlagsFromString } from 'node:v8'
import { dateOrders } from '../domain/moving-in/dates.ts'
import { kinds } from '../domain/moving-in/kinds.ts'
import { FileRefused } from '../domain/moving-in/recognise.ts'
import { updateModes } from '../domain/moving-in/verdict.ts'
import { type BringOptions, recogniseFiles, stageFiles } from '../moving-in/bring.ts'
import { id, oneOf, text } from '../operations/fields.ts'
import { t } from '../operations/schemas.ts'
import { startJudging, startUndoing, startWriting } from '../resources/imports/stage.ts'
import { type BroughtImport, type Imports, openImports, type Problem, summarise } from './bring-imports.ts'
import { command, UsageError } from './command.ts'
import type { CommandContext } from './context.ts'
import { minute, table } from './layout.ts'
import { organisationId } from './organisations.ts'

const importId = id({ description: 'the id of the import' })
const dateOrder = t.Optional(
  oneOf(dateOrders, { description: 'whether 03/04 is the third of April or the fourth of March' }),
)
const yes = t.Boolean({ default: false, description: 'write without asking' })

/** What a program goes by; a file that was refused ends with 2. */
const exitStatus = ({ status, wrong }: BroughtImport): number =>
  status === 'asking' ? 4 : status === 'failed' ? 1 : wrong > 0 ? 3 : 0

interface BringResult extends BroughtImport {
  readonly problems: readonly Problem[]
}

export default [
  command('bring list', {
    summary: 'List the imports of an organisation, the newest first',
    options: { org: organisationId },
    example: '--org org_01kbx5…',
    async run({ org }, ctx) {
      const imports = await openImports(org, ctx)
      return { imports: await imports.list() }
    },
    render: ({ imports }) =>
      imports.length === 0
        ? 'Nothing was brought in the last 30 days.'
        : table(
            ['Import', 'When', 'Status', 'Files', 'Created', 'Filled', 'Wrong'],
            imports.map((one) => [
              one.id,
              minute(new Date(one.createdAt), ''),
              one.isDryRun ? `${one.status} (trial)` : one.status,
              one.files.map(({ name }) => name).join(', '),
              ...[one.created, one.filled, one.wrong].map(String),
            ]),
          ),
  }),

  command('bring undo', {
    summary: 'Take back what an import wrote and nobody has worked on since',
    positionals: { import: importId },
    options: { org: organisationId },
    example: '--org org_01kbx5… imp_01kbx6…',
    async run({ org, import: wanted }, ctx) {
      const imports = await openImports(org, ctx)
      await imports.act('import.undone', wanted, (context) => startUndoing(context, wanted))
      const { undo } = await imports.finish(wanted, 'undone')
      return undo ?? { reversed: 0, kept: 0, failed: 0, keptRecords: [] }
    },
    render: ({ reversed, kept, failed, keptRecords }) =>
      [
        `${reversed} records are taken back, ${kept} stay because somebody has worked on them since, ${failed} could not be undone.`,
        ...(keptRecords.length > 0
          ? [
              '',
              table(
                ['Stays', 'Why'],
                keptRecords.map((one) => [one.id, one.reason]),
              ),
            ]
          : []),
      ].join('\n'),
    isSuccess: ({ failed }) => failed === 0,
  }),

  command('bring resume', {
    summary: 'Go on with an import that was cut off, or that another one has overtaken: judge it, ask, and write it',
    positionals: { import: importId },
    options: { org: organisationId, dateOrder, yes },
    example: '--org org_01kbx5… imp_01kbx6…',
    async run({ org, import: wanted, dateOrder, yes }, ctx): Promise<BringResult> {
      refuseUnasked(yes, ctx)
      const imports = await openImports(org, ctx)
      const { status } = await imports.find(wanted)
      if (status === 'open') throw new UsageError('Its files were not read to the end; bring them again')
      // What others brought since it was judged is looked at, too.
      if (status === 'asking' || status === 'judged') {
        await imports.act(undefined, wanted, (context) => startJudging(context, wanted, dateOrder ? { dateOrder } : {}))
      }
      return writeJudged(imports, wanted, yes)
    },
    render: summarise,
    exitStatus,
  }),

  command('bring problems', {
    summary: 'Write the rows of an import that are wrong into a file, with the reason, to be mended and brought again',
    positionals: { import: importId },
    options: {
      org: organisationId,
      out: text(1_000, {
        description: 'where to write; wrong-1.csv and so on where several files have some',
      }),
    },
    example: '--org org_01kbx5… imp_01kbx6… --out wrong.csv',
    async run({ org, import: wanted, out }, ctx) {
      const imports = await openImports(org, ctx)
      const { wrong, files } = await imports.find(wanted)
      const places = await imports.filesWithWrong(wanted)
      const written = places.map((place) => ({ place, name: files[place]!.name, path: pathOf(out, place, places) }))
      for (const { place, path } of written) await writeFile(path, imports.wrongRows(wanted, place), { mode: 0o600 })
      return { files: written.map(({ name, path }) => ({ name, path })), wrong }
    },
    render: ({ files, wrong }) =>
      files.length === 0
        ? 'No record is wrong.'
        : `The rows of ${wrong} wrong records are in ${files.map(({ path, name }) => `${path} (${name})`).join(', ')}.`,
  }),

  command('bring', {
    summary: "Bring customers, devices, services, stock, jobs, quotes and invoices from another system's files",
    positionals: {
      file: t.Array(text(1_000), { minItems: 1, description: 'the files: csv, tsv, xlsx or vcf' }),
    },
    options: {
      org: organisationId,
      dryRun: t.Boolean({ default: false, description: 'only say what would happen' }),
      source: t.Optional(text(120, { description: 'the system they are from, where it is not recognised' })),
      kind: t.Optional(
        oneOf(kinds, { description: `what they hold, where it is not recognised: ${kinds.join(', ')}` }),
      ),
      map: t.Optional(text(1_000, { description: 'a JSON file: {"Column": "field or null"}' })),
      dateOrder,
      update: t.Optional(
        oneOf(updateModes, {
          description: 'how records that are there change (default: fill)',
        }),
      ),
      yes,
    },
    example: '--org org_01kbx5… --dry-run clients.csv jobs.csv',
    async run({ org, file, dryRun, source, kind, map, dateOrder, update, yes }, ctx): Promise<BringResult> {
      // Rows go by in large numbers: what they leave is collected early, which takes a third less memory and hardly any time.
      setFlagsFromString('--heap-growing-percent=20')
      const imports = await openImports(org, ctx)
      const options: BringOptions = {
        source,
        kind,
        isDryRun: dryRun,
        ...(dateOrder && { dateOrder }),
        ...(update && { update }),
        ...(map !== undefined && { map: await readMap(map) }),
      }
      const wanted = await withFolder(async (folder) => {
        const given = file.map((path) => ({ name: basename(path), path }))
        const opened = await recogniseFiles(given, options, { orgId: imports.orgId, folder })
        if (!dryRun) refuseUnasked(yes, ctx)
        for (const { name, found } of opened) ctx.reportProgress(`${name}: ${found.kind} from ${found.source}`)
        return stageFiles(opened, options, { ...imports, onProgress: imports.reportRows })
      })
      ctx.reportProgress(`It is import ${wanted}; if this is cut off: jobwright bring resume --org ${org} ${wanted}`)
      await imports.act(undefined, wanted, (context) => startJudging(context, wanted, {}))
      return writeJudged(imports, wanted, yes)
    },
    render: summarise,
    exitStatus,
  }),
]

/** From wherever it is to its end; a trial ends when it is judged. */
async function writeJudged(imports: Imports, wanted: string, isConfirmed: boolean): Promise<BringResult> {
  const { status } = await imports.find(wanted)
  if (status === 'judging' || status === 'judged') {
    const judged = await imports.finish(wanted, 'judged')
    if (judged.status !== 'judged' || judged.isDryRun) return imports.result(wanted)
    if (!isConfirmed && !(await isWanted(judged))) return imports.result(wanted)
    await imports.act('import.written', wanted, (context) => startWriting(context, wanted))
  }
  if (['judging', 'judged', 'writing'].includes(status)) await imports.finish(wanted, 'written')
  return imports.result(wanted)
}

/** For the rows, until they are in the database. */
async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'jobwright-bring-'))
  return work(folder).finally(() => rm(folder, { recursive: true, force: true }))
}

const isAtTerminal = () => process.stdin.isTTY && process.stderr.isTTY

/** A program that reads JSON has said what it wants by calling; whoever else cannot be asked has to say so. */
function refuseUnasked(isConfirmed: boolean, { isJson }: CommandContext): void {
  if (!isConfirmed && !isJson && !isAtTerminal())
    throw new UsageError('There is no terminal to ask on; say --yes to have it written')
}

/** Who sits at the terminal is shown what would happen, and asked. */
async function isWanted(judged: BroughtImport): Promise<boolean> {
  if (!isAtTerminal()) return true
  const { created, filled, same, skipped, wrong } = judged
  const asked = createInterface({ input: process.stdin, output: process.stderr })
  const words = `Create ${created}, fill in ${filled}, leave ${same} as they are, skip ${skipped}, leave out ${wrong} that are wrong? [y/N] `
  const answer = await asked.question(words).finally(() => asked.close())
  return /^y(es)?$/i.test(answer.trim())
}

async function readMap(path: string): Promise<Readonly<Record<string, string | null>>> {
  const content = await readFile(path, 'utf8').catch((error: Error) => {
    throw new FileRefused(`${path} cannot be read: ${error.message}`)
  })
  try {
    const map: unknown = JSON.parse(content)
    if (
      typeof map === 'object' &&
      map !== null &&
      !Array.isArray(map) &&
      Object.values(map).every((one) => one === null || typeof one === 'string')
    )
      return map as Record<string, string | null>
  } catch {}
  throw new FileRefused(`${path} must hold one JSON object such as {"Mobile no.": "phone", "Internal": null}`)
}

/** Where several files have wrong rows, each has columns of its own, and becomes a file of its own. */
function pathOf(out: string, place: number, places: readonly number[]): string {
  if (places.length === 1) return out
  const { dir, name, ext } = parse(out)
  return join(dir, `${name}-${place + 1}${ext}`)
}
