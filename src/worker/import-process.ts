// The process in which imports are judged, written and undone: it goes on with all that are due, and says when none is left.
import type { ConnectionOptions } from '../db/database.ts'
import { serializeError } from '../http/log-error.ts'
import { standBehindService } from '../processes/side-process.ts'
import type { ImportStep } from './imports.ts'

export type ImportCommand =
  | { readonly is: 'run'; readonly connection: ConnectionOptions; readonly maxConcurrent?: number | undefined }
  | { readonly is: 'stop' }

export type ImportMessage =
  | { readonly is: 'done' }
  | { readonly is: 'begun'; readonly step: ImportStep }
  | { readonly is: 'over'; readonly step: ImportStep }
  /** `isAway`: the database is. */
  | { readonly is: 'failed'; readonly isAway: boolean; readonly cause: unknown }
  | { readonly is: 'log'; readonly level: 'info' | 'error'; readonly details: object; readonly message: string }

const send = (message: ImportMessage) => process.send!(message)

standBehindService()
const [{ Database, Unavailable }, { runImports }] = await Promise.all([
  import('../db/database.ts'),
  import('./imports.ts'),
])

const logAs = (level: 'info' | 'error') => (details: object, message: string) =>
  void send({ is: 'log', level, details, message })
const log = { info: logAs('info'), error: logAs('error') }
let database: InstanceType<typeof Database> | undefined
let isStopped = false

process.on('message', (command: ImportCommand) => {
  if (command.is === 'stop') isStopped = true
  else void run(command)
})

async function run({ connection, maxConcurrent }: Extract<ImportCommand, { is: 'run' }>): Promise<void> {
  database ??= new Database(connection)
  try {
    await runImports(database, {
      isStopped: () => isStopped,
      log,
      ...(maxConcurrent && { maxConcurrent }),
      onStep: (step, is) => void send({ is, step }),
    })
    send({ is: 'done' })
  } catch (error) {
    send({ is: 'failed', isAway: error instanceof Unavailable, cause: serializeError(error) })
  }
}
