// A webhook and its deliveries as callers see them.
import { typePattern } from '../../domain/event-types.ts'
import { dateTime, id, integer, nullable, oneOf, optional, text } from '../../operations/fields.ts'
import { exampleId } from '../../operations/ids.ts'
import { t } from '../../operations/schemas.ts'
import { entity } from '../../operations/scopes.ts'
import { table } from '../../operations/table.ts'

export const maxWebhooks = 20
const maxTypes = 100

export const webhookEntity = entity('webhooks', {
  title: 'Webhooks',
  description: 'Addresses that events are posted to, signed, and what became of each delivery.',
  scopeObject: 'webhooks and their deliveries',
})

const maker = t.Object({
  kind: oneOf(['key', 'app', 'member', 'operator'], { examples: ['key'] }),
  id: nullable(id({ examples: [exampleId('key')] })),
  name: t.String({ examples: ['Web shop'] }),
})

export const webhooks = table({
  name: 'webhooks',
  noun: 'webhook',
  prefix: 'whk',
  writable: {
    url: text(2_000, {
      examples: ['https://shop.example/hooks/jobwright'],
      description:
        'Where events are posted to: https, without a user name or a password. It is changed by who may read all that the webhook tells.',
    }),
    types: t.Array(t.String({ maxLength: 80, pattern: typePattern }), {
      minItems: 1,
      maxItems: maxTypes,
      default: ['*'],
      examples: [['ticket.*', 'invoice.paid']],
      description: 'Types of events: `ticket.created`, `ticket.*`, or `*` for all.',
    }),
    description: optional(text(500, { examples: ['Keeps the web shop’s stock up to date'] })),
    isPaused: t.Boolean({
      default: false,
      description: 'While it is paused nothing is queued for it; a replay sends what it missed.',
    }),
  },
  readOnly: {
    pausedReason: nullable(
      oneOf(['manual', 'gone', 'failing', 'maker_revoked'], {
        examples: [null],
        description:
          'Why it is paused: by somebody, because the receiver answered 410, after failing for five days, or because the key or app that made it has ended.',
      }),
    ),
    createdBy: maker,
    failingSince: nullable(dateTime({ description: 'Since when no attempt has succeeded, if the last one failed.' })),
    lastDeliveredAt: nullable(dateTime()),
  },
  read: {
    createdBy: `json_build_object('kind', webhooks.maker_kind, 'id', webhooks.maker_id, 'name', webhooks.maker_name)`,
  },
  order: { column: 'created_at', type: 'timestamptz', direction: 'asc' },
  event: 'untold',
})

/** Shown once: when it is made, and when it is rotated. */
const secret = t.String({
  examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
  description: 'What signatures are made with. No other answer holds it.',
})
const webhookId = id({ examples: [exampleId('whk')] })
export const webhookWithSecret = t.Object(
  { ...webhooks.record.properties, id: webhookId, secret },
  { title: 'WebhookWithSecret' },
)
export const rotatedSecret = t.Object({ id: webhookId, secret }, { title: 'RotatedSecret' })

export const overlapHours = integer(0, 72, {
  default: 24,
  examples: [24],
  description: 'For how many hours the secret before it signs as well.',
})

const attempt = t.Object({
  at: dateTime(),
  statusCode: nullable(integer(100, 999, { examples: [503] })),
  durationMs: integer(0, 2_147_483_647, { examples: [84] }),
  response: nullable(t.String({ examples: ['busy'], description: 'The first 1,000 characters of the answer.' })),
  error: nullable(t.String({ examples: [null], description: 'Why there was no answer, or why it does not count.' })),
})

export const deliveryStatus = oneOf(['waiting', 'delivered', 'failed'], { examples: ['delivered'] })

export const deliveries = table({
  name: 'webhook_deliveries',
  listKey: 'deliveries',
  noun: 'delivery',
  typeName: 'WebhookDelivery',
  prefix: 'dlv',
  parent: { table: 'webhooks', column: 'webhook_id', noun: 'webhook' },
  writable: {},
  readOnly: {
    eventId: id({ examples: [exampleId('chg')] }),
    eventType: t.String({ examples: ['ticket.status_changed'] }),
    status: deliveryStatus,
    attempts: t.Array(attempt, { description: 'Oldest first, the last twenty.' }),
    nextAttemptAt: nullable(
      dateTime({ description: 'Null while it waits behind another delivery about the same record.' }),
    ),
  },
  order: { column: 'created_at', type: 'timestamptz', direction: 'desc' },
  event: 'untold',
})
