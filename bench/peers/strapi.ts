// Strapi: a content API, with a collection of customers and an API token that may do everything.
import { createHmac, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { freePort, startProgram } from '../../test/programs.ts'
import type { Target } from '../targets.ts'
import { pageSize } from '../workloads.ts'
import {
  type CustomerRow,
  columns,
  connectionParts,
  connectTo,
  createDatabase,
  insertCustomers,
  installPeer,
  searchedColumns,
  toCustomer,
  toRow,
} from './peer.ts'

const version = '5.54.0'
const token = randomBytes(32).toString('hex')
const salt = randomBytes(16).toString('hex')

const coreFactory = (kind: 'Controller' | 'Router' | 'Service') =>
  `module.exports = require('@strapi/strapi').factories.createCore${kind}('api::customer.customer')`

/** The project that Strapi's own generator would make, without the pages of its admin. */
const project = {
  'start.js': `require('@strapi/strapi').createStrapi({ appDir: __dirname, distDir: __dirname }).start()`,
  'config/server.js': `module.exports = ({ env }) => ({ host: '127.0.0.1', port: env.int('PORT'), app: { keys: [env('KEY')] },
    logger: { config: { level: 'warn' } } })`,
  'config/admin.js': `module.exports = ({ env }) => ({ auth: { secret: env('KEY') }, apiToken: { salt: env('SALT') },
    transfer: { token: { salt: env('KEY') } }, secrets: { encryptionKey: env('KEY') }, serveAdminPanel: false })`,
  'config/api.js': `module.exports = { rest: { defaultLimit: 25, maxLimit: 100, withCount: false } }`,
  'config/plugins.js': `module.exports = ({ env }) => ({ 'users-permissions': { config: { jwtSecret: env('KEY') } } })`,
  'config/middlewares.js': `module.exports = ['strapi::errors', 'strapi::security', 'strapi::cors', 'strapi::poweredBy',
    'strapi::query', 'strapi::body', 'strapi::session', 'strapi::favicon', 'strapi::public']`,
  'config/database.js': `module.exports = ({ env }) => ({ connection: { client: 'postgres', connection: {
    host: env('DB_HOST'), port: env.int('DB_PORT'), user: env('DB_USER'), database: 'strapi' }, pool: { min: 2, max: 10 } } })`,
  'public/uploads/.gitkeep': '',
  'src/index.js': 'module.exports = { register() {}, bootstrap() {} }',
  'src/api/customer/content-types/customer/schema.json': JSON.stringify({
    kind: 'collectionType',
    collectionName: 'customers',
    info: { singularName: 'customer', pluralName: 'customers', displayName: 'Customer' },
    options: { draftAndPublish: false },
    attributes: Object.fromEntries(columns.map((column) => [column, { type: 'text' }])),
  }),
  'src/api/customer/controllers/customer.js': coreFactory('Controller'),
  'src/api/customer/routes/customer.js': coreFactory('Router'),
  'src/api/customer/services/customer.js': coreFactory('Service'),
}

export const strapi: Target = {
  name: 'strapi',
  workloads: ['read', 'list', 'create', 'search'],
  async start(database, organisations) {
    const folder = await installPeer('strapi', {
      dependencies: { '@strapi/strapi': version, pg: '8.23.1' },
      files: project,
    })
    const { host, port: databasePort, user } = connectionParts(database)
    await (await createDatabase(database, 'strapi')).end()
    const port = await freePort()
    const environment = {
      PORT: port,
      KEY: randomBytes(32).toString('hex'),
      SALT: salt,
      DB_HOST: host,
      DB_PORT: String(databasePort),
      DB_USER: user,
      NODE_ENV: 'production',
      STRAPI_TELEMETRY_DISABLED: 'true',
    }
    const isUp = () =>
      fetch(`http://127.0.0.1:${port}/_health`).then(
        ({ ok }) => ok,
        () => false,
      )
    const args = [join(folder, 'start.js')]
    const program = await startProgram(process.execPath, { args, environment, ready: isUp, cwd: folder })
    const client = await connectTo(database, 'strapi')
    await insertCustomers(client, 'document_id', organisations, [
      ['created_at', 'now()'],
      ['updated_at', 'now()'],
      ['published_at', 'now()'],
    ])
    await client.query(
      `insert into strapi_api_tokens (document_id, name, type, access_key, created_at, updated_at, published_at)
       values ('bench', 'bench', 'full-access', $1, now(), now(), now())`,
      [createHmac('sha512', salt).update(token).digest('hex')],
    )
    await client.end()
    return { ...program, port: Number(port), origin: `http://127.0.0.1:${port}` }
  },
  customers: (answer) => [(answer as { data: CustomerRow }).data].flat().map(toCustomer),
  request(spec) {
    const headers = { Authorization: `Bearer ${token}` }
    const listQuery = `filters[org_id][$eq]=${spec.organisation.id}&sort=first_name,documentId&pagination[pageSize]=${pageSize}`
    switch (spec.workload) {
      case 'read':
        return { method: 'GET', path: `/api/customers/${spec.customerId}`, headers }
      case 'list':
        return { method: 'GET', path: `/api/customers?${listQuery}`, headers }
      case 'search': {
        const searchFilter = searchedColumns
          .map((column, index) => `filters[$or][${index}][${column}][$containsi]=${encodeURIComponent(spec.term)}`)
          .join('&')
        return { method: 'GET', path: `/api/customers?${listQuery}&${searchFilter}`, headers }
      }
      case 'create':
        return {
          method: 'POST',
          path: '/api/customers',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: JSON.stringify({ data: toRow(spec.organisation.id, spec.customer) }),
        }
      default:
        throw new Error(`Strapi does not run the workload ${spec.workload}`)
    }
  },
}
