// The PostgreSQL servers that an address names: the primary, and replicas of which one may take its place.
import type pg from 'pg'
import { serverAddresses } from '../config/database-url.ts'
import {
  type ClientOptions,
  type ConnectionOptions,
  connectTimeoutMs,
  openConnection,
  ReadOnlyServer,
  serverName,
  translateError,
  Unavailable,
} from './connection.ts'

/** What a look at one of them finds. */
export interface ServerState {
  /** Host and port, without a password. */
  readonly name: string
  readonly state: 'writable' | 'read-only' | 'away'
  /** Why it cannot be written to. */
  readonly reason?: string
}

export class Servers {
  /** As they were named, for another process. */
  readonly options: ConnectionOptions
  readonly #all: readonly ConnectionOptions[]
  /** Where the last connection was opened: after a takeover, the others follow there at once. */
  #current = 0

  constructor(options: ConnectionOptions) {
    this.options = options
    this.#all =
      'connectionString' in options
        ? serverAddresses(options.connectionString).map((connectionString) => ({ connectionString }))
        : [options]
  }

  /** A connection to the one that can be written to: each is tried once, beginning with the one that was found last. */
  async connect(extra: ClientOptions = {}): Promise<pg.Client> {
    const failures: { readonly name: string; readonly error: unknown }[] = []
    const first = this.#current
    for (let step = 0; step < this.#all.length; step++) {
      const index = (first + step) % this.#all.length
      try {
        const client = await this.#open(index, extra)
        this.#current = index
        return client
      } catch (error) {
        failures.push({ name: serverName(this.#all[index]!), error: translateError(error) })
      }
    }
    if (failures.length === 1) throw failures[0]!.error
    // A replica may refuse us for a reason of its own: as long as one is only away, waiting can help.
    if (!failures.some(({ error }) => error instanceof Unavailable)) throw failures[0]!.error
    throw new Unavailable(new Error(failures.map(({ name, error }) => `${name}: ${reasonOf(error)}`).join('; ')))
  }

  /** Looks at each, whether it could be written to or not. */
  look(): Promise<readonly ServerState[]> {
    return Promise.all(
      this.#all.map(async (options, index): Promise<ServerState> => {
        const name = serverName(options)
        try {
          await (await this.#open(index)).end()
          return { name, state: 'writable' }
        } catch (error) {
          return { name, state: error instanceof ReadOnlyServer ? 'read-only' : 'away', reason: reasonOf(error) }
        }
      }),
    )
  }

  /** Together they may take as long as one alone: whoever waits for an answer waits no longer because there are several. */
  #open(index: number, extra: ClientOptions = {}): Promise<pg.Client> {
    const connectionTimeoutMillis = connectTimeoutMs / this.#all.length
    return openConnection(this.#all[index]!, { connectionTimeoutMillis, ...extra })
  }
}

/** The innermost: those around it say only that it is not available. */
function reasonOf(error: unknown): string {
  let bottom = error as NodeJS.ErrnoException
  while (bottom.cause instanceof Error) bottom = bottom.cause
  return bottom.message || bottom.code || String(bottom)
}
