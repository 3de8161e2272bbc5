// The commands with which a shop moves from one server to another: all it has, in one file.
import { createWriteStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { oneOf, text } from '../api/fields.ts'
import { sql } from '../database.ts'
import { entitlements } from '../identity/organisations.ts'
import { type Exported, exported } from '../moving/export.ts'
import { imported } from '../moving/import.ts'
import { command } from './command.ts'
import { table } from './layout.ts'
import { databaseWith, organisationId } from './organisations.ts'

const stdio = '-'

export default [
  command('export', {
    summary: 'Write all that an organisation has into a file, with which it can move to another server',
    places: { file: text(1_000, { description: 'where to write; - for the output' }) },
    options: { org: organisationId },
    example: '--org org_01kbx5… harbour-repairs.jsonl',
    async run({ org, file }, ctx) {
      const database = await databaseWith(org, ctx)
      const vault = await ctx.vault()
      let result: Exported | undefined
      await database.longTransaction('read only', (transaction) =>
        into(file, async function* () {
          result = yield* exported(transaction, { orgId: org, vault, told: teller(ctx.tell) })
        }),
      )
      return { organisation: org, ...result! }
    },
    fillsOutput: ({ file }) => file === stdio,
    show: ({ records, unreadable }) =>
      [
        'The organisation is written out. Whoever has the file has all of it, so keep it safe.',
        '',
        counted(records),
        ...(unreadable > 0
          ? ['', `${unreadable} share links and letters stay behind: the key they were sealed with is lost.`]
          : []),
        '',
        'Keys, apps, calendar addresses, passwords and mail that waits to be sent stay here.',
      ].join('\n'),
  }),

  command('import', {
    summary: 'Bring in an organisation from a file that jobwright export wrote',
    places: { file: text(1_000, { description: 'the file; - for the input' }) },
    options: {
      entitlement: oneOf(entitlements, { default: 'pro', description: 'its plan here; the API needs pro or trial' }),
    },
    example: 'harbour-repairs.jsonl',
    async run({ file, entitlement }, ctx) {
      const source = file === stdio ? process.stdin : await opened(file)
      const database = await ctx.database()
      const vault = await ctx.vault()
      const arrived = await database.longTransaction('read write', (transaction) =>
        imported({ transaction, source, vault, entitlement, told: teller(ctx.tell) }),
      )
      const admins = await database.query<Admin>(sql`
        select members.id, email, password_hash is not null as "canSignIn" from members join people on people.id = person_id
        where org_id = ${arrived.organisation} and role = 'admin' and is_active order by members.id`)
      return { ...arrived, admins }
    },
    show: ({ organisation, records, admins }) =>
      [
        `The organisation ${organisation} has arrived.`,
        '',
        counted(records),
        '',
        'Nobody has a key to it yet, and people sign in with what they have on this server already. Go on with:',
        ...admins
          .filter(({ canSignIn }) => !canSignIn)
          .map(({ id, email }) => `  jobwright member reset ${organisation} ${id}  gives ${email} a way in`),
        `  jobwright key create --org ${organisation}  makes an API key`,
      ].join('\n'),
  }),
]

interface Admin {
  readonly id: string
  readonly email: string
  readonly canSignIn: boolean
}

async function opened(file: string): Promise<AsyncIterable<Buffer>> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${file} cannot be read`, { cause: error })
  })
  return handle.createReadStream()
}

/** A file that is there already is replaced once the new one is whole, and is its owner's alone to read. */
async function into(file: string, pieces: () => AsyncGenerator<string>): Promise<void> {
  if (file === stdio) return pipeline(pieces, process.stdout as Writable, { end: false })
  const there = await stat(file).catch(() => undefined)
  if (there && !there.isFile()) return pipeline(pieces, createWriteStream(file))
  const fresh = `${file}.part`
  try {
    await rm(fresh, { force: true })
    await pipeline(pieces, createWriteStream(fresh, { flags: 'wx', mode: 0o600, flush: true }))
    await rename(fresh, file)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}

const step = 100_000

/** A line for each kind that begins, and for each hundred thousand of it. */
function teller(tell: (progress: string) => void) {
  let last = ''
  let next = 0
  return (kind: string, count: number) => {
    if (kind === last && count < next) return
    if (kind !== last) next = 0
    next = (Math.floor(count / step) + 1) * step
    tell(kind === last ? `${kind} ${number(count)}` : kind)
    last = kind
  }
}

const number = (count: number) => count.toLocaleString('en-GB')

const counted = (records: Readonly<Record<string, number>>) =>
  table(
    ['Records', 'Count'],
    Object.entries(records)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => [kind, number(count)]),
  )
