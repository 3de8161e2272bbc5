// Stock, services and reports at the desk over HTTP: who may do what, every act and its refusals, stale forms, scanners, labels.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deskVisitor } from '../../test/desk.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { roles } from '../identity/members.ts'

const here = await startTestService({ PORT: await freePort() })
const { database } = here
const shop = await here.organisation({ name: 'Harbour Repairs' })
const { orgId } = shop
type Visit = Awaited<ReturnType<typeof deskVisitor>>
const [admin, manager, technician] = (await Promise.all(roles.map((role) => deskVisitor(here, orgId, role)))) as [
  Visit,
  Visit,
  Visit,
]

let itemCount = 0
const newItem = async (fields: object = {}) => {
  const name = `Fuse ${itemCount++}`
  return (await shop.post('/inventory', { name, price: 2.5, cost: 1.25, quantityOnHand: 10, ...fields })).body.data
}
const itemNow = async (id: string) => (await shop.get(`/inventory/${id}`)).body.data
const correctionsOf = async (id: string) => (await shop.get(`/inventory/${id}/corrections`)).body.data.corrections

describe('an item', () => {
  test('is made, found, changed field by field, and deleted after a question', async () => {
    const { id: categoryId } = (await shop.post('/inventory-categories', { name: 'Fuses' })).body.data
    const made = await manager.visitor.submit(await manager.open('/stock/new'), `/desk/${orgId}/stock`, {
      ...{ name: 'Fuse, 3 A', sku: 'FUSE-3A', price: '1,50', cost: '0.4', quantityOnHand: '12', reorderLevel: '20' },
      categoryId,
    })
    assert.match(made.url, /\/stock\/itm_\w+\?done=saved$/)
    const id = /itm_\w+/.exec(made.url)![0]
    const { price, cost, quantityOnHand, isLowStock } = await itemNow(id)
    assert.deepEqual([price, cost, quantityOnHand, isLowStock], [1.5, 0.4, 12, true])
    for (const path of ['/stock?q=fuse', '/stock?low=1', `/stock?category=${categoryId}`])
      assert.match((await technician.open(path)).text, />Fuse, 3 A</, path)
    assert.doesNotMatch((await manager.open('/stock?low=1&q=nothing')).text, />Fuse, 3 A</)

    const edit = await manager.open(`/stock/${id}/edit`)
    await shop.put(`/inventory/${id}`, { supplier: 'Thames Spares' })
    const saved = await manager.visitor.submit(edit, `/desk/${orgId}/stock/${id}`, {
      ...{ price: '1.75', categoryId, trackStock: 'true' },
    })
    assert.equal(saved.status, 200)
    const after = await itemNow(id)
    assert.deepEqual([after.price, after.supplier], [1.75, 'Thames Spares'], 'what somebody else changed stays')

    const asked = await manager.open(`/stock/${id}/delete`)
    assert.match(asked.text, /cannot be taken back/)
    assert.equal((await manager.visitor.submit(asked, `/desk/${orgId}/stock/${id}/delete`)).status, 200)
    assert.equal((await shop.get(`/inventory/${id}`)).status, 404)
    const lines = await database.query<{ action: string; name: string }>(
      sql`select action, detail ->> 'name' as name from audit_log where org_id = ${orgId} and subject = ${id} order by at, id`,
    )
    assert.deepEqual(
      lines.map(({ action }) => action),
      ['record.created', 'record.changed', 'record.deleted'],
    )
    assert.ok(lines.every(({ name }) => name === 'item Fuse, 3 A'))
  })

  test('that two people change in one field shows both, and keeps what was typed', async () => {
    const { id } = await newItem()
    const edit = await manager.open(`/stock/${id}/edit`)
    await shop.put(`/inventory/${id}`, { name: 'Theirs' })
    const stale = await manager.visitor.submit(edit, `/desk/${orgId}/stock/${id}`, { name: 'Mine', trackStock: 'true' })
    assert.equal(stale.status, 412)
    assert.match(stale.text, /Theirs/)
    assert.match(stale.text, />Mine</)
    assert.equal((await itemNow(id)).name, 'Theirs')
    await manager.visitor.submit(stale, `/desk/${orgId}/stock/${id}`, { name: 'Mine' })
    assert.equal((await itemNow(id)).name, 'Mine')
  })

  test('is refused in the words of the page, with what was typed', async () => {
    await newItem({ sku: 'TAKEN' })
    const refused = await manager.visitor.submit(await manager.open('/stock/new'), `/desk/${orgId}/stock`, {
      name: 'Again',
      sku: 'TAKEN',
    })
    assert.equal(refused.status, 400)
    assert.match(refused.text, /role="alert">The SKU is already used/)
    assert.match(refused.text, /value="Again"/)
    const { id } = await newItem()
    const wrong = await manager.visitor.submit(await manager.open(`/stock/${id}/edit`), `/desk/${orgId}/stock/${id}`, {
      price: 'much',
      trackStock: 'true',
    })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /role="alert">The price must be a number/)
    assert.match(wrong.text, /value="much"/)
    const script = await manager.send(`/stock/${id}`, { price: '-1', 'was.price': '2.5' })
    assert.deepEqual([script.status, script.said.error], [400, 'The price must be at least 0.'])
  })
})

describe('a correction', () => {
  test('adds or counts, and keeps who made it and why', async () => {
    const { id } = await newItem()
    const page = await manager.open(`/stock/${id}`)
    const corrected = await manager.visitor.submit(page, `/desk/${orgId}/stock/${id}/corrections`, {
      change: '-2',
      reason: 'Two were damaged',
    })
    assert.match(corrected.text, /the reason is kept/)
    assert.match(corrected.text, /Two were damaged/)
    await admin.send(`/stock/${id}/corrections`, { counted: '11,5', reason: 'Counted' })
    assert.equal((await itemNow(id)).quantityOnHand, 11.5)
    const [second, first] = await correctionsOf(id)
    assert.deepEqual(
      [first.quantityDelta, first.quantityAfter, first.reason, first.madeBy],
      [-2, 8, 'Two were damaged', { kind: 'member', id: manager.memberId, name: 'Ann' }],
    )
    assert.deepEqual([second.quantityDelta, second.quantityAfter, second.madeBy.id], [3.5, 11.5, admin.memberId])
  })

  test('needs a reason and a number, and says so', async () => {
    const { id } = await newItem()
    const refusals: readonly [Record<string, string>, RegExp][] = [
      [{ change: '-2', reason: ' ' }, /Say why the quantity is corrected/],
      [{ change: '', counted: '', reason: 'Counted' }, /Give what to add or take away, or what was counted/],
      [{ change: '1', counted: '2', reason: 'Counted' }, /Give what to add or take away, or what was counted/],
      [{ change: '0', reason: 'Counted' }, /The change must not be 0/],
      [{ change: 'few', reason: 'Counted' }, /The change must be a number/],
      [{ counted: '99999999999', reason: 'Counted' }, /The quantity must be at most/],
    ]
    for (const [fields, words] of refusals) {
      const { status, said } = await manager.send(`/stock/${id}/corrections`, fields)
      assert.equal(status, 400)
      assert.match(said.error, words)
    }
    const again = await manager.visitor.submit(
      await manager.open(`/stock/${id}`),
      `/desk/${orgId}/stock/${id}/corrections`,
      {
        change: 'few',
        reason: 'Damaged',
      },
    )
    assert.equal(again.status, 400)
    assert.match(again.text, /value="few"/)
    assert.match(again.text, /value="Damaged"/)
    assert.equal((await itemNow(id)).quantityOnHand, 10)
    assert.deepEqual(await correctionsOf(id), [])
  })

  test('is made in the row of the list, which stays as it was, and can be taken back', async () => {
    const { id, name } = await newItem({ reorderLevel: 9 })
    const list = `/stock?q=${encodeURIComponent(name)}&low=1`
    assert.doesNotMatch((await manager.open(list)).text, new RegExp(id))
    const all = list.replace('&low=1', '')
    const path = `/stock/${id}/corrections`
    const listed = await manager.open(all)
    const done = await manager.visitor.submit(listed, `/desk/${orgId}${path}`, { change: '-2', reason: 'Damaged' })
    assert.match(done.url, /\/stock\?q=Fuse\+\d+&done=corrected$/)
    assert.match(done.text, new RegExp(`id="on-${id}">.*?Low.*?8<`))
    const wrong = await manager.visitor.submit(listed, `/desk/${orgId}${path}`, { change: 'few', reason: 'Lost' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, new RegExp(`id="q-${id}" open>.*role="alert">The change must be a number`, 's'))
    assert.match(wrong.text, /name="change" value="few".*name="reason" value="Lost"/)

    const { said } = await manager.send(path, { change: '1,5', reason: 'Delivery', back: 'q=Fuse' })
    assert.deepEqual(
      [said.said, said.parts[`on-${id}`]],
      [`${name}: 9.5 on hand`, '9.5<span class="phone"> on hand</span>'],
    )
    assert.deepEqual(said.undo, {
      path: `/desk/${orgId}${path}`,
      fields: { change: '-1.5', reason: 'Taken back: Delivery' },
    })
    await manager.send(path, said.undo.fields)
    assert.equal((await itemNow(id)).quantityOnHand, 8)
    assert.equal((await correctionsOf(id)).length, 3, 'nothing of it is forgotten')
    assert.doesNotMatch((await technician.open(all)).text, /data-correct/)
  })

  test('of a row leads back to the list, and nowhere else', async () => {
    const { id } = await newItem()
    const path = `/stock/${id}/corrections`
    const listed = await manager.open('/stock?q=Fuse')
    const done = await manager.visitor.submit(listed, `/desk/${orgId}${path}`, {
      ...{ change: '1', reason: 'Delivery', back: '//evil.example/?q=x&done=paid' },
    })
    assert.match(done.url, new RegExp(`/desk/${orgId}/stock\\?done=corrected$`))
  })

  test('is not for technicians, who see what is there and where it was used, but no prices', async () => {
    const { id } = await newItem()
    const { id: ticketId } = (await shop.post('/tickets', { customerName: 'Ada', serviceRequired: 'Lamp flickers' }))
      .body.data
    await shop.post(`/tickets/${ticketId}/inventory`, { inventoryItemId: id, quantity: 3 })
    const page = await technician.open(`/stock/${id}`)
    assert.match(page.text, /Lamp flickers/)
    assert.match(page.text, /<dd>7<\/dd>/)
    assert.doesNotMatch(page.text, /Correct the quantity|2\.50|1\.25|>Edit</)
    assert.match((await manager.open(`/stock/${id}`)).text, /2\.50.*1\.25/s)
    for (const path of [`/stock/${id}/corrections`, `/stock/${id}`, `/stock/${id}/delete`, '/stock', '/services'])
      assert.equal((await technician.send(path, { change: '1', reason: 'x', name: 'x' })).status, 403, path)
    assert.equal((await itemNow(id)).quantityOnHand, 7)
  })
})

describe('a scanner', () => {
  test('types a code and Enter, and is led to the item that has it', async () => {
    const item = await newItem({ sku: 'SCAN-1', barcode: '8719323020019' })
    for (const code of ['SCAN-1', '8719323020019']) {
      const found = await technician.open(`/stock?q=${code}`)
      assert.match(found.url, new RegExp(`/stock/${item.id}$`), code)
    }
    await newItem({ barcode: '8719323020019' })
    assert.match(
      (await technician.open('/stock?q=8719323020019')).url,
      /\/stock\?q=/,
      'two have it: the list shows both',
    )
    const unknown = await manager.open('/stock?q=4006381333931')
    assert.match(unknown.text, /New item with this barcode/)
    assert.match((await manager.open('/stock/new?barcode=4006381333931')).text, /value="4006381333931"/)
  })

  test('reads the labels: the barcode, or the SKU where there is none', async () => {
    const item = await newItem({ sku: 'LABEL-1' })
    const page = await manager.open(`/stock/${item.id}/label?copies=3`)
    assert.equal(page.text.match(/aria-label="Barcode LABEL-1"/g)?.length, 3)
    const all = await manager.open('/stock/labels?q=Fuse')
    assert.match(all.text, /aria-label="Barcode 8719323020019"/)
    assert.doesNotMatch((await technician.open(`/stock/${item.id}/label`)).text, /2\.50/)
  })
})

test('a service is made, found, changed and deleted', async () => {
  const made = await admin.visitor.submit(await admin.open('/services/new'), `/desk/${orgId}/services`, {
    ...{ name: 'Safety check', price: '45', durationMinutes: '30' },
  })
  const id = /svc_\w+/.exec(made.url)![0]
  assert.match((await technician.open('/services?q=safety')).text, />Safety check</)
  assert.doesNotMatch((await technician.open('/services')).text, /45\.00/)
  assert.match((await manager.open('/services')).text, /45\.00/)
  const edit = await manager.open(`/services/${id}/edit`)
  await manager.visitor.submit(edit, `/desk/${orgId}/services/${id}`, { durationMinutes: '40', isActive: 'false' })
  assert.deepEqual(
    [(await shop.get(`/services/${id}`)).body.data].map(({ durationMinutes, isActive, price }) => [
      durationMinutes,
      isActive,
      price,
    ]),
    [[40, false, 45]],
  )
  const wrong = await manager.send(`/services/${id}`, { durationMinutes: '0', 'was.durationMinutes': '40' })
  assert.match(wrong.said.error, /^The minutes it takes must be at least 1/)
  await manager.visitor.submit(await manager.open(`/services/${id}/delete`), `/desk/${orgId}/services/${id}/delete`)
  assert.equal((await shop.get(`/services/${id}`)).status, 404)
})

describe('a report', () => {
  test('has its figures as a plot, as a table and as CSV, of the period in the address', async () => {
    const { id: invoiceId } = (
      await shop.post('/invoices', {
        customerName: 'Ada',
        lineItems: [{ name: 'Work', unitPrice: 100 }],
        status: 'sent',
      })
    ).body.data
    await shop.post('/payments', { invoiceId, amount: 60.5, paidAt: '2026-03-04T12:00:00Z' })
    await shop.post('/payments', { invoiceId, amount: -10, paidAt: '2026-04-01T12:00:00Z' })
    const period = 'from=2026-03-01&to=2026-04-30&groupBy=month'
    const page = await manager.open(`/reports?report=money-in&${period}`)
    assert.match(page.text, /<th scope="row">Mar 2026<\/th><td[^>]*>£60\.50</)
    assert.match(page.text, /Altogether<\/th><td[^>]*>£60\.50<\/td><td[^>]*>£10\.00<\/td><td[^>]*>£50\.50</)
    assert.equal(page.text.match(/<rect class="s0" x=/g)?.length, 2, 'a column up, and one down')
    const csv = await manager.open(`/reports/csv?report=money-in&${period}`)
    assert.match(csv.headers.get('content-type')!, /^text\/csv/)
    assert.match(
      csv.text,
      /^start,currency,received,refunded,net,payments,refunds\r\n2026-03-01,GBP,60\.5,0,60\.5,1,0\r\n/,
    )
    assert.equal((await technician.open(`/reports/csv?report=jobs`)).status, 403)
  })

  test('that cannot be made says why, and keeps what was asked for', async () => {
    const page = await manager.open('/reports?report=jobs&from=2026-05-02&to=2026-05-01')
    assert.equal(page.status, 400)
    assert.match(page.text, /The first day must not be after the last: 2026-05-02 is after 2026-05-01/)
    assert.match(page.text, /value="2026-05-02"/)
    assert.equal((await manager.open('/reports?report=nothing')).status, 200, 'the first one instead')
  })
})
