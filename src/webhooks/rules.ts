// What a webhook may ask for: where it may lead, and which types of events there are.
import type { Destinations } from '../http/safe-fetch.ts'
import type { EventCatalogue } from '../operations/event-catalogue.ts'
import type { WebhookRules } from '../operations/webhook-rules.ts'

export function createWebhookRules(
  destinations: Pick<Destinations, 'problem'>,
  { types }: Pick<EventCatalogue, 'types'>,
): WebhookRules {
  const known = new Set(['*', ...types.flatMap(({ type }) => [type, `${type.split('.')[0]}.*`])])
  return {
    urlProblem: destinations.problem,
    typeProblem: (pattern) =>
      known.has(pattern) ? undefined : 'is no type of event: such are ticket.created, ticket.* and *',
    toldEntities: [...new Set(types.map(({ told }) => told.entity))],
  }
}
