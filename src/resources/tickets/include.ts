// The records that `include` sends along with a job: its customer, its device, its lines.
import type { TProperties, TSchema } from 'typebox'
import { Json } from '../../operations/answers.ts'
import { nullable } from '../../operations/fields.ts'
import type { Context } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import type { Scope } from '../../operations/scopes.ts'
import { type Table, table } from '../../operations/table.ts'
import { customers } from '../customers.ts'
import { devices } from '../devices.ts'
import { inventoryLines, serviceLines } from './line-tables.ts'
import { ticketDefinition, tickets } from './record.ts'

/** What `include` can add to a job: the scope that reads it, its schema, and the SQL that brings it along. */
interface Addition {
  readonly schema: TSchema
  readonly read: string
  readonly needs: Scope
}
const includable: Readonly<Record<string, Addition>> = {
  customer: {
    needs: 'customers:read',
    schema: nullable(customers.record),
    read: customers.embeddedJson.one('customers.org_id = tickets.org_id and customers.id = tickets.customer_id'),
  },
  device: {
    needs: 'devices:read',
    schema: nullable(devices.record),
    read: devices.embeddedJson.one('devices.org_id = tickets.org_id and devices.id = tickets.device_id'),
  },
  lines: {
    needs: 'tickets:read',
    schema: t.Object(
      { services: t.Array(serviceLines.record), inventory: t.Array(inventoryLines.record) },
      { title: 'TicketLines' },
    ),
    read: `json_build_object('services', ${linesJson(serviceLines)}, 'inventory', ${linesJson(inventoryLines)})`,
  },
}

function linesJson({ name, embeddedJson }: Pick<Table, 'name' | 'embeddedJson'>): string {
  return embeddedJson.list(`${name}.org_id = tickets.org_id and ${name}.ticket_id = tickets.id`)
}

const additionNames = Object.keys(includable)

export const include = t.Optional(
  t.String({
    maxLength: 60,
    pattern: `^(${additionNames.join('|')})(,(${additionNames.join('|')}))*$`,
    examples: ['customer,lines'],
    description: `What to send along: ${additionNames.join(', ')}, separated by commas.`,
  }),
)

const included = Object.fromEntries(
  additionNames.map((name) => [name, t.Optional(includable[name]!.schema)]),
) as TProperties

export const ticketRecord = t.Object({ ...tickets.record.properties, ...included }, { title: 'TicketIncluding' })
export const ticketList = t.Object(
  { tickets: t.Array(ticketRecord), pagination: tickets.list.properties.pagination! },
  { title: 'TicketList' },
)

/** Every combination has a table of its own, by the names of what it sends along; they are made at boot. */
const variants = new Map(combinations(additionNames).map((names) => [names.join(), ticketsIncluding(names)]))

function combinations(names: readonly string[]): string[][] {
  const [first, ...rest] = names
  if (first === undefined) return [[]]
  return combinations(rest).flatMap((one) => [one, [first, ...one]])
}

function ticketsIncluding(names: readonly string[]): typeof tickets {
  const [first] = names
  if (first === undefined) return tickets
  const including = table({
    ...ticketDefinition,
    readOnly: { ...ticketDefinition.readOnly, ...pick(names, 'schema') },
    read: { ...ticketDefinition.read, ...pick(names, 'read') },
  }) as typeof tickets
  const find: typeof tickets.find = (ctx, ticketId) => {
    const { decode, ...rest } = including.find(ctx, ticketId)
    return {
      ...rest,
      decode(rows) {
        const { text } = decode(rows)
        return new Json(text, withoutAdditions(text, first))
      },
    }
  }
  return { ...including, find }
}

/** The job alone, whose version it is. What was sent along stands together, before the job's last two fields. */
const withoutAdditions = (json: string, first: string): string =>
  json.slice(0, json.indexOf(`,"${first}":`)) + json.slice(json.lastIndexOf(',"createdAt":'))

function pick<Part extends keyof Addition>(names: readonly string[], part: Part): Record<string, Addition[Part]> {
  return Object.fromEntries(names.map((name) => [name, includable[name]![part]]))
}

/** The table of jobs that sends along what was requested, if the caller may read that. */
export function ticketsWith(ctx: Context, requested: string | undefined): typeof tickets {
  if (!requested) return tickets
  const names = additionNames.filter((name) => requested.split(',').includes(name))
  for (const name of names) ctx.require(includable[name]!.needs)
  return variants.get(names.join())!
}
