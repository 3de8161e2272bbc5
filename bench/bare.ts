// The yardstick: the same routes and SQL on bare Fastify and pg, the way most services are written, with no keys, no
// checks and no limits. Started with a database URL and a port.
import { fastify } from 'fastify'
import pg from 'pg'
import { newId } from '../src/operations/ids.ts'
import { registerJobRoutes } from './bare-jobs.ts'
import { pageSize } from './workloads.ts'

const [connectionString, port] = process.argv.slice(2)

const connect = async (options?: string) => {
  const client = new pg.Client({ connectionString, pipeline: true, options } as pg.ClientConfig)
  await client.connect()
  return client
}
// What makes it fastest: one connection for reads, whose statements then reach PostgreSQL in batches; several for writes,
// which wait for the disk; a pool of ten did half as many reads. Searches have the plan that they have in the service:
// planned for each term, some take forty times as long.
const readClient = await connect()
const writeClients = await Promise.all([connect(), connect(), connect(), connect()])
const searchClient = await connect('-c plan_cache_mode=force_generic_plan')
let turn = 0

interface Row {
  readonly id: string
  readonly first_name: string
  readonly last_name: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly business_name: string | null
  readonly address: string | null
  readonly notes: string | null
  readonly country_code: string | null
  readonly vat_id: string | null
  readonly electronic_address: object | null
  readonly buyer_reference: string | null
  readonly external_id: string | null
  readonly external_source: string | null
  readonly external_number: string | null
  readonly created_at: Date
  readonly updated_at: Date
}
const columns = `id, first_name, last_name, email, phone, business_name, address, notes,
  country_code, vat_id, electronic_address, buyer_reference, external_id, external_source, external_number, created_at, updated_at`

const toRecord = (row: Row) => ({
  id: row.id,
  firstName: row.first_name,
  lastName: row.last_name,
  email: row.email,
  phone: row.phone,
  businessName: row.business_name,
  address: row.address,
  notes: row.notes,
  countryCode: row.country_code,
  vatId: row.vat_id,
  electronicAddress: row.electronic_address,
  buyerReference: row.buyer_reference,
  externalId: row.external_id,
  externalSource: row.external_source,
  externalNumber: row.external_number,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const toPage = (rows: Row[]) => {
  const hasMore = rows.length > pageSize
  const customers = rows.slice(0, pageSize).map(toRecord)
  return { customers, pagination: { limit: pageSize, hasMore, nextCursor: hasMore ? customers.at(-1)!.id : null } }
}

const app = fastify()

app.get<{ Params: { orgId: string; customerId: string } }>(
  '/api/v1/organisations/:orgId/customers/:customerId',
  async ({ params }, reply) => {
    const { rows } = await readClient.query<Row>({
      name: 'read',
      text: `select ${columns} from customers where org_id = $1 and id = $2`,
      values: [params.orgId, params.customerId],
    })
    if (!rows[0]) return reply.code(404).send({ success: false })
    return { success: true, data: toRecord(rows[0]) }
  },
)

app.get<{ Params: { orgId: string }; Querystring: { search?: string; startAfter?: string } }>(
  '/api/v1/organisations/:orgId/customers',
  async ({ params, query: { search, startAfter } }) => {
    if (startAfter) {
      const { rows } = await readClient.query<Row>({
        name: 'page',
        text: `select ${columns} from customers
          where org_id = $1 and (sort_name, id) > (select sort_name, id from customers where org_id = $1 and id = $2)
          order by sort_name, id limit ${pageSize + 1}`,
        values: [params.orgId, startAfter],
      })
      return { success: true, data: toPage(rows) }
    }
    const { rows } = search
      ? await searchClient.query<Row>({
          name: 'search',
          text: `select ${columns} from customers where org_id = $1 and search_text like (select '%' || folded($2) || '%')
            order by sort_name, id limit ${pageSize + 1}`,
          values: [params.orgId, search.replace(/[\\%_]/g, '\\$&')],
        })
      : await readClient.query<Row>({
          name: 'list',
          text: `select ${columns} from customers where org_id = $1 order by sort_name, id limit ${pageSize + 1}`,
          values: [params.orgId],
        })
    return { success: true, data: toPage(rows) }
  },
)

app.post<{ Params: { orgId: string }; Body: Record<string, string> }>(
  '/api/v1/organisations/:orgId/customers',
  async ({ params, body }, reply) => {
    const { rows } = await writeClients[turn++ % writeClients.length]!.query<Row>({
      name: 'create',
      text: `insert into customers (org_id, id, first_name, last_name, email, phone, business_name, address, notes)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${columns}`,
      values: [
        params.orgId,
        newId('cus'),
        body.firstName,
        body.lastName,
        body.email,
        body.phone,
        body.businessName,
        body.address,
        body.notes,
      ],
    })
    reply.code(201)
    return { success: true, data: toRecord(rows[0]!) }
  },
)

registerJobRoutes(app, readClient, new pg.Pool({ connectionString, max: 12 }))

await app.listen({ host: '127.0.0.1', port: Number(port) })
process.stdout.write(`ready http://127.0.0.1:${port}\n`)
