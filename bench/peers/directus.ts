// Directus: an API over the tables of a database, with a token of an administrator.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { freePort, startProgram } from '../../test/programs.ts'
import { pageSize } from '../errands.ts'
import type { Target } from '../targets.ts'
import {
  asColumns,
  asCustomer,
  type Columns,
  columns,
  fill,
  freshDatabase,
  installed,
  placeOf,
  run,
  searched,
} from './peer.ts'

const version = '12.4.0'
const token = randomBytes(24).toString('hex')

export const directus: Target = {
  name: 'directus',
  works: ['read', 'list', 'create', 'search'],
  async start(database, organisations) {
    const folder = await installed('directus', {
      dependencies: { directus: version },
      overrides: { 'isolated-vm': '7.0.1' }, // the one it names has no build for this Node; it runs scripts of flows
    })
    const { host, port: databasePort, user } = placeOf(database)
    const client = await freshDatabase(database, 'directus')
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
      DB_PASSWORD: 'none', // a socket asks for none, but the setting must be there
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
    await run(process.execPath, [cli, 'bootstrap'], folder, environment)
    await fill(client, 'id', organisations)
    await client.end()
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/server/ping`).then(
        ({ ok }) => ok,
        () => false,
      )
    const program = await startProgram(process.execPath, {
      words: [cli, 'start'],
      environment,
      ready: answers,
      cwd: folder,
    })
    return { ...program, port: Number(port), origin: `http://127.0.0.1:${port}` }
  },
  customers: (answer) => [(answer as { data: Columns }).data].flat().map(asCustomer),
  request(errand) {
    const headers = { Authorization: `Bearer ${token}` }
    const page = `sort=first_name,id&limit=${pageSize}&filter[_and][0][org_id][_eq]=${errand.organisation.id}`
    switch (errand.work) {
      case 'read':
        return { method: 'GET', path: `/items/customers/${errand.customerId}`, headers }
      case 'list':
        return { method: 'GET', path: `/items/customers?${page}`, headers }
      case 'search':
        return { method: 'GET', path: `/items/customers?${page}&${matching(errand.term)}`, headers }
      case 'create':
        return {
          method: 'POST',
          path: '/items/customers',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: JSON.stringify(asColumns(errand.organisation.id, errand.customer)),
        }
      default:
        throw new Error(`Directus is not asked for ${errand.work}`)
    }
  },
}

const matching = (term: string) =>
  searched
    .map((column, place) => `filter[_and][1][_or][${place}][${column}][_icontains]=${encodeURIComponent(term)}`)
    .join('&')
