// The command that follows what changes in an organisation.
import { typePattern } from '../domain/event-types.ts'
import type { StoredEvent } from '../events/event.ts'
import { followEvents, newestPosition } from '../events/follow.ts'
import { integer } from '../operations/fields.ts'
import { t } from '../operations/schemas.ts'
import { command } from './command.ts'
import { databaseWithOrganisation, organisationId } from './organisations.ts'

export default [
  command('events tail', {
    summary: 'Show what changes in an organisation as it happens, until it is interrupted',
    options: {
      org: organisationId,
      type: t.Array(t.String({ maxLength: 80, pattern: typePattern }), {
        default: [],
        description: 'a type such as ticket.created or ticket.*; all if not given',
      }),
      from: t.Optional(
        integer(1, Number.MAX_SAFE_INTEGER, { description: 'the position to begin with; from now on if not given' }),
      ),
      count: t.Optional(integer(1, 1_000_000, { description: 'how many to show; on and on if not given' })),
    },
    example: '--org org_01kbx5… --type ticket.*',
    usesStdout: () => true,
    async run({ org, type, from, count = Number.POSITIVE_INFINITY }, ctx) {
      const database = await databaseWithOrganisation(org, ctx)
      const afterPosition = from === undefined ? await newestPosition(database, org) : from - 1
      const stopping = new AbortController()
      const stop = () => stopping.abort()
      process.once('SIGINT', stop)
      let shown = 0
      try {
        for await (const event of followEvents(database, org, {
          afterPosition,
          types: type,
          signal: stopping.signal,
        })) {
          ctx.print(ctx.isJson ? event.body : eventLine(event))
          if (++shown >= count) break
        }
      } finally {
        process.removeListener('SIGINT', stop)
      }
      return { shown }
    },
    render: ({ shown }) => `${shown} ${shown === 1 ? 'event' : 'events'}.`,
  }),
]

function eventLine({ position, at, type, recordId, actor, changed }: StoredEvent): string {
  const by = actor.name ?? actor.kind
  return `${position}  ${at}  ${type}  ${recordId}  by ${by}${changed.length > 0 ? `  ${changed.join(', ')}` : ''}`
}
