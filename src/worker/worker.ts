// What happens later, in the background of every process that has the worker's role; several do not get in each other's
// way, because whatever is due is held in the database by the one that does it.
import type { Surroundings } from '../api/operation.ts'
import { told } from '../api/rest.ts'
import type { Config } from '../config.ts'
import { type Database, Unavailable } from '../database.ts'
import { listen } from '../notices.ts'
import { type Delivered, deliverMail } from './mail.ts'
import { runRecurring } from './recurring.ts'
import { remind } from './reminders.ts'
import { sweep } from './sweep.ts'
import { transportFrom } from './transport.ts'

interface Log {
  info(details: object, message: string): void
  error(details: object, message: string): void
}

/** For operators, since the process started. */
export interface WorkerFigures {
  readonly chores: readonly { readonly name: string; readonly lastDone: number; readonly failures: number }[]
  readonly mail: Readonly<Delivered>
}

const secondMs = 1_000
const hourMs = 3_600_000

export function startWorker(config: Config, database: Database, surroundings: Surroundings, log: Log) {
  const transport = transportFrom(config)
  const stopping = new AbortController()
  const mailing = { ...surroundings, database, transport, mailFrom: config.mailFrom, stopping: stopping.signal }
  const mailed = { sent: 0, failed: 0, waiting: 0 }
  const chores = [
    chore('mail', 15 * secondMs, async () => {
      const { sent, failed, waiting } = await deliverMail(mailing)
      mailed.sent += sent
      mailed.failed += failed
      mailed.waiting += waiting
    }),
    chore('reminders', 30 * secondMs, () =>
      remind(database, surroundings, {
        isStopped: () => stopping.signal.aborted,
        onFailure: (error) => log.error({ err: told(error) }, 'a reminder could not be prepared'),
      }),
    ),
    chore('recurring visits', hourMs, () => runRecurring(database, { log, isStopped: () => stopping.signal.aborted })),
    chore('sweeping', hourMs, () => sweep(database, () => stopping.signal.aborted)),
  ] as const
  const [mail] = chores
  // Mail that was just written goes out at once; what a lost line did not tell is found by the clock.
  const outbox = listen(database, 'outbox', { notice: mail.wake, up: mail.wake, down() {} })
  for (const { wake } of chores) wake()
  return {
    figures: (): WorkerFigures => ({ chores: chores.map(({ figures }) => figures), mail: mailed }),
    async close(): Promise<void> {
      stopping.abort()
      await outbox.close()
      await Promise.all(chores.map(({ close }) => close()))
      transport.close()
    },
  }

  /** Done every so often and when woken, never twice at the same time. What fails is done again next time. */
  function chore(name: string, everyMs: number, work: () => Promise<unknown>) {
    let running: Promise<void> | undefined
    let again = false
    let closed = false
    /** `lastDone` in seconds since 1970; until the first time is over, when it began to be due. */
    const figures = { name, lastDone: Date.now() / 1_000, failures: 0 }
    const wake = (): void => {
      if (closed) return
      if (running) again = true
      else running = run()
    }
    const run = async (): Promise<void> => {
      do {
        again = false
        const done = work().then(() => {
          figures.lastDone = Date.now() / 1_000
        })
        await done.catch((error: unknown) => {
          figures.failures++
          // A database that is away is told of by the requests it fails.
          if (!(error instanceof Unavailable)) log.error({ err: told(error) }, `${name} did not succeed`)
        })
      } while (again && !closed)
      running = undefined
    }
    const timer = setInterval(wake, everyMs).unref()
    return {
      figures,
      wake,
      async close(): Promise<void> {
        closed = true
        clearInterval(timer)
        await running
      },
    }
  }
}
