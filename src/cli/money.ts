// The command that writes files for the bookkeeper, and remembers what was in them.
import { type FileHandle, open, rm } from 'node:fs/promises'
import { invoiceFileFormats } from '../domain/books/files.ts'
import { type Told, toldWords } from '../domain/books/told.ts'
import { auditEntry } from '../identity/audit.ts'
import type { Caller } from '../operations/caller.ts'
import { createContext } from '../operations/context.ts'
import type { ApiError } from '../operations/errors.ts'
import { day, oneOf, text } from '../operations/fields.ts'
import { t } from '../operations/schemas.ts'
import { booksFile, selectFile } from '../resources/exports/books.ts'
import { createExport } from '../resources/exports/exports.ts'
import { exportKinds } from '../resources/exports/record.ts'
import { scopeCatalogue } from '../resources/index.ts'
import { runAudited } from './audit.ts'
import { command } from './command.ts'
import { organisationId } from './organisations.ts'

const stdio = '-'

interface WrittenExport extends Told {
  readonly id: string
  readonly count: number
  readonly from: string
  readonly to: string
  readonly again: boolean
}

export default [
  command('money export', {
    summary: 'Write invoices or payments into a file for the bookkeeper, each once',
    options: {
      org: organisationId,
      format: oneOf(invoiceFileFormats, { description: `the program it is for: ${invoiceFileFormats.join(', ')}` }),
      kind: oneOf(exportKinds, { default: 'invoices', description: 'invoices or payments' }),
      from: t.Optional(day({ description: 'the first day; the first of the month if not given' })),
      to: t.Optional(day({ description: 'the last day, inclusive; today if not given' })),
      again: t.Boolean({ default: false, description: 'also what an earlier file held, or was brought' }),
      out: text(1_000, { default: stdio, description: 'a new file to write; the output if not given' }),
    },
    example: '--org org_01kbx5… --format xero --from 2026-11-01 --out november.csv',
    async run({ org, format, kind, from, to, again, out }, ctx) {
      const dependencies = await ctx.dependencies()
      const caller: Caller = {
        orgId: org,
        kind: 'operator',
        credentialId: 'command-line',
        name: 'command line',
        scopes: new Set(scopeCatalogue.scopes),
      }
      return writeNewFile(out, async () => {
        const { record, bytes } = await runAudited(
          org,
          ctx,
          async (transaction) => {
            const context = createContext(transaction, caller, dependencies)
            const query = { kind, format, onlyNew: !again, ...(from && { from }), ...(to && { to }) }
            const created = JSON.parse((await createExport(context, query)).text) as WrittenExport
            const file = await context.query(selectFile(context, created.id))
            return { record: created, bytes: await booksFile(file!).bytes() }
          },
          ({ record: { id, count } }) => auditEntry('export.created', { id, name: `${kind} for ${format}` }, { count }),
        ).catch(nameMissing)
        const hasRecords = record.count > 0
        return { bytes: hasRecords ? bytes : undefined, result: { ...record, file: hasRecords ? out : null } }
      })
    },
    usesStdout: ({ out }) => out === stdio,
    render: ({ file, ...written }) =>
      [file === null ? nothingWords(written) : writtenWords(written, file), ...toldWords(written)].join('\n'),
  }),
]

const writtenWords = ({ count, from, to, id }: WrittenExport, file: string) =>
  `${count} records from ${from} to ${to} are written${file === stdio ? '' : ` to ${file}`}, and remembered as ${id}: the next file leaves them out.`

const nothingWords = ({ from, to, kind, again }: WrittenExport) =>
  again
    ? `There are no ${kind} from ${from} to ${to}: no file is written.`
    : `Nothing from ${from} to ${to} is new: no file is written. What an earlier file held, or was brought from another system, counts as booked; --again gives it out once more.`

/**
 * The file is opened before anything is remembered, since what cannot be written would count as given out; and written after it, since
 * what fails then can be had again from the list of files.
 */
async function writeNewFile<T>(
  path: string,
  make: () => Promise<{ readonly bytes: Uint8Array | undefined; readonly result: T }>,
): Promise<T> {
  if (path === stdio) {
    const { bytes, result } = await make()
    if (bytes) process.stdout.write(bytes)
    return result
  }
  const handle = await openNew(path)
  let isWritten = false
  try {
    const { bytes, result } = await make()
    if (bytes) await handle.writeFile(bytes)
    isWritten = bytes !== undefined
    return result
  } finally {
    await handle.close()
    if (!isWritten) await rm(path, { force: true })
  }
}

const openReasons: Readonly<Record<string, string>> = {
  EEXIST: 'is there already: choose another name, or move it away first',
  ENOENT: 'cannot be written: there is no such folder',
  EACCES: 'cannot be written: the folder does not allow it',
}

const openNew = (path: string): Promise<FileHandle> =>
  open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const reason = openReasons[error.code ?? ''] ?? `cannot be written (${error.code})`
    throw new Error(`${path} ${reason}. Nothing was exported.`) // without its cause, which would be said as well
  })

/** A terminal shows the sentence alone. */
function nameMissing(error: unknown): never {
  const { missing } = ((error as Partial<ApiError>).details?.data ?? {}) as { missing?: readonly string[] }
  if (!missing) throw error
  const taxes = missing.some((path) => path.includes('.taxNames.'))
    ? ' (of the taxes all but the one that the account knows by itself)'
    : ''
  throw new Error(`The format needs settings that are not there, or do not fit: ${missing.join(', ')}${taxes}`)
}
