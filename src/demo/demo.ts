// Sample data: a repair shop with its customers, what they own and what is done about it, to look at and to try things on.
import { type Database, type Queryable, sql } from '../db/database.ts'
import { dayMs, minuteMs } from '../domain/durations.ts'
import { ownWork } from '../fairness/tenant.ts'
import { createKey } from '../identity/keys.ts'
import { addMember, fullName } from '../identity/members.ts'
import { createOrganisation, findOrganisation } from '../identity/organisations.ts'
import type { Vault } from '../identity/secrets.ts'
import { newId } from '../operations/ids.ts'
import { scopeCatalogue } from '../resources/index.ts'
import { addAgreement } from './build/agreement.ts'
import { addCorrections } from './build/corrections.ts'
import { customerFor } from './build/customers.ts'
import { addExport } from './build/exports.ts'
import { tellPastWeek } from './build/past-week.ts'
import { type CustomerRecord, plansFor } from './build/plans.ts'
import { createRandom, type Random } from './build/random.ts'
import { baseColumns, insertRows } from './build/rows.ts'
import { ensureShopSetup, type ShopSetup } from './build/shop-setup.ts'
import { addTickets } from './build/tickets.ts'
import { addFailingWebhook } from './build/webhook.ts'
import { loadWeek, type ShopEvent, shopEvents, type Week } from './build/week.ts'
import { categoryOfType } from './data/catalogue.ts'
import { regularCustomers } from './data/customers.ts'
import { buildDevice } from './data/devices.ts'
import { admin, organisation } from './data/organisation.ts'
import { manager } from './data/staff.ts'

export interface Demo {
  readonly orgId: string
  /** May do everything, for 90 days. */
  readonly key: string
  readonly admin: { readonly email: string; readonly password: string; readonly totpSecret: string }
}

/** The demo organisation with everything in it, for a first start on an empty database. */
export function makeDemo(database: Database, vault: Vault, now = new Date()): Promise<Demo> {
  return database.transaction(ownWork, async (transaction) => {
    const { name, email, phone, website, address, taxNumber, documentTerms, paymentInstructions } = organisation
    const { id: orgId, timeZone } = await createOrganisation(transaction, { name })
    await transaction.query(sql`
      update organisations set email = ${email}, phone = ${phone}, website = ${website}, address = ${address},
        tax_number = ${taxNumber}, document_terms = ${documentTerms}, payment_instructions = ${paymentInstructions}
      where org_id = ${orgId}`)
    const member = await addMember(transaction, vault, orgId, { ...admin, role: 'admin' })
    const { key } = await createKey(
      transaction,
      orgId,
      { name: 'Demo key', scopes: ['full'], createdBy: member.id },
      scopeCatalogue,
    )
    await fillDemo(transaction, orgId, regularCustomers.length, now)
    await addAgreement(transaction, orgId, timeZone, now)
    const maker = { id: member.id, name: fullName(member) }
    await addFailingWebhook(transaction, vault, orgId, maker, now)
    await tellPastWeek(transaction, orgId, { kind: 'member', ...maker }, now)
    return { orgId, key, admin: { email: admin.email, password: member.password!, totpSecret: member.totpSecret! } }
  })
}

/** Adds so many customers, with all that belongs to them, and counts what was added. Run it in a transaction. */
export async function fillDemo(
  transaction: Queryable,
  orgId: string,
  size = regularCustomers.length,
  now = new Date(),
): Promise<Readonly<Record<string, number>>> {
  const { currency, timeZone } = await findOrganisation(transaction, orgId)
  const week = await loadWeek(transaction, timeZone, now)
  const setup = await ensureShopSetup(transaction, orgId, week)
  // A second call adds other people.
  const [existing] = await transaction.query<{ customers: number }>(sql`
    select count(*) as customers from customers where org_id = ${orgId}`)
  const customerRecords = Array.from({ length: size }, (_, index) =>
    buildCustomer(orgId, existing!.customers + index, setup, week),
  )
  const plans = plansFor(customerRecords, week)
  const customers = customerRecords.map(({ customer }) => customer)
  const devices = customerRecords.flatMap((customerRecord) => customerRecord.devices.map(({ row }) => row))
  await insertRows(transaction, 'customers', customers)
  await insertRows(transaction, 'devices', devices)
  const billingCounts = await addTickets(transaction, { orgId, currency, now: week.now, setup }, plans)
  await addOwnEvents(transaction, orgId, setup, week)
  await addCorrections(transaction, orgId, setup, week)
  await addExport(transaction, orgId, week)
  return { customers: customers.length, devices: devices.length, jobs: plans.length, ...billingCounts }
}

const daysInBusiness = 600

function buildCustomer(orgId: string, index: number, { assetCategories }: ShopSetup, { now }: Week): CustomerRecord {
  const { owns = [], ...customer } = customerFor(index)
  const random = createRandom(index)
  const customerId = newId('cus')
  const daysAgo = 1 + random.below(daysInBusiness)
  const firstSeenAt = randomOpeningTime(now, daysAgo, random)
  return {
    index,
    customer: {
      ...baseColumns(orgId, customerId, firstSeenAt),
      first_name: customer.firstName,
      last_name: customer.lastName,
      business_name: customer.businessName,
      email: customer.email,
      phone: customer.phone,
      address: customer.address,
      notes: customer.notes,
    },
    devices: owns.map((thing) => {
      const [kind, givenName] = typeof thing === 'string' ? [thing] : thing
      const broughtAt = Math.max(firstSeenAt, randomOpeningTime(now, 1 + random.below(daysAgo), random))
      const device = buildDevice(kind, random)
      const row = {
        ...baseColumns(orgId, newId('dev'), broughtAt),
        customer_id: customerId,
        ...device,
        given_name: givenName,
        category_id: assetCategories.get(categoryOfType[device.type] ?? '')?.id,
      }
      return { kind, row }
    }),
  }
}

/** Some minute of a day when the shop was open, from nine to five. */
function randomOpeningTime(now: number, daysAgo: number, { below }: Random): number {
  const midnight = new Date(now - daysAgo * dayMs).setUTCHours(0, 0, 0, 0)
  return midnight + (9 * 60 + below(8 * 60)) * minuteMs
}

async function addOwnEvents(transaction: Queryable, orgId: string, { members }: ShopSetup, week: Week): Promise<void> {
  const rows = shopEvents.map(({ title, day, ...event }: ShopEvent) => ({
    ...baseColumns(orgId, newId('evt'), week.at(-3, '16:00')),
    title,
    has_own_title: true,
    starts_at: new Date(week.at(day, event.from ?? '00:00')),
    ends_at: new Date(event.to ? week.at(day, event.to) : week.at(day + 1, '00:00')),
    all_day: event.from === undefined,
    assigned_to_id: members.get(manager)!.id,
    location: event.location,
    notes: event.notes,
  }))
  const existingEvents = await transaction.query<{ title: string }>(sql`
    select title from calendar_events where org_id = ${orgId} and ticket_id is null
      and starts_at >= ${new Date(week.at(0, '00:00'))} and starts_at < ${new Date(week.at(7, '00:00'))}`)
  await insertRows(
    transaction,
    'calendar_events',
    rows.filter(({ title }) => existingEvents.every((event) => event.title !== title)),
  )
}
