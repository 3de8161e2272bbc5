// Webhooks in the portal: made, changed, paused, tested, rotated, replayed and deleted by an admin, with their deliveries.
import { type Queryable, sql } from '../db/database.ts'
import { type AuditAction, auditEntry } from '../identity/audit.ts'
import { ApiError, notFound } from '../operations/errors.ts'
import { createBodyParser } from '../operations/input.ts'
import type { Context } from '../operations/operation.ts'
import {
  createWebhook,
  deleteWebhook,
  findWebhook,
  type NewWebhook,
  rotateSecret,
  updateWebhook,
  type Webhook,
  type WebhookChange,
} from '../resources/webhooks/actions.ts'
import { deliveries, webhooks } from '../resources/webhooks/record.ts'
import { type Replay, replay, replayBody, retryDelivery, testWebhook } from '../resources/webhooks/replay.ts'
import { attempt, createPortalContext, type PortalRequest, type Router } from './router.ts'
import { type Delivery, type DeliveryList, deliveryPage } from './webhook-deliveries-view.ts'
import {
  deleteWebhookPage,
  newWebhookPage,
  overlaps,
  webhookListPage,
  webhookPage,
  webhookSecretPage,
} from './webhooks-view.ts'

const parseNew = createBodyParser(webhooks.createBody)
const parseChange = createBodyParser(webhooks.updateBody)
const parseReplay = createBodyParser(replayBody)
const pageSize = 25

export function addWebhookRoutes(router: Router): void {
  const { database } = router
  const readingContext = (request: PortalRequest) => createPortalContext(router, database, request)
  const find = (request: PortalRequest) => findWebhook(readingContext(request), request.params.id!)
  const findDeliveries = async (request: PortalRequest): Promise<DeliveryList> => {
    const ctx = readingContext(request)
    const page = { limit: pageSize, startAfter: request.query.before }
    const { text } = await ctx.query(deliveries.page(ctx, page, { parentId: request.params.id }))
    return JSON.parse(text)
  }
  const showWebhook = async (request: PortalRequest, wrong?: string) =>
    request.render(webhookPage(request, await find(request), await findDeliveries(request), wrong))

  /** With its line in the audit log, and a refusal as a sentence. */
  const change = <T>(
    request: PortalRequest,
    action: AuditAction,
    work: (ctx: Context) => Promise<T>,
    toEntry: (result: T) => { subject: { id: string; url: string }; more?: Record<string, unknown> },
  ) =>
    attempt(() =>
      request.runAudited(
        (transaction: Queryable) => readably(() => work(createPortalContext(router, transaction, request))),
        (result) => {
          const { subject, more } = toEntry(result)
          return auditEntry(action, { id: subject.id, name: subject.url }, more)
        },
      ),
    )

  router.get('/webhooks', async (request) => {
    const ctx = readingContext(request)
    const { text } = await ctx.query(webhooks.all(ctx))
    return request.render(webhookListPage(request, (JSON.parse(text) as { webhooks: Webhook[] }).webhooks))
  })
  router.get('/webhooks/new', async (request) => request.render(newWebhookPage(request)))
  router.post('/webhooks', async (request) => {
    const made = await change(
      request,
      'webhook.created',
      (ctx) => createWebhook(ctx, parseNew(formValues(request.form)).value as NewWebhook),
      (webhook) => ({ subject: webhook, more: { types: webhook.types } }),
    )
    return request.render(
      'wrong' in made ? newWebhookPage(request, { wrong: made.wrong }) : webhookSecretPage(request, made.result),
    )
  })

  router.get('/webhooks/:id', (request) => showWebhook(request))
  router.get('/webhooks/:id/change', async (request) =>
    request.render(newWebhookPage(request, { webhook: await find(request) })),
  )
  router.post('/webhooks/:id/change', async (request) => {
    const webhook = await find(request)
    const changed = await change(
      request,
      'webhook.changed',
      (ctx) => updateWebhook(ctx, webhook.id, parseChange(formValues(request.form)).value as WebhookChange),
      ({ row: after }) => ({ subject: after, more: { types: after.types } }),
    )
    if ('wrong' in changed) return request.render(newWebhookPage(request, { webhook, wrong: changed.wrong }))
    return request.redirect(`/webhooks/${webhook.id}`, 'saved')
  })

  for (const [path, isPaused, action, done] of [
    ['pause', true, 'webhook.paused', 'webhook-paused'],
    ['resume', false, 'webhook.resumed', 'webhook-resumed'],
  ] as const) {
    router.post(`/webhooks/:id/${path}`, async (request) => {
      const { id } = await find(request)
      const changed = await change(
        request,
        action,
        (ctx) => updateWebhook(ctx, id, { isPaused }),
        ({ row }) => ({ subject: row }),
      )
      return 'wrong' in changed ? showWebhook(request, changed.wrong) : request.redirect(`/webhooks/${id}`, done)
    })
  }

  router.post('/webhooks/:id/rotate', async (request) => {
    const { id } = await find(request)
    const overlapHours = overlaps.find(({ hours }) => String(hours) === request.form.get('overlap'))?.hours ?? 0
    const rotated = await change(
      request,
      'webhook.rotated',
      (ctx) => rotateSecret(ctx, id, overlapHours),
      (webhook) => ({ subject: webhook, more: { overlapHours } }),
    )
    if ('wrong' in rotated) return showWebhook(request, rotated.wrong)
    return request.render(webhookSecretPage(request, rotated.result, overlapHours))
  })

  router.post('/webhooks/:id/test', async (request) => {
    const webhook = await find(request)
    const tested = await change(
      request,
      'webhook.tested',
      (ctx) => testWebhook(ctx, webhook.id),
      () => ({ subject: webhook }),
    )
    return 'wrong' in tested
      ? showWebhook(request, tested.wrong)
      : request.redirect(`/webhooks/${webhook.id}`, 'webhook-tested')
  })

  router.post('/webhooks/:id/replay', async (request) => {
    const webhook = await find(request)
    const replayed = await change(
      request,
      'webhook.replayed',
      (ctx) => replay(ctx, webhook.id, parseReplay(replayValues(request.form)).value as Replay),
      (count) => ({ subject: webhook, more: { deliveries: count } }),
    )
    return 'wrong' in replayed
      ? showWebhook(request, replayed.wrong)
      : request.redirect(`/webhooks/${webhook.id}`, 'webhook-replayed')
  })

  router.get('/webhooks/:id/delete', async (request) => request.render(deleteWebhookPage(request, await find(request))))
  router.post('/webhooks/:id/delete', async (request) => {
    const { id } = await find(request)
    const deleted = await change(
      request,
      'webhook.deleted',
      (ctx) => deleteWebhook(ctx, id),
      (webhook) => ({ subject: webhook }),
    )
    return 'wrong' in deleted ? showWebhook(request, deleted.wrong) : request.redirect('/webhooks', 'webhook-deleted')
  })

  router.get('/webhooks/:id/deliveries/:delivery', async (request) => {
    const [webhook, delivery] = [await find(request), await findDelivery(database, request)]
    return request.render(deliveryPage(request, webhook, delivery))
  })
  router.post('/webhooks/:id/deliveries/:delivery/retry', async (request) => {
    const webhook = await find(request)
    const deliveryId = request.params.delivery!
    const path = `/webhooks/${webhook.id}/deliveries/${deliveryId}`
    const retried = await change(
      request,
      'webhook.retried',
      (ctx) => retryDelivery(ctx, webhook.id, deliveryId),
      () => ({ subject: webhook }),
    )
    return 'wrong' in retried ? showWebhook(request, retried.wrong) : request.redirect(path, 'webhook-retried')
  })
}

/** A conflict is said where it was caused, like any other refusal. */
async function readably<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error
    throw new ApiError(400, error.message.replace(/\.$/, ''))
  }
}

function formValues(form: URLSearchParams) {
  const types = form.get('what') === 'chosen' ? form.getAll('type') : ['*']
  if (types.length === 0) throw new ApiError(400, 'Tick at least one thing that it is told of')
  return { url: form.get('url') ?? '', types, description: form.get('description') ?? '' }
}

function replayValues(form: URLSearchParams) {
  if (form.get('which') === 'failed') return { failedOnly: true }
  const position = (name: string) => Number(form.get(name) || Number.NaN)
  return { from: position('from'), to: position('to') }
}

/** With the event as it is sent. */
async function findDelivery(database: Queryable, { orgId, params }: PortalRequest): Promise<Delivery> {
  const [row] = await database.query<Delivery>(sql`
    select delivery.id, event_type as "eventType", event_id as "eventId", status, attempts, next_attempt_at as "nextAttemptAt",
      delivery.created_at as "createdAt", coalesce(events.body, test_event) as body
    from webhook_deliveries delivery
    left join events on events.org_id = delivery.org_id and events.id = delivery.event_id
    where delivery.org_id = ${orgId} and delivery.webhook_id = ${params.id} and delivery.id = ${params.delivery}`)
  if (!row) throw notFound(deliveries.noun)
  return row
}
