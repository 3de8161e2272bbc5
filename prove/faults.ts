// What becomes of requests when a part of the service breaks, and how soon they are served again when it is back.
import { clockJumps } from './faults/clock.ts'
import type { Fault } from './faults/context.ts'
import { diskFull } from './faults/disk.ts'
import { gracefulShutdown } from './faults/graceful-shutdown.ts'
import { mailServerFailures } from './faults/mail-server.ts'
import * as postgres from './faults/postgres.ts'
import * as redis from './faults/redis.ts'
import { unhandledError } from './faults/unhandled-error.ts'
import { Fleet } from './fleet.ts'
import type { Result, Trial } from './trial.ts'

/** In the order of the page. The short form leaves out what takes long or needs more than this machine may have. */
const faultCases: readonly { readonly name: string; readonly fault: Fault; readonly isShort?: true }[] = [
  { name: 'PostgreSQL absent at boot', fault: postgres.absentAtBoot },
  { name: 'PostgreSQL killed', fault: postgres.killed, isShort: true },
  { name: 'PostgreSQL frozen', fault: postgres.frozen, isShort: true },
  { name: 'Redis frozen', fault: redis.frozen, isShort: true },
  { name: 'Redis killed', fault: redis.killed, isShort: true },
  { name: 'Redis flushed', fault: redis.flushed },
  { name: 'network to Redis dead', fault: redis.deadNetwork },
  { name: 'disk full', fault: diskFull },
  { name: 'SIGTERM under load', fault: gracefulShutdown, isShort: true },
  { name: 'mail server in trouble', fault: mailServerFailures },
  { name: 'unhandled error', fault: unhandledError },
  { name: 'wall clock jumps', fault: clockJumps },
]

export const faultsTrial: Trial = {
  name: 'faults',
  title: 'Parts that fail',
  how:
    'While callers read, write one record, write in a transaction and check readiness ten times a second each, one part ' +
    'after the other was really broken and repaired: processes killed, stopped with SIGSTOP or sent SIGTERM, a disk ' +
    'filled to its last byte, a relay that passes nothing on, a column renamed, the clock moved by libfaketime. Backoff of ' +
    'the outbox is skipped by setting its mail due.',
  needs: ['redis-server', 'ps'],
  async run(size, log) {
    await using fleet = await Fleet.start()
    const context = { fleet, shop: await fleet.createShop(), size }
    const results: Result[] = []
    for (const { name, fault, isShort } of faultCases) {
      if (size === 'short' && !isShort) continue
      log(name)
      results.push(...(await fault(context)))
    }
    return results
  },
}
