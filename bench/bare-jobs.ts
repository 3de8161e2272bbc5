// The yardstick's jobs: a page by status, one with its customer and lines, and a new one with its number and timeline.
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { newId } from '../src/operations/ids.ts'
import { pageSize } from './workloads.ts'

const toCamelCase = (column: string) => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const ticketColumns =
  `id customer_id customer_name customer_email service_required description assigned_technician device_id
  customer_device_type customer_device_name station_id priority address scheduled_from scheduled_to scheduled_all_day
  external_id external_source external_number
  ticket_number status_id calendar_event_id open_start_form_count open_completion_form_count open_invoice_form_count
  recurring_schedule_id occurrence_index closed_at created_at updated_at`.split(/\s+/)
const customerColumns =
  `id first_name last_name email phone business_name address notes country_code vat_id electronic_address
  buyer_reference external_id external_source external_number
  created_at updated_at`.split(/\s+/)
const lineColumns =
  'id ticket_id service_id name description quantity unit_price tax_rate_id warranty_days tax_rate line_total created_at updated_at'.split(
    ' ',
  )
const numericColumns = new Set(['quantity', 'unit_price', 'line_total'])

type Row = Record<string, unknown>
type Mapper = (row: Row) => Row
/** Names are worked out once, as anybody would write them down. */
function mapper(columns: readonly string[]): Mapper {
  const fields = columns.map((column) => ({ column, field: toCamelCase(column), isNumber: numericColumns.has(column) }))
  return (row) => {
    const record: Row = {}
    for (const { column, field, isNumber } of fields) record[field] = isNumber ? Number(row[column]) : row[column]
    return record
  }
}
const [ticketFields, customerOf, lineOf] = [mapper(ticketColumns), mapper(customerColumns), mapper(lineColumns)]
const ticketOf = (row: Row) => {
  const ticket = ticketFields(row)
  ticket.status = row.status
  return ticket
}

const qualifiedColumns = (columns: readonly string[], table: string) =>
  columns.map((column) => `${table}.${column}`).join(', ')
const tickets = `select ${qualifiedColumns(ticketColumns, 't')}, s.name as status from tickets t
  join ticket_statuses s on s.org_id = t.org_id and s.id = t.status_id where t.org_id = $1`

export function registerJobRoutes(app: FastifyInstance, readClient: pg.Client, transactions: pg.Pool): void {
  app.get<{ Params: { orgId: string }; Querystring: { status: string } }>(
    '/api/v1/organisations/:orgId/tickets',
    async ({ params, query }) => {
      const { rows } = await readClient.query<Row>({
        name: 'jobs',
        text: `${tickets} and t.status_id = (select id from ticket_statuses where org_id = $1 and name = $2)
          order by t.created_at desc, t.id desc limit ${pageSize + 1}`,
        values: [params.orgId, query.status],
      })
      const hasMore = rows.length > pageSize
      const page = rows.slice(0, pageSize).map(ticketOf)
      const nextCursor = hasMore ? (page.at(-1) as Row).id : null
      return { success: true, data: { tickets: page, pagination: { limit: pageSize, hasMore, nextCursor } } }
    },
  )

  app.get<{ Params: { orgId: string; ticketId: string } }>(
    '/api/v1/organisations/:orgId/tickets/:ticketId',
    async ({ params: { orgId, ticketId } }) => {
      const { rows } = await readClient.query<Row>({
        name: 'job',
        text: `${tickets} and t.id = $2`,
        values: [orgId, ticketId],
      })
      const [customer, services, inventory] = await Promise.all([
        readClient.query<Row>({
          name: 'job-customer',
          text: `select ${customerColumns.join()} from customers where org_id = $1 and id = $2`,
          values: [orgId, rows[0]!.customer_id],
        }),
        readClient.query<Row>({
          name: 'job-services',
          text: `select ${lineColumns.join()} from service_lines where org_id = $1 and ticket_id = $2 order by created_at, id`,
          values: [orgId, ticketId],
        }),
        readClient.query<Row>({
          name: 'job-inventory',
          text: 'select * from inventory_lines where org_id = $1 and ticket_id = $2 order by created_at, id',
          values: [orgId, ticketId],
        }),
      ])
      const lines = { services: services.rows.map(lineOf), inventory: inventory.rows }
      const data = { ...ticketOf(rows[0]!), customer: customerOf(customer.rows[0]!), lines }
      return { success: true, data }
    },
  )

  app.post<{ Params: { orgId: string }; Body: { customerId: string; serviceRequired: string } }>(
    '/api/v1/organisations/:orgId/tickets',
    async ({ params: { orgId }, body }, reply) => {
      const client = await transactions.connect()
      const query = (name: string, text: string, values: unknown[]) => client.query<Row>({ name, text, values })
      try {
        await client.query('begin')
        const {
          rows: [facts],
        } = await query(
          'facts',
          `select s.id as status_id, c.first_name, c.last_name, c.business_name, c.email, c.address
          from ticket_statuses s, customers c where s.org_id = $1 and s.name = 'Open' and c.org_id = $1 and c.id = $2`,
          [orgId, body.customerId],
        )
        const {
          rows: [number],
        } = await query(
          'number',
          `update counters set next_ticket_number = next_ticket_number + 1
          where org_id = $1 returning next_ticket_number - 1 as taken`,
          [orgId],
        )
        const name = facts!.business_name ?? [facts!.first_name, facts!.last_name].filter(Boolean).join(' ')
        const {
          rows: [ticket],
        } = await query(
          'insert',
          `insert into tickets (org_id, id, ticket_number, customer_id, customer_name, customer_email,
            address, service_required, status_id) values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning *`,
          [
            orgId,
            newId('tkt'),
            number!.taken,
            body.customerId,
            name,
            facts!.email,
            facts!.address,
            body.serviceRequired,
            facts!.status_id,
          ],
        )
        await query(
          'timeline-entry',
          `insert into messages (org_id, id, ticket_id, text, is_system, system_event, system_data)
          values ($1, $2, $3, 'The job was created', true, 'jobCreated', '{"source": "api"}')`,
          [orgId, newId('msg'), ticket!.id],
        )
        await client.query('commit')
        reply.code(201)
        return { success: true, data: { ...ticketOf(ticket!), status: 'Open' } }
      } finally {
        client.release()
      }
    },
  )
}
