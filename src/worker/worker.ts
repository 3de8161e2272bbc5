// What happens later, in the background of every process that has the worker's role; several do not get in each other's
// way, because whatever is due is locked in the database by the one that does it.
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { listen } from '../db/listen.ts'
import { writesChannel } from '../db/write-notices.ts'
import { hourMs, minuteMs, secondMs } from '../domain/durations.ts'
import { serializeError } from '../http/log-error.ts'
import type { Destinations } from '../http/safe-fetch.ts'
import type { EventCatalogue } from '../operations/event-catalogue.ts'
import type { Dependencies } from '../operations/operation.ts'
import { type BackupMetrics, createBackupTasks } from './backups.ts'
import { runDeletions } from './deletions.ts'
import { type EventCounts, noteDeadlines, numberEvents } from './events.ts'
import { createImportRunner } from './import-runner.ts'
import { hasDueImports } from './imports.ts'
import { deliverMail, type MailCounts } from './mail.ts'
import { createMailTransport } from './mail-transport.ts'
import { runRecurring } from './recurring.ts'
import { sendDueReminders } from './reminders.ts'
import { sweep } from './sweep.ts'
import { createTask, type Log } from './task.ts'
import { keepWebhooks } from './webhook-upkeep.ts'
import { createDeliverer, type DeliveryCounts } from './webhooks.ts'

/** How soon after it began to number events the worker begins again. */
const eventIntervalMs = 150

/** For operators, since the process started. */
export interface WorkerMetrics {
  readonly tasks: readonly { readonly name: string; readonly lastSuccess: number; readonly failures: number }[]
  readonly mail: Readonly<MailCounts>
  readonly webhooks: Readonly<DeliveryCounts>
  readonly events: Readonly<EventCounts>
  readonly backups: Readonly<BackupMetrics>
}

interface WorkerDependencies {
  readonly config: Config
  readonly database: Database
  readonly dependencies: Dependencies
  /** Where events may be posted to. */
  readonly destinations: Destinations
  readonly eventCatalogue: EventCatalogue
  /** By which backups know the key that encrypts secrets. */
  readonly keyMark: string
  readonly log: Log
}

export function startWorker(given: WorkerDependencies) {
  const { config, database, dependencies, destinations, eventCatalogue, keyMark, log } = given
  const transport = createMailTransport(config)
  const stopping = new AbortController()
  const mailDependencies = {
    ...dependencies,
    database,
    transport,
    mailFrom: config.mailFrom,
    stopSignal: stopping.signal,
  }
  const deliverer = createDeliverer({
    database,
    destinations,
    dependencies,
    portalOrigin: config.authUrl,
    log,
  })
  const mailCounts = { sent: 0, failed: 0, waiting: 0 }
  const eventCounts = { numbered: 0, lagSeconds: 0 }
  const isStopped = () => stopping.signal.aborted
  const sequencer = { database, catalogue: eventCatalogue, dependencies }
  const backups = createBackupTasks({ config, database, keyMark, log, signal: stopping.signal })
  const imports = createImportRunner(database, log)
  const webhookTask = createTask(log, 'webhooks', secondMs, deliverer.look)
  const tasks = [
    createTask(log, 'mail', 15 * secondMs, async () => {
      const { sent, failed, waiting } = await deliverMail(mailDependencies)
      mailCounts.sent += sent
      mailCounts.failed += failed
      mailCounts.waiting += waiting
    }),
    createTask(log, 'events', secondMs, async () => {
      const numbering = numberEvents(sequencer, eventCounts, { isStopped, onNumbered: webhookTask.wake })
      // What is written meanwhile is numbered together, at less cost for each.
      await Promise.all([numbering, delay(eventIntervalMs)])
    }),
    webhookTask,
    createTask(log, 'reminders', 30 * secondMs, () =>
      sendDueReminders(database, dependencies, {
        isStopped,
        onFailure: (error) => log.error({ err: serializeError(error) }, 'a reminder could not be prepared'),
      }),
    ),
    createTask(log, 'recurring visits', 5 * secondMs, () => runRecurring(database, { log, isStopped })),
    createTask(log, 'deletions', 5 * secondMs, () => runDeletions(database, { log, isStopped })),
    createTask(log, 'imports', secondMs, async () => {
      if (await hasDueImports(database)) await imports.run()
    }),
    createTask(log, 'deadlines', 15 * secondMs, () => noteDeadlines(database, { isStopped })),
    createTask(log, 'webhook upkeep', minuteMs, () => keepWebhooks(database, { days: config.eventDays, isStopped })),
    createTask(log, 'sweeping', hourMs, () => sweep(database, { isStopped, eventDays: config.eventDays })),
    ...backups.tasks,
  ] as const
  const [mailTask, eventTask] = tasks
  // Mail goes out and events are numbered at once; what a lost connection did not notify is found by the timers.
  const notifications = listen(database, {
    channels: { outbox: mailTask.wake, [writesChannel]: eventTask.wake },
    connected() {
      mailTask.wake()
      eventTask.wake()
    },
    disconnected() {},
  })
  for (const { wake } of tasks) wake()
  return {
    metrics: (): WorkerMetrics => ({
      tasks: tasks.map(({ metrics }) => metrics),
      mail: mailCounts,
      events: eventCounts,
      webhooks: deliverer.counts,
      backups: backups.metrics,
    }),
    async close(): Promise<void> {
      stopping.abort()
      imports.stop()
      await notifications.close()
      await Promise.all([deliverer.close(), ...tasks.map(({ close }) => close())])
      await imports.close()
      transport.close()
    },
  }
}
