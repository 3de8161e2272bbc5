// Invoices that were sent, and files for the bookkeeper, as a shop makes them in tests.
import assert from 'node:assert/strict'
import { type Database, raw, sql } from '../src/db/database.ts'
import type { Client } from './test-service.ts'

/** A month of which files are made. */
export const period = { from: '2026-11-01', to: '2026-11-30' }
export const made = async (shop: Client, path: string, body: object) => {
  const { status, body: answer } = await shop.post(path, body)
  assert.equal(status, 201, JSON.stringify(answer))
  return answer.data
}
export const invoiceOf = (shop: Client, issuedAt = '2026-11-10T12:00:00Z') =>
  made(shop, '/invoices', {
    customerName: 'Amara',
    issuedAt,
    status: 'sent',
    lineItems: [{ name: 'Oven', unitPrice: 100 }],
  })
export const exportOf = (shop: Client, more: object = {}) =>
  made(shop, '/exports', { format: 'csv', ...period, ...more })

/** As an import marks what it brought with its books. */
export const bookedElsewhereIn =
  (database: Database) =>
  (shop: Client, table: string, { id }: { id: string }) =>
    database.query(sql`update ${raw(table)} set booked_elsewhere = true where org_id = ${shop.orgId} and id = ${id}`)
