// The command that posts what changes to a program on a developer's machine, signed as a webhook would.
import { followEvents, newestPosition } from '../events/follow.ts'
import { createDestinations } from '../http/safe-fetch.ts'
import { text } from '../operations/fields.ts'
import { t } from '../operations/schemas.ts'
import { postEvent } from '../webhooks/send.ts'
import { isWebhookSecret, newWebhookSecret } from '../webhooks/signature.ts'
import { command, UsageError } from './command.ts'
import { databaseWithOrganisation, organisationId } from './organisations.ts'

/** Whoever works on the server may reach what the server reaches. */
const everywhere = createDestinations(['0.0.0.0/0', '::/0'])

export default [
  command('events forward', {
    summary: 'Post what changes in an organisation to a program as it happens, signed, until it is interrupted',
    options: {
      org: organisationId,
      to: text(2_000, { description: 'the address of the program, such as http://localhost:4000/hooks' }),
      secret: t.Optional(text(120, { description: 'the secret that signs (whsec_…); a new one if not given' })),
    },
    example: '--org org_01kbx5… --to http://localhost:4000/hooks',
    usesStdout: () => true,
    async run({ org, to, secret = newWebhookSecret() }, ctx) {
      const problem = everywhere.problem(to)
      if (problem) throw new UsageError(`--to ${problem}`)
      if (!isWebhookSecret(secret)) throw new UsageError('--secret must be whsec_ and 24 to 64 bytes in base64')
      const database = await databaseWithOrganisation(org, ctx)
      const afterPosition = await newestPosition(database, org)
      const stopping = new AbortController()
      const { signal } = stopping
      const stop = () => stopping.abort()
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop)
      const counts = { delivered: 0, failed: 0 }
      ctx.reportProgress(`Events are posted to ${to}, signed with ${secret}`)
      try {
        for await (const event of followEvents(database, org, { afterPosition, types: [], signal })) {
          const sent = { url: to, secrets: [secret], eventId: event.id, body: event.body, signal }
          const { attempt } = await postEvent(everywhere, sent)
          const { statusCode, error, durationMs } = attempt
          const isDelivered = statusCode !== null && statusCode >= 200 && statusCode < 300
          counts[isDelivered ? 'delivered' : 'failed']++
          const line = { position: event.position, type: event.type, recordId: event.recordId, statusCode, error }
          const answer = [statusCode, error].filter((part) => part !== null).join(' ')
          const words = `${event.position}  ${event.type}  ${event.recordId}  ${answer}  ${durationMs} ms`
          ctx.print(ctx.isJson ? JSON.stringify(line) : words)
        }
      } finally {
        for (const name of ['SIGINT', 'SIGTERM'] as const) process.removeListener(name, stop)
      }
      return counts
    },
    render: ({ delivered, failed }) => `${delivered} delivered, ${failed} not.`,
  }),
]
