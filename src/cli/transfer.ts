// The commands with which a shop moves from one server to another: all it has, in one file.
import { createWriteStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { sql } from '../db/database.ts'
import { audit, auditEntry, operator } from '../identity/audit.ts'
import { entitlements, findOrganisation } from '../identity/organisations.ts'
import { oneOf, text } from '../operations/fields.ts'
import { type ExportResult, exportOrganisation } from '../transfer/export.ts'
import { importOrganisation } from '../transfer/import.ts'
import { command } from './command.ts'
import { table } from './layout.ts'
import { organisationId } from './organisations.ts'

const stdio = '-'

export default [
  command('export', {
    summary: 'Write all that an organisation has into a file, with which it can move to another server',
    positionals: { file: text(1_000, { description: 'where to write; - for the output' }) },
    options: { org: organisationId },
    example: '--org org_01kbx5… harbour-repairs.jsonl',
    async run({ org, file }, ctx) {
      const database = await ctx.database()
      const organisation = await findOrganisation(database, org)
      const vault = await ctx.vault()
      let result: ExportResult | undefined
      await database.longTransaction('read only', (transaction) =>
        writeExport(file, async function* () {
          result = yield* exportOrganisation(transaction, {
            orgId: org,
            vault,
            onProgress: createProgressReporter(ctx.reportProgress),
          })
          // Before the file is whole: none is finished without a line about it.
          const entry = auditEntry('organisation.exported', organisation, transferDetail(result.records))
          await database.transaction(org, (writer) => audit(writer, org, operator, entry))
        }),
      )
      return { organisation: org, ...result! }
    },
    usesStdout: ({ file }) => file === stdio,
    render: ({ records, unreadable }) =>
      [
        'The organisation is written out. Whoever has the file has all of it, so keep it safe.',
        '',
        recordTable(records),
        ...(unreadable > 0
          ? ['', `${unreadable} share links and letters stay behind: the key they were encrypted with is lost.`]
          : []),
        '',
        'Keys, apps, calendar addresses, passwords and mail that waits to be sent stay here.',
      ].join('\n'),
  }),

  command('import', {
    summary: 'Bring in an organisation from a file that jobwright export wrote',
    positionals: { file: text(1_000, { description: 'the file; - for the input' }) },
    options: {
      entitlement: oneOf(entitlements, { default: 'pro', description: 'its plan here; the API needs pro or trial' }),
    },
    example: 'harbour-repairs.jsonl',
    async run({ file, entitlement }, ctx) {
      const source = file === stdio ? process.stdin : await openForReading(file)
      const database = await ctx.database()
      const vault = await ctx.vault()
      const importResult = await database.longTransaction('read write', async (transaction) => {
        const arrived = await importOrganisation({
          transaction,
          source,
          vault,
          entitlement,
          onProgress: createProgressReporter(ctx.reportProgress),
        })
        const organisation = await findOrganisation(transaction, arrived.organisation)
        const detail = { ...transferDetail(arrived.records), entitlement }
        await audit(transaction, organisation.id, operator, auditEntry('organisation.imported', organisation, detail))
        return arrived
      })
      const admins = await database.query<Admin>(sql`
        select members.id, email, password_hash is not null as "canSignIn" from members join people on people.id = person_id
        where org_id = ${importResult.organisation} and role = 'admin' and is_active order by members.id`)
      return { ...importResult, admins }
    },
    render: ({ organisation, records, admins }) =>
      [
        `The organisation ${organisation} has arrived.`,
        '',
        recordTable(records),
        '',
        'Nobody has a key to it yet, and people sign in with what they have on this server already. Go on with:',
        ...admins
          .filter(({ canSignIn }) => !canSignIn)
          .map(({ id, email }) => `  jobwright member reset ${organisation} ${id}  gives ${email} a way in`),
        `  jobwright key create --org ${organisation}  makes an API key`,
      ].join('\n'),
  }),
]

/** What the audit log says of a file: its kind, and how many records of which kinds it holds. */
const transferDetail = (records: Readonly<Record<string, number>>) => ({
  file: 'JSON lines',
  records: Object.entries(records)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`),
})

interface Admin {
  readonly id: string
  readonly email: string
  readonly canSignIn: boolean
}

async function openForReading(file: string): Promise<AsyncIterable<Buffer>> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${file} cannot be read`, { cause: error })
  })
  return handle.createReadStream()
}

/** A file that is there already is replaced once the new one is whole, and is its owner's alone to read. */
async function writeExport(file: string, pieces: () => AsyncGenerator<string>): Promise<void> {
  if (file === stdio) return pipeline(pieces, process.stdout as Writable, { end: false })
  const existing = await stat(file).catch(() => undefined)
  if (existing && !existing.isFile()) return pipeline(pieces, createWriteStream(file))
  const partFile = `${file}.part`
  try {
    await rm(partFile, { force: true })
    await pipeline(pieces, createWriteStream(partFile, { flags: 'wx', mode: 0o600, flush: true }))
    await rename(partFile, file)
  } catch (error) {
    await rm(partFile, { force: true })
    throw error
  }
}

const progressStep = 100_000

/** A line for each kind that begins, and for each hundred thousand of it. */
function createProgressReporter(reportProgress: (progress: string) => void) {
  let last = ''
  let next = 0
  return (kind: string, count: number) => {
    if (kind === last && count < next) return
    if (kind !== last) next = 0
    next = (Math.floor(count / progressStep) + 1) * progressStep
    reportProgress(kind === last ? `${kind} ${formatCount(count)}` : kind)
    last = kind
  }
}

const formatCount = (count: number) => count.toLocaleString('en-GB')

const recordTable = (records: Readonly<Record<string, number>>) =>
  table(
    ['Records', 'Count'],
    Object.entries(records)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => [kind, formatCount(count)]),
  )
