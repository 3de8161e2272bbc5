// Lines, discount, totals, signature and messages of a job, through HTTP.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Client, type Reply, startTestService } from '../../../test/test-service.ts'

const { organisation } = await startTestService()

const create = async (client: Client, path: string, body: object) => {
  const { status, body: answer } = await client.post(path, body)
  assert.equal(status, 201, JSON.stringify(answer))
  return answer.data
}
const refusalOf = (reply: Reply) => [reply.status, reply.body.error]
async function job() {
  const shop = await organisation()
  const { id } = await create(shop, '/tickets', { customerName: 'Ada' })
  return { shop, ticket: `/tickets/${id}`, ticketId: id as string }
}

describe('lines', () => {
  test('copy from the catalogue what they were not given, once', async () => {
    const { shop, ticket } = await job()
    const vat = await create(shop, '/tax-rates', { name: 'VAT', rate: 20 })
    const service = await create(shop, '/services', {
      name: 'Labour',
      description: 'By the hour',
      price: 40.5,
      warrantyDays: 30,
      taxRateId: vat.id,
    })
    const line = await create(shop, `${ticket}/services`, { serviceId: service.id, quantity: 2 })
    assert.deepEqual(
      [line.name, line.description, line.unitPrice, line.warrantyDays, line.taxRateId, line.taxRate, line.lineTotal],
      ['Labour', 'By the hour', 40.5, 30, vat.id, { name: 'VAT', rate: 20, isInclusive: false }, 81],
    )
    await shop.put(`/services/${service.id}`, { price: 99 })
    await shop.put(`/tax-rates/${vat.id}`, { rate: 5 })
    await shop.delete(`/services/${service.id}`)
    assert.deepEqual((await shop.get(`${ticket}/services/${line.id}`)).body.data, line)
    const own = await create(shop, `${ticket}/services`, { name: 'Mine', unitPrice: 1, taxRateId: null })
    assert.deepEqual([own.name, own.serviceId, own.taxRate, own.quantity], ['Mine', null, null, 1])
  })

  test('take the default rate when neither they nor their source name one', async () => {
    const { shop, ticket } = await job()
    const standard = await create(shop, '/tax-rates', { name: 'Standard', rate: 19, defaultEnabled: true })
    assert.equal((await create(shop, `${ticket}/services`, { name: 'A' })).taxRateId, standard.id)
    assert.equal((await create(shop, `${ticket}/services`, { name: 'A', taxRateId: null })).taxRateId, null)
  })

  test('refuse by name', async () => {
    const { shop, ticket } = await job()
    const wrong: [object, string][] = [
      [{}, 'name is required unless a source is given'],
      [{ name: 'Screen', foo: 1 }, 'foo is not allowed'],
      [{ name: 'A', quantity: 0 }, 'quantity must be greater than 0'],
      [{ name: 'A', quantity: 1e-11 }, 'quantity must have at most 4 decimal places'],
      [{ name: 'A', quantity: '2' }, 'quantity must be a number'],
      [{ name: 'A', unitPrice: 1.23456 }, 'unitPrice must have at most 4 decimal places'],
      [{ name: 'A', unitPrice: -1 }, 'unitPrice must be at least 0'],
      [{ name: 'A', taxRateId: 'nope' }, 'taxRateId does not exist'],
      [{ serviceId: 'nope' }, 'serviceId does not exist'],
    ]
    for (const [body, error] of wrong)
      assert.deepEqual(refusalOf(await shop.post(`${ticket}/services`, body)), [400, error])
    assert.deepEqual(refusalOf(await shop.post(`${ticket}/inventory`, { inventoryItemId: 'nope' })), [
      400,
      'inventoryItemId does not exist',
    ])
    assert.equal((await shop.get(`${ticket}/services`)).body.data.services.length, 0)
  })

  test('change what is given, and can be put back as they were read', async () => {
    const { shop, ticket } = await job()
    const vat = await create(shop, '/tax-rates', { name: 'VAT', rate: 20 })
    const line = await create(shop, `${ticket}/services`, { name: 'A', unitPrice: 2.5, taxRateId: vat.id })
    const changed = (await shop.put(`${ticket}/services/${line.id}`, { quantity: 3 })).body.data
    assert.deepEqual([changed.lineTotal, changed.taxRate, changed.unitPrice], [7.5, line.taxRate, 2.5])
    await shop.delete(`/tax-rates/${vat.id}`)
    const again = await shop.put(`${ticket}/services/${line.id}`, changed)
    assert.equal(again.status, 200)
    assert.deepEqual({ ...again.body.data, updatedAt: null }, { ...changed, updatedAt: null })
    assert.equal((await shop.put(`${ticket}/services/${line.id}`, { taxRateId: null })).body.data.taxRate, null)
    assert.deepEqual(refusalOf(await shop.put(`${ticket}/services/${line.id}`, { taxRateId: vat.id })), [
      400,
      'taxRateId does not exist',
    ])
  })

  test('are found under their own job only', async () => {
    const { shop, ticket } = await job()
    const line = await create(shop, `${ticket}/services`, { name: 'A' })
    const other = await create(shop, '/tickets', { customerName: 'B' })
    assert.equal((await shop.get(`/tickets/${other.id}/services/${line.id}`)).status, 404)
    assert.equal((await shop.put(`/tickets/${other.id}/services/${line.id}`, { quantity: 2 })).status, 404)
    assert.equal((await shop.delete(`/tickets/${other.id}/services/${line.id}`)).status, 404)
    assert.deepEqual(refusalOf(await shop.post('/tickets/none/services', { name: 'A' })), [404, 'Job not found'])
    assert.equal((await shop.delete(`${ticket}/services/${line.id}`)).status, 200)
  })

  test('move the stock of what is tracked, by what changed', async () => {
    const { shop, ticket } = await job()
    const item = await create(shop, '/inventory', { name: 'Screen', sku: 'S1', price: 50, quantityOnHand: 10 })
    const onHand = async () => (await shop.get(`/inventory/${item.id}`)).body.data.quantityOnHand
    const line = await create(shop, `${ticket}/inventory`, {
      inventoryItemId: item.id,
      quantity: 3,
      serialNumber: 'X-1',
    })
    assert.deepEqual([line.sku, line.serialNumber, line.unitPrice, await onHand()], ['S1', 'X-1', 50, 7])
    await shop.put(`${ticket}/inventory/${line.id}`, { quantity: 1 })
    assert.equal(await onHand(), 9)
    await shop.put(`${ticket}/inventory/${line.id}`, { inventoryItemId: null })
    assert.equal(await onHand(), 10)
    await create(shop, `${ticket}/inventory`, { inventoryItemId: item.id, quantity: 12 })
    assert.equal(await onHand(), -2, 'stock never blocks')
    await shop.put(`/inventory/${item.id}`, { quantityOnHand: -1_000_000_000 })
    const more = await create(shop, `${ticket}/inventory`, { inventoryItemId: item.id, quantity: 5 })
    assert.equal(await onHand(), -1_000_000_005, 'nor is it lost beyond what anybody may enter')
    await shop.delete(`${ticket}/inventory/${more.id}`)
    await shop.put(`/inventory/${item.id}`, { quantityOnHand: -2 })
    await shop.delete(ticket)
    assert.equal(await onHand(), 10, 'a deleted job gives its parts back')
  })

  test('jobs with the same parts in another order are made, changed and deleted at once without a fault', async () => {
    const { shop } = await job()
    const items = await Promise.all(
      Array.from({ length: 8 }, (_, n) => create(shop, '/inventory', { name: `Part ${n}`, quantityOnHand: 10 })),
    )
    const category = await create(shop, '/inventory-categories', { name: 'Parts' })
    const jobs = await Promise.all(
      [items, items.toReversed()].map(async (some) => {
        const { id } = await create(shop, '/tickets', { customerName: 'A' })
        for (const { id: inventoryItemId } of some) await create(shop, `/tickets/${id}/inventory`, { inventoryItemId })
        return id
      }),
    )
    const replies = await Promise.all([
      ...jobs.map((id) => shop.delete(`/tickets/${id}`)),
      ...items.map(({ id }) => shop.put(`/inventory/${id}`, { categoryId: category.id })),
      shop.delete(`/inventory-categories/${category.id}`),
    ])
    for (const { status } of replies) assert.ok(status === 200 || status === 400, `${status}`)
    const stock = (await shop.get('/inventory')).body.data.inventory.map(
      ({ quantityOnHand }: { quantityOnHand: number }) => quantityOnHand,
    )
    assert.deepEqual(stock, Array(8).fill(10))
  })

  test('sixteen parts taken at once are sixteen fewer', async () => {
    const { shop, ticket } = await job()
    const item = await create(shop, '/inventory', { name: 'Screw', quantityOnHand: 100 })
    await Promise.all(
      Array.from({ length: 16 }, () => create(shop, `${ticket}/inventory`, { inventoryItemId: item.id })),
    )
    assert.equal((await shop.get(`/inventory/${item.id}`)).body.data.quantityOnHand, 84)
  })
})

describe('discount and totals', () => {
  test('add up, with the discount split over the rates', async () => {
    const { shop, ticket } = await job()
    const plain = await create(shop, '/tax-rates', { name: 'VAT', rate: 20 })
    const inside = await create(shop, '/tax-rates', { name: 'VAT', rate: 20, isInclusive: true })
    await create(shop, `${ticket}/services`, { name: 'A', unitPrice: 100, taxRateId: plain.id })
    await create(shop, `${ticket}/inventory`, { name: 'B', unitPrice: 60, taxRateId: inside.id })
    await create(shop, `${ticket}/inventory`, { name: 'C', unitPrice: 50, taxRateId: null })
    const discount = await shop.put(`${ticket}/discount`, { type: 'percent', value: 10, reason: 'Friend' })
    assert.deepEqual([discount.status, discount.body.data], [200, { type: 'percent', value: 10, reason: 'Friend' }])
    assert.deepEqual((await shop.get(`${ticket}/discount`)).body.data, discount.body.data)
    const { data } = (await shop.get(`${ticket}/totals`)).body
    assert.deepEqual(data, {
      currency: 'GBP',
      serviceSubtotal: 100,
      inventorySubtotal: 110,
      subtotal: 210,
      discountTotal: 21,
      netTotal: 180,
      taxTotal: 27,
      total: 207,
      taxes: [
        { taxRateId: inside.id, name: 'VAT', rate: 20, isInclusive: true, taxable: 45, amount: 9 },
        { taxRateId: plain.id, name: 'VAT', rate: 20, isInclusive: false, taxable: 90, amount: 18 },
      ],
    })
    assert.deepEqual((await shop.delete(`${ticket}/discount`)).body.data.message, 'Discount removed')
    assert.equal((await shop.delete(`${ticket}/discount`)).status, 200)
    const none = await shop.get(`${ticket}/discount`)
    assert.deepEqual([none.status, none.body], [200, { success: true, data: null }])
  })

  test('a sum given in another currency is rounded to this one', async () => {
    const { shop, ticket } = await job()
    await create(shop, `${ticket}/services`, { name: 'A', unitPrice: 1_000, taxRateId: null })
    await shop.put(`${ticket}/discount`, { type: 'fixed', value: 10.55 })
    await shop.put('', { currency: 'JPY' })
    const { discountTotal, total } = (await shop.get(`${ticket}/totals`)).body.data
    assert.deepEqual([discountTotal, total], [11, 989])
  })

  test('a job without lines adds up to nothing', async () => {
    const { shop, ticket } = await job()
    await shop.put(`${ticket}/discount`, { type: 'fixed', value: 5 })
    const { total, taxes } = (await shop.get(`${ticket}/totals`)).body.data
    assert.deepEqual([total, taxes], [0, []])
  })

  test('a discount is refused by name', async () => {
    const { shop, ticket } = await job()
    const wrong: [object, string][] = [
      [{}, 'type is required'],
      [{ type: 'percent', value: 120 }, 'value must be between 0 and 100'],
      [{ type: 'percent', value: 10, code: 'X' }, 'code is not allowed'],
      [{ type: 'percent', value: '10' }, 'value must be a number'],
      [{ type: 'fixed', value: 1.234 }, 'value must have at most 2 decimal places'],
      [{ type: 'half', value: 1 }, 'type must be one of percent, fixed'],
    ]
    for (const [body, error] of wrong)
      assert.deepEqual(refusalOf(await shop.put(`${ticket}/discount`, body)), [400, error])
    assert.equal((await shop.put(`${ticket}/discount`, { type: 'fixed', value: 45 })).status, 200)
  })
})

describe('signature', () => {
  test('is kept to 400000 characters, dated, and cleared by null', async () => {
    const { shop, ticket } = await job()
    const none = { signature: null, signedByName: null, signedAt: null }
    assert.deepEqual((await shop.get(`${ticket}/signature`)).body.data, none)
    const signature = 'x'.repeat(400_000)
    const signed = await shop.put(`${ticket}/signature`, { signature, signedByName: 'Ada' })
    assert.equal(signed.status, 200)
    assert.ok(signed.body.data.signedAt)
    assert.equal((await shop.get(`${ticket}/signature`)).body.data.signature.length, 400_000)
    assert.deepEqual((await shop.put(`${ticket}/signature`, { signature: null })).body.data, none)
    const events = (await shop.get(`${ticket}/messages`)).body.data.messages.map(
      ({ systemEvent }: { systemEvent: string }) => systemEvent,
    )
    assert.deepEqual(events, ['jobCreated', 'signatureCaptured', 'signatureCleared'])
    const wrong: [object, string][] = [
      [{ signature: `${signature}x` }, 'signature must be at most 400000 characters'],
      [{ signature: 7 }, 'signature must be a string or null'],
      [{}, 'signature is required'],
    ]
    for (const [body, error] of wrong)
      assert.deepEqual(refusalOf(await shop.put(`${ticket}/signature`, body)), [400, error])
    assert.equal((await shop.put(`${ticket}/signature`, { signature: 'x'.repeat(1_048_576) })).status, 413)
  })
})

describe('messages', () => {
  test('are listed from the oldest, by author, and only those of people can be changed', async () => {
    const { shop, ticket } = await job()
    const message = await create(shop, `${ticket}/messages`, { text: 'Ready', isSystem: true })
    assert.deepEqual(
      [message.isSystem, message.visibility, message.authorId, message.authorName],
      [false, 'internal', shop.keyId, 'API key'],
    )
    const list = (await shop.get(`${ticket}/messages`)).body.data.messages
    assert.deepEqual(
      list.map(({ text }: { text: string }) => text),
      ['The job was created', 'Ready'],
    )
    const changed = await shop.put(`${ticket}/messages/${message.id}`, { text: 'Done', visibility: 'customer' })
    assert.deepEqual([changed.body.data.text, changed.body.data.visibility], ['Done', 'customer'])
    const system = list[0]
    assert.deepEqual(refusalOf(await shop.put(`${ticket}/messages/${system.id}`, { text: 'X' })), [
      400,
      'System messages cannot be updated',
    ])
    assert.equal((await shop.delete(`${ticket}/messages/${system.id}`)).status, 200)
    assert.deepEqual(refusalOf(await shop.post(`${ticket}/messages`, { text: '' })), [400, 'text must not be empty'])
    const other = await create(shop, '/tickets', { customerName: 'B' })
    assert.equal((await shop.get(`/tickets/${other.id}/messages/${message.id}`)).status, 404)
  })
})
