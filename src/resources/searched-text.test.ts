// What jobs, quotes and invoices are found by: all that they show, as it is now.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../test/test-service.ts'
import { raw, sql } from '../db/database.ts'

const here = await startTestService()
const shop = await here.organisation()

const jobColumns = ['service_required', 'customer_name', 'customer_device_name', 'customer_device_type', 'description']
const columnsOf = {
  tickets: jobColumns,
  quotes: ['quote_number', 'customer_name', 'title'],
  invoices: ['invoice_number', 'customer_name', 'title'],
}
const lineItems = [{ name: 'Labour', quantity: 1, unitPrice: 40 }]

for (const [table, columns] of Object.entries(columnsOf))
  test(`the text of ${table} follows each field that they show, whoever changes it, and nothing else`, async () => {
    const body = { customerName: 'Ada', ...(table !== 'tickets' && { lineItems }) }
    const { id } = (await shop.post(`/${table}`, body)).body.data
    const update = async (column: string, value: string) => {
      await here.database.query(sql`
        update ${raw(table)} set ${raw(column)} = ${value} where org_id = ${shop.orgId} and id = ${id}`)
      const [row] = await here.database.query<{ text: string }>(sql`
        select search_text as text from ${raw(table)} where org_id = ${shop.orgId} and id = ${id}`)
      return row!.text
    }
    const made = await update('customer_name', 'Ada')
    assert.match(made, /^.*\d\n.*ada\n/s)
    for (const column of columns) {
      assert.match(await update(column, `Zëbra ${column}`), new RegExp(`zebra ${column}`))
      assert.doesNotMatch(await update(column, `Okapi ${column}`), /zebra/)
    }
    const now = await update('customer_name', 'Ada')
    assert.equal(await update('search_text', 'what nobody shows'), now)
  })
