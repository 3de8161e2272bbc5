// The commands that back up the embedded PostgreSQL while it serves, prove that a backup can be restored, and restore it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { keyMarks } from '../backup/key-mark.ts'
import { type MadeBackup, makeBackup } from '../backup/make-backup.ts'
import { formatBytes } from '../backup/progress.ts'
import { type Restored, restoreBackup } from '../backup/restore.ts'
import { type Verification, verifyBackup } from '../backup/verify.ts'
import { text } from '../operations/fields.ts'
import { t } from '../operations/schemas.ts'
import { command, UsageError } from './command.ts'
import type { CommandContext } from './context.ts'
import { fields, wrap } from './layout.ts'

const count = (number: number) => number.toLocaleString('en-GB')

export default [
  command('backup', {
    summary: 'Write all data into a file, while the server runs; with --verify prove that one can be restored',
    positionals: { file: text(1_000, { description: 'the file to write, or to prove' }) },
    options: { verify: t.Boolean({ default: false, description: 'restore it into a folder of its own and compare' }) },
    example: '/mnt/backups/jobwright-monday.tar.gz',
    async run({ file, verify }, ctx): Promise<Outcome> {
      const { dataDir } = embeddedConfig(ctx)
      const onProgress = ctx.reportProgress
      if (verify) return { verified: true, file, ...(await verifyBackup({ file, dataDir, onProgress })) }
      refuseEmptyFolder(dataDir)
      const database = await ctx.unmigratedDatabase()
      const keyMark = keyMarks(await ctx.vault())[0]!
      const { noted, ...made } = await makeBackup({ database, dataDir, file, keyMark, onProgress })
      const rows = noted?.tables.reduce((sum, table) => sum + table.rows, 0) ?? null
      return { verified: false, ...made, tables: noted?.tables.length ?? null, rows, keyIsIn: keyPlace(ctx) }
    },
    render: (outcome) => (outcome.verified ? renderVerification(outcome) : renderBackup(outcome)),
    isSuccess: (outcome) => !outcome.verified || (outcome.differing.length === 0 && outcome.archived.missing === null),
  }),

  command('restore', {
    summary: 'Put a backup in the place of the data; stop the server first',
    positionals: { file: text(1_000, { description: 'what jobwright backup wrote' }) },
    options: {
      to: t.Optional(
        text(40, { description: 'go on with the log beside it: to a moment such as 2026-11-16T20:15:00Z, or latest' }),
      ),
      force: t.Boolean({ default: false, description: 'move data that is there aside' }),
    },
    example: '/mnt/backups/jobwright-monday.tar.gz',
    async run({ file, to, force }, ctx) {
      const { dataDir, backupDir } = embeddedConfig(ctx)
      const restored = await restoreBackup({
        file,
        dataDir,
        backupDir,
        to: to && parseMoment(to),
        mayMoveAside: force,
        onProgress: ctx.reportProgress,
      })
      const { head, ...rest } = restored
      return {
        file,
        dataDir,
        startedAt: head.startedAt,
        ...rest,
        key: await keyState(ctx, restored),
        keyIsIn: keyPlace(ctx),
      }
    },
    render: ({ dataDir, startedAt, lastTransactionAt, movedTo, key, keyIsIn }) =>
      [
        'The data is restored. Start the server.',
        '',
        fields({
          Backup: `begun at ${startedAt}`,
          'Last change': lastTransactionAt ?? 'none since then',
          'Data folder': dataDir,
          ...(movedTo && { 'Data before': movedTo }),
        }),
        '',
        wrap(keyAdvice[key].replace('KEY', keyIsIn)),
        ...(movedTo ? ['', wrap('Delete the data of before when you no longer need it.')] : []),
      ].join('\n'),
  }),
]

interface Made extends Omit<MadeBackup, 'noted'> {
  readonly verified: false
  readonly tables: number | null
  readonly rows: number | null
  readonly keyIsIn: string
}
interface Verified extends Verification {
  readonly verified: true
  readonly file: string
}
type Outcome = Made | Verified

function embeddedConfig(ctx: CommandContext) {
  const config = ctx.config()
  if (config.databaseUrl === null) return config
  throw new Error(
    'DATABASE_URL names a PostgreSQL of your own: whoever runs it backs it up, with pg_basebackup and an archive of its log, or ' +
      'with pg_dump and pg_restore. docs/operations.md has the commands under "Backup and restore".',
  )
}

/** A command would make a database where there is none, and a backup of nothing would look like one. */
function refuseEmptyFolder(dataDir: string): void {
  if (existsSync(join(dataDir, 'postgres'))) return
  throw new Error(`There is no data in ${dataDir}: run it with the DATA_DIR of the service.`)
}

function parseMoment(given: string): string {
  if (given === 'latest') return given
  const hasZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(given)
  const moment = new Date(given)
  if (!hasZone || Number.isNaN(moment.getTime())) {
    throw new UsageError('--to must be latest, or a moment with its time zone such as 2026-11-16T20:15:00Z')
  }
  return moment.toISOString()
}

const keyPlace = (ctx: CommandContext): string => {
  const { secretsKey, dataDir } = ctx.config()
  return secretsKey === null ? join(dataDir, 'secrets.key') : 'SECRETS_KEY'
}

/** Looked at without making a key: one that is made now would be another. */
async function keyState(ctx: CommandContext, { head }: Restored): Promise<keyof typeof keyAdvice> {
  const place = keyPlace(ctx)
  if (place !== 'SECRETS_KEY' && !existsSync(place)) return 'missing'
  return keyMarks(await ctx.vault()).includes(head.keyMark) ? 'right' : 'other'
}

const keyAdvice = {
  right: 'The key in KEY is the one that the data was encrypted with.',
  missing:
    'There is no key in KEY: put the one of the old installation there before you start. Without it second factors, bodies of mail and links to show again are lost.',
  other:
    'The key in KEY is not the one that the data was encrypted with: put that one there before you start. Without it second factors, bodies of mail and links to show again are lost.',
}

function renderBackup({ file, startedAt, finishedAt, fileBytes, bytes, rows, tables, keyIsIn }: Made): string {
  return [
    `${file} holds all data as it was at ${finishedAt}. Whoever has the file has all of it, so keep it safe.`,
    '',
    fields({
      Begun: startedAt,
      Size: `${formatBytes(fileBytes)}, of ${formatBytes(bytes)}`,
      Noted:
        rows === null
          ? 'nothing: there was no moment without a write'
          : `${count(rows)} rows in ${tables} tables, to compare`,
    }),
    '',
    wrap(
      `The key in ${keyIsIn} is not in it: keep a copy of the key, apart from the backups. Settings and DATA_DIR/outbox are not in it either.`,
    ),
    `Prove it with: jobwright backup --verify ${file}`,
  ].join('\n')
}

function renderVerification({ file, startedAt, tables, rows, isCompared, differing, archived }: Verified): string {
  const comparison = !isCompared
    ? 'There was no moment without a write to note them at when it was made, so they were read and not compared.'
    : differing.length === 0
      ? 'Each has the rows and the checksum that were noted when it was made.'
      : `These are not what was noted when it was made: ${differing.join(', ')}.`
  return [
    `${file}, begun at ${startedAt}, is whole${differing.length === 0 ? ', and can be restored' : ''}.`,
    '',
    wrap(`PostgreSQL started on it and read ${count(rows)} rows in ${tables} tables. ${comparison}`),
    ...(archived.segments > 0
      ? [`${count(archived.segments)} segments of the log beside it follow it and are whole.`]
      : []),
    ...(archived.missing === null
      ? []
      : [
          wrap(
            `The log beside it has a gap: segment ${archived.missing} is missing, and what came after it cannot be restored from here.`,
          ),
        ]),
  ].join('\n')
}
