// What a hundred thousand deliveries that wait for one receiver cost everybody else.
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, sql } from '../../src/db/database.ts'
import type { Fleet, Shop } from '../fleet.ts'
import { createVictim, p99, type Victim } from '../neighbours/victim.ts'
import { atMost, info, none, type Result } from '../trial.ts'
import { waitUntil } from '../wait-until.ts'
import { receiveWebhook } from './webhook-reader.ts'

const waiting = 100_000
const seconds = 45
const intervalMs = 15
/** How much longer the slowest hundredth of reads may take beside them. */
const maxSlowdown = 1.2

/** Beside a receiver that refuses everything, and then beside the same one catching up. */
export async function measureBesideWaiting(fleet: Fleet): Promise<readonly Result[]> {
  const { origin } = await fleet.startInstance()
  const shop = await fleet.createShop()
  using victim = await createVictim(fleet, origin)
  await run(victim, 3) // the first requests fill caches
  const alone = await run(victim, seconds)
  await using receiver = await receiveWebhook(origin, shop)
  receiver.refuse(true)
  await queue(fleet.database, shop)
  const beside = await run(victim, seconds)
  receiver.refuse(false)
  const catchingUp = await run(victim, seconds)
  await waitUntil(() => receiver.told.length > 0, 'the receiver', 60_000)
  const ratio = p99(beside.latencies).reads / p99(alone.latencies).reads
  const describe = ({ latencies }: typeof alone) => `${p99(latencies).reads.toFixed(1)} ms`
  return [
    none(
      `answers 5xx beside ${waiting.toLocaleString('en-GB')} deliveries that wait`,
      beside.serverErrors + catchingUp.serverErrors,
    ),
    {
      ...atMost('p99 of reads beside them, times alone', maxSlowdown, ratio),
      measured: `${ratio.toFixed(2)} (${describe(alone)} alone, ${describe(beside)})`,
      isTimed: true,
    },
    info(
      'p99 of reads while the receiver catches up',
      `${describe(catchingUp)}, ${receiver.told.length.toLocaleString('en-GB')} told in ${seconds} s`,
    ),
  ]
}

async function run(victim: Victim, length: number) {
  const running = victim.start(intervalMs)
  await delay(length * 1_000)
  return running.stop()
}

/** As if as many customers had changed while nobody answered. */
async function queue(database: Database, { orgId }: Shop): Promise<void> {
  await database.longTransaction('read write', async (transaction) => {
    await transaction.query(sql`
      insert into event_counters (org_id, position) values (${orgId}, ${waiting})
      on conflict (org_id) do update set position = event_counters.position + ${waiting}`)
    await transaction.query(sql`
      insert into events (org_id, position, id, at, type, resource, record_id, entity, body)
      select ${orgId}, counter.position - n, 'chg_waiting' || n, now(), 'customer.updated', 'customers', 'cus_waiting' || n,
        'customers', '{"id":"chg_waiting' || n || '","type":"customer.updated","at":"2026-01-01T00:00:00Z"}'
      from generate_series(0, ${waiting}::int - 1) n, event_counters counter where counter.org_id = ${orgId}`)
    await transaction.query(sql`
      insert into webhook_deliveries (org_id, id, webhook_id, event_id, event_type, position, record_key, is_placed, next_attempt_at)
      select event.org_id, 'dlv_' || event.id, webhook.id, event.id, event.type, event.position, event.record_id, true, now()
      from events event join webhooks webhook on webhook.org_id = ${orgId}
      where event.org_id = ${orgId} and event.id like 'chg_waiting%'`)
    await transaction.query(sql`update webhook_queues set due_at = now() where org_id = ${orgId}`)
  })
  // Those that came one by one would have been written and looked over by PostgreSQL long ago: that is not what is measured.
  const client = await database.connect()
  await client.query('vacuum (analyze) events, webhook_deliveries')
  await client.query('checkpoint')
  await client.end()
}
