// Events in the OpenAPI document: a schema for each type, and what a webhook is sent.
import { createEventCatalogue, type EventType } from '../../operations/event-catalogue.ts'
import type { JsonSchema } from '../../operations/json-schema.ts'
import type { Resource } from '../../operations/operation.ts'
import { capitalise } from '../../operations/string-case.ts'
import { ref } from './components.ts'
import type { createSchemaRegistry } from './schemas.ts'

type ToSchema = ReturnType<typeof createSchemaRegistry>['toSchema']

const eventsTag = 'Events'

/** `ticket.status_changed` is a `TicketStatusChangedEvent`. */
const schemaName = (type: string) => `${pascalCase(type)}Event`
const pascalCase = (type: string) => type.split(/[._]/).map(capitalise).join('')

/** What happened, in words. */
export function describeEvent({ type, told, change }: EventType): string {
  const [noun, signal] = type.split('.').map((word) => word.replaceAll('_', ' ')) as [string, string]
  const needs = `Told to those who hold \`${told.entity}:read\`.`
  return change === undefined ? `${capitalise(noun)}: ${signal}. ${needs}` : `A ${noun} was ${change}. ${needs}`
}

export function eventSchemas(resources: readonly Resource[], toSchema: ToSchema): Record<string, unknown> {
  const schemas = createEventCatalogue(resources).types.map((eventType) => {
    const { type, told, change } = eventType
    const record = toSchema(told.source.record)
    const schema = {
      description: describeEvent(eventType),
      allOf: [
        ref('schemas', 'Event'),
        {
          type: 'object',
          properties: {
            type: { type: 'string', const: type },
            resource: { type: 'string', const: told.resource },
            data: change === 'deleted' ? { type: 'null' } : { anyOf: [record as JsonSchema, { type: 'null' }] },
          },
        },
      ],
    }
    return [schemaName(type), schema] as const
  })
  return Object.fromEntries(schemas)
}

export const eventWebhooks = (resources: readonly Resource[]): Record<string, Record<string, unknown>> =>
  Object.fromEntries(
    createEventCatalogue(resources).types.map((eventType) => [
      eventType.type,
      {
        post: {
          operationId: `on${pascalCase(eventType.type)}`,
          summary: `Told as \`${eventType.type}\``,
          description: describeEvent(eventType),
          tags: [eventsTag],
          security: [],
          requestBody: {
            required: true,
            content: { 'application/json': { schema: ref('schemas', schemaName(eventType.type)) } },
          },
          responses: {
            200: { description: 'Any 2xx: the event was taken.' },
            410: { description: 'Nobody wants to hear of it any more.' },
          },
        },
      },
    ]),
  )
