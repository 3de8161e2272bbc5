// A webhook whose receiver does not exist, so that its log shows what failure looks like.
import { type Queryable, sql } from '../../db/database.ts'
import { hourMs, minuteMs, secondMs } from '../../domain/durations.ts'
import { waitsMs } from '../../domain/webhook-attempts.ts'
import type { ServiceEvent } from '../../events/event.ts'
import type { Vault } from '../../identity/secrets.ts'
import { newId } from '../../operations/ids.ts'
import { newWebhookSecret } from '../../webhooks/signature.ts'
import { baseColumns, insertRows } from './rows.ts'

interface Maker {
  readonly id: string
  readonly name: string
}

const url = 'https://hooks.harbour-repairs.example/jobwright'
const error = 'The address has a name that does not resolve'

/** Tests that somebody sent: the first was given up, the others are still being tried. */
const tests = [
  { sentMs: 78 * hourMs, attempts: 10 },
  { sentMs: 135 * minuteMs, attempts: 4 },
  { sentMs: 2 * minuteMs, attempts: 2 },
]

export async function addFailingWebhook(
  transaction: Queryable,
  vault: Pick<Vault, 'encrypt'>,
  orgId: string,
  maker: Maker,
  now: Date,
): Promise<void> {
  const webhookId = newId('whk')
  const types = ['ticket.status_changed', 'invoice.paid']
  const description = 'Tells the web shop how a repair is getting on'
  const [first] = tests
  await transaction.query(sql`
    insert into webhooks (org_id, id, slot, url, types, description, maker_kind, maker_id, maker_name, sealed_secret,
      failing_since, created_at, updated_at)
    values (${orgId}, ${webhookId}, 1, ${url}, ${JSON.stringify(types)}::jsonb, ${description}, 'member', ${maker.id},
      ${maker.name}, ${vault.encrypt(newWebhookSecret())}, ${new Date(now.getTime() - first!.sentMs)},
      ${new Date(now.getTime() - 2 * first!.sentMs)}, ${new Date(now.getTime() - 2 * first!.sentMs)})`)
  const deliveries = tests.map(({ sentMs, attempts: count }) => {
    const sentAt = now.getTime() - sentMs
    const event: ServiceEvent = {
      id: newId('chg'),
      position: null,
      type: 'webhook.test',
      at: new Date(sentAt).toISOString(),
      actor: { kind: 'member', ...maker },
      resource: 'webhooks',
      recordId: webhookId,
      parentId: null,
      changed: [],
      previous: null,
      data: { id: webhookId, url, types, description },
      omitted: [],
    }
    const times = attemptTimes(sentAt, count)
    const isOver = count > waitsMs.length
    return {
      ...baseColumns(orgId, newId('dlv'), sentAt, times.at(-1)),
      webhook_id: webhookId,
      event_id: event.id,
      event_type: event.type,
      position: null,
      test_event: JSON.stringify(event),
      record_key: event.id,
      status: isOver ? 'failed' : 'waiting',
      tries: count,
      is_placed: true,
      attempts: times.map((at, index) => ({
        at: new Date(at).toISOString(),
        statusCode: null,
        durationMs: 12 + ((index * 7) % 20),
        response: null,
        error,
      })),
      next_attempt_at: isOver ? null : new Date(times.at(-1)! + waitsMs[count - 1]!),
    }
  })
  await insertRows(transaction, 'webhook_deliveries', deliveries)
  await transaction.query(sql`
    insert into webhook_queues (org_id, webhook_id, due_at)
    select ${orgId}, ${webhookId}, min(next_attempt_at) from webhook_deliveries
    where org_id = ${orgId} and webhook_id = ${webhookId}`)
}

/** Each after the wait that follows the one before it. */
function attemptTimes(sentAt: number, count: number): number[] {
  let at = sentAt + secondMs
  return Array.from({ length: count }, (_, index) => {
    if (index > 0) at += waitsMs[index - 1]!
    return at
  })
}
