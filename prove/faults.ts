// What becomes of requests when a part of the service breaks, and how soon they are served again when it is back.
import { clockJumps } from './faults/clock.ts'
import { diskFull } from './faults/disk.ts'
import { unforeseen } from './faults/error.ts'
import { mailTroubles } from './faults/mail.ts'
import * as postgres from './faults/postgres.ts'
import * as redis from './faults/redis.ts'
import type { Fault } from './faults/scene.ts'
import { stopped } from './faults/stopping.ts'
import { Fleet } from './fleet.ts'
import type { Figure, Trial } from './trial.ts'

/** In the order of the page. The short form leaves out what takes long or needs more than this machine may have. */
const faults: readonly { readonly name: string; readonly fault: Fault; readonly isShort?: true }[] = [
  { name: 'PostgreSQL absent at boot', fault: postgres.absentAtBoot },
  { name: 'PostgreSQL killed', fault: postgres.killed, isShort: true },
  { name: 'PostgreSQL frozen', fault: postgres.frozen, isShort: true },
  { name: 'Redis frozen', fault: redis.frozen, isShort: true },
  { name: 'Redis killed', fault: redis.killed, isShort: true },
  { name: 'Redis emptied', fault: redis.emptied },
  { name: 'network to Redis dead', fault: redis.deadNetwork },
  { name: 'disk full', fault: diskFull },
  { name: 'SIGTERM under load', fault: stopped, isShort: true },
  { name: 'mail server in trouble', fault: mailTroubles },
  { name: 'unhandled error', fault: unforeseen },
  { name: 'wall clock jumps', fault: clockJumps },
]

export const faulty: Trial = {
  name: 'faults',
  title: 'Parts that fail',
  how:
    'While callers read, write one record, write in a transaction and ask for readiness ten times a second each, one part ' +
    'after the other was really broken and mended again: processes killed, stopped with SIGSTOP or asked to end, a disk ' +
    'filled to its last byte, a relay that passes nothing on, a column renamed, the clock moved by libfaketime. Pauses of ' +
    'the outbox are passed over by setting its mail due.',
  needs: ['redis-server', 'ps'],
  async run(size, say) {
    await using fleet = await Fleet.start()
    const scene = { fleet, shop: await fleet.shop(), size }
    const figures: Figure[] = []
    for (const { name, fault, isShort } of faults) {
      if (size === 'short' && !isShort) continue
      say(name)
      figures.push(...(await fault(scene)))
    }
    return figures
  },
}
