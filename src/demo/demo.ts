// Sample data: a repair shop with its customers and what they own, to look at and to try things on.
import { newId } from '../api/ids.ts'
import { type Database, type Executor, type Row, raw, sql } from '../database.ts'
import { createKey } from '../identity/keys.ts'
import { addMember } from '../identity/members.ts'
import { createOrganisation } from '../identity/organisations.ts'
import type { Vault } from '../identity/secrets.ts'
import { regulars } from './customers.ts'
import { deviceOf } from './devices.ts'
import { customerAt } from './more-customers.ts'
import { admin, organisation } from './organisation.ts'
import { type Chance, chance } from './random.ts'

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
    const { id: orgId } = await createOrganisation(transaction, { name })
    await transaction.query(sql`
      update organisations set email = ${email}, phone = ${phone}, website = ${website}, address = ${address},
        tax_number = ${taxNumber}, document_terms = ${documentTerms}, payment_instructions = ${paymentInstructions}
      where org_id = ${orgId}`)
    const member = await addMember(transaction, vault, orgId, { ...admin, role: 'admin' })
    const { key } = await createKey(transaction, orgId, { name: 'Demo key', scopes: ['full'], createdBy: member.id })
    await fillDemo(transaction, orgId)
    return { orgId, key, admin: { email: admin.email, password: member.password!, totpSecret: member.totpSecret! } }
  })
}

/** Adds so many customers, with all that belongs to them, and counts what was added. Run it in a transaction. */
export async function fillDemo(
  transaction: Executor,
  orgId: string,
  size = regulars.length,
): Promise<Readonly<Record<string, number>>> {
  // Whoever asks again is given other people.
  const [there] = await transaction.query<{ customers: number }>(sql`
    select count(*) as customers from customers where org_id = ${orgId}`)
  const records = shopRecords(orgId, there!.customers, size, Date.now())
  for (const [table, rows] of Object.entries(records)) await insert(transaction, table, rows)
  return Object.fromEntries(Object.entries(records).map(([table, rows]) => [table, rows.length]))
}

const daysInBusiness = 600

/** Rows by table, in the order their references need. */
function shopRecords(orgId: string, firstPlace: number, size: number, now: number): Record<string, Row[]> {
  const customers: Row[] = []
  const devices: Row[] = []
  for (let place = firstPlace; place < firstPlace + size; place++) {
    const { owns = [], ...customer } = customerAt(place)
    const luck = chance(place)
    const customerId = newId('cus')
    const daysAgo = 1 + luck.below(daysInBusiness)
    const cameAt = openingHours(now, daysAgo, luck)
    customers.push({
      ...written(orgId, customerId, cameAt),
      first_name: customer.firstName,
      last_name: customer.lastName,
      business_name: customer.businessName,
      email: customer.email,
      phone: customer.phone,
      address: customer.address,
      notes: customer.notes,
    })
    for (const thing of owns) {
      const [kind, givenName] = typeof thing === 'string' ? [thing] : thing
      devices.push({
        ...written(orgId, newId('dev'), Math.max(cameAt, openingHours(now, 1 + luck.below(daysAgo), luck))),
        customer_id: customerId,
        ...deviceOf(kind, luck),
        given_name: givenName,
      })
    }
  }
  return { customers, devices }
}

/** Some minute of a day when the shop was open, from nine to five. */
function openingHours(now: number, daysAgo: number, { below }: Chance): number {
  const midnight = new Date(now - daysAgo * 86_400_000).setUTCHours(0, 0, 0, 0)
  return midnight + (9 * 60 + below(8 * 60)) * 60_000
}

const written = (orgId: string, id: string, at: number) => ({
  org_id: orgId,
  id,
  created_at: new Date(at),
  updated_at: new Date(at),
})

/** Rows name their columns themselves; many go in one statement, and each statement stays short of its time limit. */
async function insert(transaction: Executor, table: string, rows: readonly Row[]): Promise<void> {
  const columns = raw(Object.keys(rows[0] ?? {}).join(', '))
  for (let start = 0; start < rows.length; start += 1_000) {
    await transaction.query(sql`
      insert into ${raw(table)} (${columns}) select ${columns}
      from jsonb_populate_recordset(null::${raw(table)}, ${JSON.stringify(rows.slice(start, start + 1_000))}::jsonb)`)
  }
}
