// What can be done to a webhook, by a caller of the API, in the portal or on the command line.
import type { Static } from 'typebox'
import { sql } from '../../db/database.ts'
import type { Json } from '../../operations/answers.ts'
import { badRequest, conflictCode, insufficientScope, notFound } from '../../operations/errors.ts'
import { newId } from '../../operations/ids.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import type { RowOf } from '../../operations/record-schemas.ts'
import type { Scope } from '../../operations/scopes.ts'
import { loadMakerRights, type MakerKind, type MakerRights } from '../../webhooks/makers.ts'
import { lockQueue } from '../../webhooks/queue.ts'
import { newWebhookSecret } from '../../webhooks/signature.ts'
import { makerOf } from './maker.ts'
import { queryableOf } from './queryable.ts'
import { maxWebhooks, webhooks } from './record.ts'

export type Webhook = RowOf<typeof webhooks>
export type NewWebhook = Static<typeof webhooks.createBody>
export type WebhookChange = Partial<Static<typeof webhooks.updateBody>>

export const webhookLimit = conflictCode(
  'WEBHOOK_LIMIT',
  `An organisation can have at most ${maxWebhooks} webhooks; delete one first.`,
)
export const makerEnded = conflictCode(
  'WEBHOOK_MAKER_ENDED',
  'The key or the app that made the webhook has ended, and the webhook with it; make a new one.',
)

export const findWebhook = async (ctx: Context, id: string): Promise<Webhook> =>
  (await ctx.query(webhooks.withRow(ctx, webhooks.find(ctx, id)))).row

export async function createWebhook(ctx: Context, body: NewWebhook): Promise<Webhook & { readonly secret: string }> {
  refuseWrongValues(ctx, body)
  const secret = newWebhookSecret()
  const id = newId(webhooks.prefix)
  // Whoever made one meanwhile has taken the place: there are as many rounds as others who make one.
  for (let isMade = false; !isMade; ) {
    const slot = await ctx.query(selectFreeSlot(ctx))
    if (slot === undefined) throw webhookLimit()
    isMade = await ctx.query(insertWebhook(ctx, { id, slot, body, secret }))
  }
  await ctx.query(
    statement(sql`insert into webhook_queues (org_id, webhook_id) values (${ctx.orgId}, ${id})`, () => {}),
  )
  return { ...(await findWebhook(ctx, id)), secret }
}

function refuseWrongValues({ webhookRules }: Context, { url, types = [] }: WebhookChange): void {
  const urlProblem = url === undefined ? undefined : webhookRules.urlProblem(url)
  if (urlProblem) throw badRequest(`url ${urlProblem}`)
  for (const [index, type] of types.entries()) {
    const problem = webhookRules.typeProblem(type)
    if (problem) throw badRequest(`types[${index}] ${problem}`)
  }
}

const selectFreeSlot = ({ orgId }: Context): Statement<number | undefined> =>
  statement(sql`select slot from webhooks where org_id = ${orgId}`, (rows: { slot: number }[]) => {
    const taken = new Set(rows.map(({ slot }) => slot))
    return Array.from({ length: maxWebhooks }, (_, index) => index + 1).find((slot) => !taken.has(slot))
  })

/** Waits for somebody who takes the same place at this moment, and tells whether it was free. */
function insertWebhook(
  { orgId, caller, vault }: Context,
  { id, slot, body, secret }: { id: string; slot: number; body: NewWebhook; secret: string },
): Statement<boolean> {
  const maker = makerOf(caller)
  const { url, types, description = null, isPaused = false } = body
  return statement(
    sql`insert into webhooks (org_id, id, slot, url, types, description, is_paused, paused_reason, maker_kind, maker_id,
          maker_name, sealed_secret)
        values (${orgId}, ${id}, ${slot}, ${url}, ${JSON.stringify(types)}::jsonb, ${description}, ${isPaused},
          ${isPaused ? 'manual' : null}, ${maker.kind}, ${maker.id}, ${maker.name}, ${vault.encrypt(secret)})
        on conflict (org_id, slot) do nothing returning id`,
    (rows) => rows.length > 0,
  )
}

/** The maker stays whoever changes it. */
export async function updateWebhook(
  ctx: Context,
  id: string,
  change: WebhookChange,
): Promise<{ json: Json; row: Webhook }> {
  refuseWrongValues(ctx, change)
  const before = await ctx.query(lockWebhook(ctx, id))
  const isResumed = before.isPaused && change.isPaused === false
  const isMoved = change.url !== undefined && change.url !== before.url
  if (isResumed || isMoved) {
    const rights = await findMakerRights(ctx, before)
    if (isResumed && rights.state === 'ended') throw makerEnded()
    if (isMoved) refuseListening(ctx, rights)
  }
  const changed = await ctx.query(
    webhooks.withRow(
      ctx,
      webhooks.update(ctx, id, change, {
        columns: {
          ...(change.isPaused === true && !before.isPaused && { paused_reason: 'manual' }),
          ...(change.isPaused === false && { paused_reason: null }),
          // Another address, or the same one given another chance, has not failed yet.
          ...((isResumed || isMoved) && { failing_since: null }),
        },
      }),
    ),
  )
  if (isResumed) await resumeQueue(ctx, id)
  return changed
}

interface LockedWebhook {
  readonly url: string
  readonly isPaused: boolean
  readonly kind: MakerKind
  readonly makerId: string | null
}

const lockWebhook = ({ orgId }: Context, id: string): Statement<LockedWebhook> =>
  statement(
    sql`select url, is_paused as "isPaused", maker_kind as kind, maker_id as "makerId" from webhooks
        where org_id = ${orgId} and id = ${id} for update`,
    ([row]: LockedWebhook[]) => {
      if (!row) throw notFound(webhooks.noun)
      return row
    },
  )

async function findMakerRights(ctx: Context, { kind, makerId }: LockedWebhook): Promise<MakerRights> {
  const maker = { kind, id: makerId }
  return (await loadMakerRights(queryableOf(ctx), ctx.orgId, [maker]))(maker)
}

/** Whoever says where a webhook leads hears what it tells: a key or an app has to be allowed to read that. */
function refuseListening({ caller, webhookRules }: Context, { mayRead }: MakerRights): void {
  if (caller.kind !== 'key' && caller.kind !== 'app') return
  const told = webhookRules.toldEntities.filter(mayRead).map((name): Scope => `${name}:read`)
  const missing = told.filter((scope) => !caller.scopes.has(scope))
  if (missing.length > 0) throw insufficientScope(['webhooks:write', ...missing])
}

/** What waited when it was paused goes on. */
async function resumeQueue(ctx: Context, id: string): Promise<void> {
  await lockQueue(queryableOf(ctx), ctx.orgId, id)
  await ctx.query(
    statement(
      sql`update webhook_queues set due_at = (select min(next_attempt_at) from webhook_deliveries
            where org_id = ${ctx.orgId} and webhook_id = ${id} and status = 'waiting')
          where org_id = ${ctx.orgId} and webhook_id = ${id}`,
      () => {},
    ),
  )
}

/** Both secrets sign until the overlap is over; one from an earlier rotation does no longer. */
export async function rotateSecret(
  ctx: Context,
  id: string,
  overlapHours: number,
): Promise<{ readonly id: string; readonly secret: string; readonly url: string }> {
  const secret = newWebhookSecret()
  const { orgId, vault } = ctx
  const url = await ctx.query(
    statement(
      sql`update webhooks set sealed_previous_secret = sealed_secret, sealed_secret = ${vault.encrypt(secret)},
            previous_secret_until = now() + make_interval(hours => ${overlapHours}::int), updated_at = now()
          where org_id = ${orgId} and id = ${id} returning url`,
      ([row]: { url: string }[]) => {
        if (!row) throw notFound(webhooks.noun)
        return row.url
      },
    ),
  )
  return { id, secret, url }
}

export const deleteWebhook = async (ctx: Context, id: string): Promise<Webhook> => {
  const webhook = await findWebhook(ctx, id)
  await ctx.query(webhooks.remove(ctx, id))
  return webhook
}
