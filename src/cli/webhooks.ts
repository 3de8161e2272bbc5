// The commands that make, list, test, rotate, replay and delete webhooks, and show what became of their deliveries.
import type { Queryable } from '../db/database.ts'
import { type AuditAction, auditEntry } from '../identity/audit.ts'
import type { Caller } from '../operations/caller.ts'
import { createContext } from '../operations/context.ts'
import { ApiError } from '../operations/errors.ts'
import { id, integer, text } from '../operations/fields.ts'
import type { Context } from '../operations/operation.ts'
import { t } from '../operations/schemas.ts'
import { createWebhook, deleteWebhook, findWebhook, rotateSecret, type Webhook } from '../resources/webhooks/actions.ts'
import { deliveries, overlapHours, webhooks } from '../resources/webhooks/record.ts'
import { replay, testWebhook } from '../resources/webhooks/replay.ts'
import { runAudited } from './audit.ts'
import { command, UsageError } from './command.ts'
import type { CommandContext } from './context.ts'
import { bold, fields, minute, table } from './layout.ts'
import { databaseWithOrganisation, organisationId } from './organisations.ts'

const webhookId = id({ description: 'the id of the webhook' })
const org = { org: organisationId }
const webhook = { webhook: webhookId }

export default [
  command('webhook create', {
    summary: 'Have events posted to an address; the secret that signs them is shown only this once',
    options: {
      ...org,
      url: text(2_000, { description: 'where events are posted to: https, or a network of WEBHOOK_PRIVATE_NETWORKS' }),
      type: t.Array(text(80), {
        default: ['*'],
        description: 'types of events, such as ticket.created, quote.*',
      }),
      description: t.Optional(text(500, { description: 'what it is for' })),
    },
    example: '--org org_01kbx5… --url https://shop.example/hooks --type "invoice.*"',
    run: ({ org, url, type, description = null }, ctx) =>
      act(
        org,
        ctx,
        'webhook.created',
        (context) => createWebhook(context, { url, types: type, description, isPaused: false }),
        (made) => made,
      ),
    render: ({ secret, ...made }) => formatWithSecret(secret, 'The webhook is made.', fields(webhookFields(made))),
  }),

  command('webhook list', {
    summary: 'List the webhooks of an organisation, oldest first',
    options: org,
    async run({ org }, ctx) {
      const context = await readingContext(org, ctx)
      return parseJson<{ webhooks: Webhook[] }>(await context.query(webhooks.all(context)))
    },
    render({ webhooks: found }) {
      if (found.length === 0) return 'The organisation has no webhook yet; make one with jobwright webhook create.'
      return table(
        Object.keys(webhookFields(found[0]!)),
        found.map((one) => Object.values(webhookFields(one))),
      )
    },
  }),

  command('webhook test', {
    summary: 'Send a webhook an event of type webhook.test',
    positionals: webhook,
    options: org,
    example: 'whk_01kbx7… --org org_01kbx5…',
    async run({ org, webhook }, ctx) {
      const { delivery } = await act(
        org,
        ctx,
        'webhook.tested',
        async (context) => ({
          delivery: parseJson<Delivery>(await testWebhook(context, webhook)),
          url: (await findWebhook(context, webhook)).url,
        }),
        ({ url }) => ({ id: webhook, url }),
      )
      return delivery
    },
    render: ({ id }) => `The test ${id} is queued: jobwright webhook deliveries shows what becomes of it.`,
  }),

  command('webhook rotate', {
    summary: 'Give a webhook a new secret, which is shown only this once',
    positionals: webhook,
    options: { ...org, overlapHours },
    example: 'whk_01kbx7… --org org_01kbx5… --overlap-hours 24',
    async run({ org, webhook, overlapHours }, ctx) {
      const { id, secret } = await act(
        org,
        ctx,
        'webhook.rotated',
        (context) => rotateSecret(context, webhook, overlapHours),
        (rotated) => rotated,
        { overlapHours },
      )
      return { id, secret }
    },
    render: ({ id, secret }) => formatWithSecret(secret, 'The webhook has a new secret.', fields({ Id: id })),
  }),

  command('webhook deliveries', {
    summary: 'List the newest 100 deliveries of a webhook',
    positionals: webhook,
    options: org,
    async run({ org, webhook }, ctx) {
      const context = await readingContext(org, ctx)
      const page = await context.query(deliveries.page(context, { limit: 100 }, { parentId: webhook }))
      return { deliveries: parseJson<{ deliveries: Delivery[] }>(page).deliveries }
    },
    render({ deliveries: found }) {
      if (found.length === 0) return 'Nothing was sent yet; jobwright webhook test sends something.'
      return table(
        ['Queued', 'Id', 'Type', 'Status', 'Attempts', 'Last answer', 'Next attempt'],
        found.map(deliveryRow),
      )
    },
  }),

  command('webhook replay', {
    summary: 'Send a webhook past events again: a range of positions, or those that were given up',
    positionals: webhook,
    options: {
      ...org,
      from: t.Optional(integer(1, Number.MAX_SAFE_INTEGER, { description: 'the first position' })),
      to: t.Optional(integer(1, Number.MAX_SAFE_INTEGER, { description: 'the last position' })),
      failed: t.Boolean({ default: false, description: 'the deliveries that were given up, in their place' }),
    },
    example: 'whk_01kbx7… --org org_01kbx5… --from 1 --to 500',
    async run({ org, webhook, from, to, failed }, ctx) {
      if (failed ? from !== undefined || to !== undefined : from === undefined || to === undefined)
        throw new UsageError('--from and --to are required, both, unless --failed is given')
      const { count } = await act(
        org,
        ctx,
        'webhook.replayed',
        async (context) => ({
          count: await replay(context, webhook, { ...(failed ? { failedOnly: true } : { from: from!, to: to! }) }),
          url: (await findWebhook(context, webhook)).url,
        }),
        ({ url }) => ({ id: webhook, url }),
      )
      return { count }
    },
    render: ({ count }) => `${count} ${count === 1 ? 'delivery is' : 'deliveries are'} queued.`,
  }),

  command('webhook delete', {
    summary: 'Delete a webhook with its deliveries',
    positionals: webhook,
    options: org,
    example: 'whk_01kbx7… --org org_01kbx5…',
    async run({ org, webhook }, ctx) {
      const { id, url } = await act(
        org,
        ctx,
        'webhook.deleted',
        (context) => deleteWebhook(context, webhook),
        (deleted) => deleted,
      )
      return { id, url }
    },
    render: ({ url }) => `The webhook to ${url} is deleted.`,
  }),
]

interface Delivery {
  readonly id: string
  readonly eventType: string
  readonly status: string
  readonly attempts: readonly { readonly statusCode: number | null; readonly error: string | null }[]
  readonly nextAttemptAt: string | null
  readonly createdAt: string
}

const parseJson = <T>({ text }: { readonly text: string }): T => JSON.parse(text)

const operatorCaller = (orgId: string): Caller => ({
  orgId,
  kind: 'operator',
  credentialId: 'command-line',
  name: 'command line',
  scopes: new Set(),
})

const contextOn = async (db: Queryable, org: string, ctx: CommandContext): Promise<Context> =>
  createContext(db, operatorCaller(org), await ctx.dependencies())

const readingContext = async (org: string, ctx: CommandContext) =>
  contextOn(await databaseWithOrganisation(org, ctx), org, ctx)

/** With its line in the audit log. A refusal of a value is one of the option that gave it. */
async function act<T>(
  org: string,
  ctx: CommandContext,
  action: AuditAction,
  work: (context: Context) => Promise<T>,
  subjectOf: (result: T) => { readonly id: string; readonly url: string },
  more: Readonly<Record<string, unknown>> = {},
): Promise<T> {
  try {
    return await runAudited(
      org,
      ctx,
      async (transaction) => work(await contextOn(transaction, org, ctx)),
      (result) => {
        const { id, url } = subjectOf(result)
        return auditEntry(action, { id, name: url }, more)
      },
    )
  } catch (error) {
    if (error instanceof ApiError && error.status === 400)
      throw new UsageError(error.message.replace(/^url /, '--url ').replace(/^types\[\d+\] /, '--type '))
    throw error
  }
}

const formatWithSecret = (secret: string, outcome: string, rest: string) =>
  [
    outcome,
    '',
    `  ${bold(secret)}`,
    '',
    'This is the only time the secret is shown; the receiver checks signatures with it.',
    '',
    rest,
  ].join('\n')

const webhookFields = ({ id, url, types, isPaused, pausedReason, failingSince, lastDeliveredAt }: Webhook) => ({
  Id: id,
  Address: url,
  Types: types.join(', '),
  Status: isPaused ? `paused: ${pausedReason}` : failingSince === null ? 'works' : 'fails',
  'Last delivered': minute(lastDeliveredAt === null ? null : new Date(lastDeliveredAt), 'never'),
})

function deliveryRow({ createdAt, id, eventType, status, attempts, nextAttemptAt }: Delivery) {
  const last = attempts.at(-1)
  const answer = last ? [last.statusCode, last.error].filter((part) => part !== null).join(' ') : 'none'
  const next = nextAttemptAt === null ? null : new Date(nextAttemptAt)
  return [minute(new Date(createdAt), ''), id, eventType, status, String(attempts.length), answer, minute(next, '–')]
}
