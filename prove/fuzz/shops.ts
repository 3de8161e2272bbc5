// Two shops on one service: one that is fuzzed, and one beside it whose records nobody may see.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { raw, sql } from '../../src/db/database.ts'
import { addAgreement } from '../../src/demo/build/agreement.ts'
import { fillDemo } from '../../src/demo/demo.ts'
import { createKey } from '../../src/identity/keys.ts'
import { scopeCatalogue } from '../../src/resources/index.ts'
import type { ServerProcess } from '../../test/programs.ts'
import { until } from '../../test/webhook-receiver.ts'
import { Fleet, type Shop } from '../fleet.ts'
import { type DescribedOperation, fetchDocument, type OpenApiDocument, operationsIn } from './openapi-document.ts'
import { createPool, type Pool } from './record-pool.ts'
import { canary } from './response-checks.ts'

export interface Shops extends AsyncDisposable {
  readonly document: OpenApiDocument
  readonly operations: readonly DescribedOperation[]
  /** The records of each, as far as callers can know them. */
  readonly pools: { readonly own: Pool; readonly foreign: Pool }
  readonly fleet: Fleet
  readonly service: ServerProcess
  readonly own: { readonly orgId: string; readonly key: string; readonly readingKey: string }
  readonly foreign: { readonly orgId: string; readonly key: string }
}

/** Files of every kind. */
const canaryFiles: Readonly<Record<string, string>> = { form_photos: 'bytes', exports: 'content' }

/** Text that people write, in every kind of record. */
const canaryColumns: Readonly<Record<string, string>> = {
  customers: 'first_name',
  tickets: 'description',
  messages: 'text',
  service_lines: 'name',
  inventory_lines: 'name',
  services: 'name',
  inventory: 'name',
  stock_corrections: 'reason',
  stations: 'name',
  tax_rates: 'name',
  quotes: 'title',
  invoices: 'title',
  payments: 'notes',
  calendar_events: 'title',
  recurring_schedules: 'name',
  recurring_presets: 'name',
  inventory_categories: 'name',
  asset_categories: 'name',
  form_templates: 'name',
  form_rules: 'name',
  members: 'first_name',
}

export async function startShops(): Promise<Shops> {
  await using disposables = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'jobwright-fuzz-'))
  disposables.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 20 }))
  const unlimited = { AUTHORIZE_PER_MINUTE: '1000000', TOKEN_PER_MINUTE: '1000000' }
  const registering = { REGISTER_PER_MINUTE: '1000000', REGISTER_PER_DAY: '1000000' }
  const fleet = disposables.use(await Fleet.start({ DATA_DIR: dataDir, ...unlimited, ...registering }))
  const [own, foreign] = [await fleet.createShop(), await fleet.createShop()]
  for (const { orgId } of [own, foreign]) {
    await fleet.database.transaction('proof', async (transaction) => {
      await fillDemo(transaction, orgId, 20)
      await addAgreement(transaction, orgId, 'Europe/London', new Date())
    })
  }
  // E-invoices need it, and no demo customer has one: a request that writes it along with all else they need is too rare.
  await fleet.database.query(sql`update customers set country_code = 'GB' where org_id = ${own.orgId}`)
  await fleet.database.query(sql`update organisations set name = ${canary} where org_id = ${foreign.orgId}`)
  for (const [table, column] of Object.entries(canaryColumns)) {
    const marked = await fleet.database.query(
      sql`update ${raw(table)} set ${raw(column)} = ${canary} || ' ' || right(id, 6) where org_id = ${foreign.orgId}
          returning 1`,
    )
    if (marked.length === 0) throw new Error(`The demo has no record of ${table} to mark`)
  }
  for (const [table, column] of Object.entries(canaryFiles)) {
    const marked = await fleet.database.query(sql`
      update ${raw(table)} set ${raw(column)} = convert_to(${canary} || id, 'UTF8') where org_id = ${foreign.orgId} returning 1`)
    if (marked.length === 0) throw new Error(`The demo has no record of ${table} to mark`)
  }
  const readKey = await createKey(fleet.database, own.orgId, { scopes: ['read'] }, scopeCatalogue)
  const service = await fleet.startInstance()
  const document = await fetchDocument(service.origin)
  const operations = operationsIn(document)
  const pools = { own: createPool(operations), foreign: createPool(operations) }
  await pools.own.fill(service.origin, own.orgId, own.key)
  await pools.foreign.fill(service.origin, foreign.orgId, foreign.key)
  const creates = operations.find(({ method, template }) => method === 'POST' && template.endsWith('/customers'))!
  pools.own.learn(creates, {}, await deleteLargeCustomer(service.origin, own))
  // What the demo brought is told by the worker, a moment later: from then on nothing is written to the foreign shop.
  await until(
    async () =>
      (await fleet.database.query(sql`select from event_inbox union all select from shared_event_inbox limit 1`))
        .length === 0,
  )
  const owned = disposables.move() // from here on they are the caller's to close
  return {
    fleet,
    service,
    document,
    operations,
    pools,
    own: { ...own, readingKey: readKey.key },
    foreign,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** One whose deletion goes in steps, so that there is something to read of it. */
async function deleteLargeCustomer(origin: string, { orgId, key }: Shop): Promise<{ readonly id: string }> {
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${origin}/api/v1/organisations/${orgId}${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`)
    return ((await response.json()) as { data: { id: string } }).data
  }
  const { id } = await call('POST', '/customers', { firstName: 'Many jobs' })
  for (let n = 0; n < 60; n++) await call('POST', '/tickets', { customerId: id, serviceRequired: 'Oven' })
  await call('DELETE', `/customers/${id}`)
  return { id }
}
