// Directus: an API over the tables of a database, with a token of an administrator.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { freePort, startProgram } from '../../test/programs.ts'
import type { Target } from '../targets.ts'
import { pageSize } from '../workloads.ts'
import {
  type CustomerRow,
  columns,
  connectionParts,
  createDatabase,
  insertCustomers,
  installPeer,
  runToEnd,
  searchedColumns,
  toCustomer,
  toRow,
} from './peer.ts'

const version = '12.4.0'
const token = randomBytes(24).toString('hex')

export const directus: Target = {
  name: 'directus',
  workloads: ['read', 'list', 'create', 'search'],
  async start(database, organisations) {
    const folder = await installPeer('directus', {
      dependencies: { directus: version },
      overrides: { 'isolated-vm': '7.0.1' }, // the one it names has no build for this Node; it runs scripts of flows
    })
    const { host, port: databasePort, user } = connectionParts(database)
    const client = await createDatabase(database, 'directus')
    await client.query(
      `create table customers (id text primary key default gen_random_uuid()::text,
        ${columns.map((column) => `${column} text`).join(', ')},
        created_at timestamptz not null default now(), updated_at timestamptz not null default now())`,
    )
    const port = await freePort()
    const environment = {
      HOST: '127.0.0.1',
      PORT: port,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      SECRET: randomBytes(32).toString('hex'),
      DB_CLIENT: 'pg',
      DB_HOST: host,
      DB_PORT: String(databasePort),
      DB_USER: user,
      DB_PASSWORD: 'none', // a socket needs none, but the setting is required
      DB_DATABASE: 'directus',
      ADMIN_EMAIL: 'admin@example.com',
      ADMIN_PASSWORD: randomBytes(12).toString('hex'),
      ADMIN_TOKEN: token,
      LOG_LEVEL: 'warn',
      TELEMETRY: 'false',
      PRESSURE_LIMITER_ENABLED: 'false', // it would refuse the load that is measured
      NODE_ENV: 'production',
    }
    const cli = join(folder, 'node_modules', 'directus', 'cli.js')
    await runToEnd(process.execPath, [cli, 'bootstrap'], folder, environment)
    await insertCustomers(client, 'id', organisations)
    await client.end()
    const isUp = () =>
      fetch(`http://127.0.0.1:${port}/server/ping`).then(
        ({ ok }) => ok,
        () => false,
      )
    const program = await startProgram(process.execPath, {
      args: [cli, 'start'],
      environment,
      ready: isUp,
      cwd: folder,
    })
    return { ...program, port: Number(port), origin: `http://127.0.0.1:${port}` }
  },
  customers: (answer) => [(answer as { data: CustomerRow }).data].flat().map(toCustomer),
  request(spec) {
    const headers = { Authorization: `Bearer ${token}` }
    const page = `sort=first_name,id&limit=${pageSize}&filter[_and][0][org_id][_eq]=${spec.organisation.id}`
    switch (spec.workload) {
      case 'read':
        return { method: 'GET', path: `/items/customers/${spec.customerId}`, headers }
      case 'list':
        return { method: 'GET', path: `/items/customers?${page}`, headers }
      case 'search':
        return { method: 'GET', path: `/items/customers?${page}&${searchFilter(spec.term)}`, headers }
      case 'create':
        return {
          method: 'POST',
          path: '/items/customers',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: JSON.stringify(toRow(spec.organisation.id, spec.customer)),
        }
      default:
        throw new Error(`Directus does not run the workload ${spec.workload}`)
    }
  },
}

const searchFilter = (term: string) =>
  searchedColumns
    .map((column, index) => `filter[_and][1][_or][${index}][${column}][_icontains]=${encodeURIComponent(term)}`)
    .join('&')
