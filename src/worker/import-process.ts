// The process in which imports are judged, written and undone: it goes on with all that are due, and says when none is left.
import type { ConnectionOptions } from '../db/database.ts'
import { serializeError } from '../http/log-error.ts'
import { standBehindService } from '../processes/side-process.ts'

export type ImportCommand = { readonly is: 'run'; readonly connection: ConnectionOptions } | { readonly is: 'stop' }

export type ImportMessage =
  | { readonly is: 'done' }
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
  else void run(command.connection)
})

async function run(connection: ConnectionOptions): Promise<void> {
  database ??= new Database(connection)
  try {
    await runImports(database, { isStopped: () => isStopped, log })
    send({ is: 'done' })
  } catch (error) {
    send({ is: 'failed', isAway: error instanceof Unavailable, cause: serializeError(error) })
  }
}
