// Webhooks: addresses that events are posted to, made, changed, tested, and made to hear again what they missed.
import { sql } from '../../db/database.ts'
import { read } from '../../operations/crud.ts'
import { deletionMessage, operation, resource } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { paging } from '../../operations/table.ts'
import { createWebhook, makerEnded, rotateSecret, updateWebhook, webhookLimit } from './actions.ts'
import {
  deliveries,
  deliveryStatus,
  overlapHours,
  rotatedSecret,
  webhookEntity,
  webhooks,
  webhookWithSecret,
} from './record.ts'
import { replay, replayBody, replayCount, retryDelivery, testWebhook } from './replay.ts'

export default resource({ entity: webhookEntity, tables: [webhooks, deliveries] }, [
  operation('GET /webhooks', {
    name: 'listWebhooks',
    summary: 'List all webhooks, oldest first',
    returns: webhooks.list,
    run: (_, ctx) => webhooks.all(ctx),
  }),

  operation('POST /webhooks', {
    name: 'createWebhook',
    summary: 'Create a webhook; the answer holds its secret, and no other does',
    mcp: { isOpenWorld: true },
    body: webhooks.createBody,
    status: 201,
    returns: webhookWithSecret,
    conflicts: [webhookLimit],
    transaction: true,
    run: ({ body }, ctx) => createWebhook(ctx, body),
  }),

  read('/webhooks/:webhookId', webhooks),

  operation('PUT /webhooks/:webhookId', {
    name: 'updateWebhook',
    summary: 'Change, pause or resume a webhook',
    mcp: { isOpenWorld: true },
    body: webhooks.updateBody,
    returns: webhooks.record,
    conflicts: [makerEnded],
    transaction: true,
    run: async ({ params: { webhookId }, body }, ctx) => (await updateWebhook(ctx, webhookId, body)).json,
  }),

  operation('DELETE /webhooks/:webhookId', {
    name: 'deleteWebhook',
    summary: 'Delete a webhook with its deliveries',
    returns: deletionMessage,
    run: ({ params: { webhookId } }, ctx) => webhooks.remove(ctx, webhookId),
  }),

  operation('POST /webhooks/:webhookId/rotate-secret', {
    name: 'rotateWebhookSecret',
    summary: 'Give a webhook a new secret; the one before signs beside it for a while',
    body: t.Object({ overlapHours: t.Optional(overlapHours) }, { title: 'WebhookRotation' }),
    returns: rotatedSecret,
    transaction: true,
    async run({ params: { webhookId }, body }, ctx) {
      const { id, secret } = await rotateSecret(ctx, webhookId, body.overlapHours ?? 24)
      return { id, secret }
    },
  }),

  operation('POST /webhooks/:webhookId/test', {
    name: 'testWebhook',
    summary: 'Send a webhook an event of type webhook.test',
    mcp: { isOpenWorld: true },
    status: 201,
    returns: deliveries.record,
    transaction: true,
    run: ({ params: { webhookId } }, ctx) => testWebhook(ctx, webhookId),
  }),

  operation('POST /webhooks/:webhookId/replay', {
    name: 'replayWebhook',
    summary: 'Send a webhook past events again: a range of positions, or the deliveries that failed',
    mcp: { isOpenWorld: true },
    body: replayBody,
    returns: replayCount,
    transaction: true,
    async run({ params: { webhookId }, body }, ctx) {
      return { count: await replay(ctx, webhookId, body) }
    },
  }),

  operation('GET /webhooks/:webhookId/deliveries', {
    name: 'listWebhookDeliveries',
    summary: 'List the deliveries of a webhook, newest first',
    query: t.Object({ ...paging, status: t.Optional(deliveryStatus) }),
    returns: deliveries.list,
    run: ({ params: { webhookId }, query: { status, ...page } }, ctx) =>
      deliveries.page(ctx, page, {
        parentId: webhookId,
        where: status && sql`webhook_deliveries.status = ${status}`,
      }),
  }),

  read('/webhooks/:webhookId/deliveries/:deliveryId', deliveries),

  operation('POST /webhooks/:webhookId/deliveries/:deliveryId/retry', {
    name: 'retryWebhookDelivery',
    summary: 'Try a delivery again at once',
    mcp: { isOpenWorld: true },
    returns: deliveries.record,
    transaction: true,
    run: ({ params: { webhookId, deliveryId } }, ctx) => retryDelivery(ctx, webhookId, deliveryId),
  }),
])
