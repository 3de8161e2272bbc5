// The embedded PostgreSQL of a service: one that ends by itself is started again; meanwhile requests are answered 503.
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './launcher.ts'

const retryMs = 1_000

/** What an operator should hear of. */
type Report = (message: string, error?: unknown) => void

export async function keepEmbeddedPostgres(
  options: Omit<EmbeddedPostgresOptions, 'mode'>,
  report: Report,
): Promise<Pick<EmbeddedPostgres, 'connection' | 'stop'>> {
  let isStopping = false
  let running = await start()

  async function start(): Promise<EmbeddedPostgres> {
    const postgres = await startEmbeddedPostgres({ ...options, mode: 'serve' })
    postgres.exited.then(restart)
    return postgres
  }

  async function restart(): Promise<void> {
    if (isStopping) return
    report('PostgreSQL ended; starting it again')
    try {
      running = await start()
    } catch (error) {
      report('PostgreSQL did not start', error)
      setTimeout(restart, retryMs)
    }
  }

  return {
    connection: running.connection,
    stop() {
      isStopping = true
      return running.stop()
    },
  }
}
