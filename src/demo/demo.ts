// Sample data: a repair shop with its customers, what they own and what is done about it, to look at and to try things on.
import { newId } from '../api/ids.ts'
import { type Database, type Executor, sql } from '../database.ts'
import { createKey } from '../identity/keys.ts'
import { addMember } from '../identity/members.ts'
import { createOrganisation, findOrganisation } from '../identity/organisations.ts'
import type { Vault } from '../identity/secrets.ts'
import { addAgreement } from './agreement.ts'
import { categoryOfType } from './catalogue.ts'
import { regulars } from './customers.ts'
import { deviceOf } from './devices.ts'
import { customerAt } from './more-customers.ts'
import { admin, organisation } from './organisation.ts'
import { plansFor, type Visitor } from './plans.ts'
import { type Chance, chance } from './random.ts'
import { insert, written } from './rows.ts'
import { manager } from './staff.ts'
import { addTickets } from './tickets.ts'
import { type OwnEvent, ownEvents, type Week, weekOf } from './week.ts'
import { openWorkshop, type Workshop } from './workshop.ts'

export interface Demo {
  readonly orgId: string
  /** May do everything, for 90 days. */
  readonly key: string
  readonly admin: { readonly email: string; readonly password: string; readonly totpSecret: string }
}

export async function hasOrganisations(database: Executor): Promise<boolean> {
  const [found] = await database.query<{ any: boolean }>(sql`select exists (select from organisations) as any`)
  return found!.any
}

/** The demo organisation with everything in it, for a first start on an empty database. */
export function makeDemo(database: Database, vault: Vault): Promise<Demo> {
  return database.transaction(async (transaction) => {
    const { name, email, phone, website, address, taxNumber, documentTerms, paymentInstructions } = organisation
    const { id: orgId, timeZone } = await createOrganisation(transaction, { name })
    await transaction.query(sql`
      update organisations set email = ${email}, phone = ${phone}, website = ${website}, address = ${address},
        tax_number = ${taxNumber}, document_terms = ${documentTerms}, payment_instructions = ${paymentInstructions}
      where org_id = ${orgId}`)
    const member = await addMember(transaction, vault, orgId, { ...admin, role: 'admin' })
    const { key } = await createKey(transaction, orgId, { name: 'Demo key', scopes: ['full'], createdBy: member.id })
    await fillDemo(transaction, orgId)
    await addAgreement(transaction, orgId, timeZone, new Date())
    return { orgId, key, admin: { email: admin.email, password: member.password!, totpSecret: member.totpSecret! } }
  })
}

/** Adds so many customers, with all that belongs to them, and counts what was added. Run it in a transaction. */
export async function fillDemo(
  transaction: Executor,
  orgId: string,
  size = regulars.length,
  now = new Date(),
): Promise<Readonly<Record<string, number>>> {
  const { currency, timeZone } = await findOrganisation(transaction, orgId)
  const week = await weekOf(transaction, timeZone, now)
  const workshop = await openWorkshop(transaction, orgId, week)
  // Whoever asks again is given other people.
  const [there] = await transaction.query<{ customers: number }>(sql`
    select count(*) as customers from customers where org_id = ${orgId}`)
  const visitors = Array.from({ length: size }, (_, index) =>
    visitorAt(orgId, there!.customers + index, workshop, week),
  )
  const plans = plansFor(visitors, week)
  const customers = visitors.map(({ customer }) => customer)
  const devices = visitors.flatMap((visitor) => visitor.devices.map(({ row }) => row))
  await insert(transaction, 'customers', customers)
  await insert(transaction, 'devices', devices)
  const papers = await addTickets(transaction, { orgId, currency, now: week.now, workshop }, plans)
  await addOwnEvents(transaction, orgId, workshop, week)
  return { customers: customers.length, devices: devices.length, jobs: plans.length, ...papers }
}

const daysInBusiness = 600

function visitorAt(orgId: string, place: number, { assetCategories }: Workshop, { now }: Week): Visitor {
  const { owns = [], ...customer } = customerAt(place)
  const luck = chance(place)
  const customerId = newId('cus')
  const daysAgo = 1 + luck.below(daysInBusiness)
  const cameAt = openingHours(now, daysAgo, luck)
  return {
    place,
    customer: {
      ...written(orgId, customerId, cameAt),
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
      const broughtAt = Math.max(cameAt, openingHours(now, 1 + luck.below(daysAgo), luck))
      const device = deviceOf(kind, luck)
      const row = {
        ...written(orgId, newId('dev'), broughtAt),
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
function openingHours(now: number, daysAgo: number, { below }: Chance): number {
  const midnight = new Date(now - daysAgo * 86_400_000).setUTCHours(0, 0, 0, 0)
  return midnight + (9 * 60 + below(8 * 60)) * 60_000
}

async function addOwnEvents(transaction: Executor, orgId: string, { members }: Workshop, week: Week): Promise<void> {
  const rows = ownEvents.map(({ title, day, ...event }: OwnEvent) => ({
    ...written(orgId, newId('evt'), week.at(-3, '16:00')),
    title,
    has_own_title: true,
    starts_at: new Date(week.at(day, event.from ?? '00:00')),
    ends_at: new Date(event.to ? week.at(day, event.to) : week.at(day + 1, '00:00')),
    all_day: event.from === undefined,
    assigned_to_id: members.get(manager)!.id,
    location: event.location,
    notes: event.notes,
  }))
  const there = await transaction.query<{ title: string }>(sql`
    select title from calendar_events where org_id = ${orgId} and ticket_id is null
      and starts_at >= ${new Date(week.at(0, '00:00'))} and starts_at < ${new Date(week.at(7, '00:00'))}`)
  await insert(
    transaction,
    'calendar_events',
    rows.filter(({ title }) => there.every((event) => event.title !== title)),
  )
}
