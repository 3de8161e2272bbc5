// Jobs through HTTP: what they copy, their numbers, statuses, filters, schedule, timeline and end.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { blank, formWriter } from '../../../test/forms.ts'
import { type Client, type Reply, startTestService } from '../../../test/test-service.ts'
import { sql } from '../../db/database.ts'
import { addMember } from '../../identity/members.ts'

const { organisation, client, database } = await startTestService()
const vault = { encrypt: (text: string) => text, decrypt: (text: string) => text, fingerprint: (text: string) => text }

let people = 0
const technician = async (orgId: string, firstName = 'Tess') =>
  (
    await database.transaction('test', (tx) =>
      addMember(tx, vault, orgId, { email: `t${++people}@shop.example`, firstName, password: 'x' }),
    )
  ).id
const create = async (client: Client, path: string, body: object) => {
  const { status, body: answer } = await client.post(path, body)
  assert.equal(status, 201, JSON.stringify(answer))
  return answer.data
}
const refusalOf = (reply: Reply) => [reply.status, reply.body.error]
const timeline = async (shop: Client, ticketId: string): Promise<string[]> =>
  (await shop.get(`/tickets/${ticketId}/messages`)).body.data.messages.map(
    ({ systemEvent }: { systemEvent: string }) => systemEvent,
  )

test('a job that goes to another customer takes that one’s name, email and address, unless told otherwise', async () => {
  const client = await organisation()
  const ada = await create(client, '/customers', { firstName: 'Ada', address: 'Ada street', email: 'ada@a.example' })
  const bo = await create(client, '/customers', { firstName: 'Bo', address: 'Bo street' })
  const { id } = await create(client, '/tickets', { customerId: ada.id })
  const moved = (await client.put(`/tickets/${id}`, { customerId: bo.id })).body.data
  assert.deepEqual([moved.customerName, moved.customerEmail, moved.address], ['Bo', null, 'Bo street'])
  const back = (await client.put(`/tickets/${id}`, { customerId: ada.id, customerName: 'Mrs A' })).body.data
  assert.deepEqual([back.customerName, back.address], ['Mrs A', 'Ada street'])
})

describe('creating', () => {
  test('copies the name, email and address of the customer at that moment', async () => {
    const shop = await organisation()
    const ada = await create(shop, '/customers', {
      firstName: 'Ada',
      lastName: 'L',
      email: 'ada@x.example',
      address: '1 Row',
    })
    const job = await create(shop, '/tickets', { customerId: ada.id, serviceRequired: 'Fix it' })
    assert.deepEqual([job.customerName, job.customerEmail, job.address], ['Ada L', 'ada@x.example', '1 Row'])
    assert.deepEqual([job.status, job.priority, job.closedAt, job.scheduledAllDay], ['Open', 'normal', null, false])
    await shop.put(`/customers/${ada.id}`, { firstName: 'Eve', email: null })
    assert.equal((await shop.get(`/tickets/${job.id}`)).body.data.customerName, 'Ada L')
    const firm = await create(shop, '/customers', { firstName: 'Bo', businessName: 'Bo & Co' })
    assert.equal((await create(shop, '/tickets', { customerId: firm.id })).customerName, 'Bo & Co')
    assert.equal(
      (await create(shop, '/tickets', { customerId: firm.id, customerName: 'At the desk' })).customerName,
      'At the desk',
    )
  })

  test('refuses by name', async () => {
    const shop = await organisation()
    const ada = await create(shop, '/customers', { firstName: 'Ada' })
    const other = await create(shop, '/customers', { firstName: 'Bea' })
    const device = await create(shop, `/customers/${other.id}/devices`, { brand: 'X' })
    const idle = await technician(shop.orgId)
    await database.query(sql`update members set is_active = false where org_id = ${shop.orgId} and id = ${idle}`)
    const wrong: [object, number, string][] = [
      [{}, 400, 'customerId or customerName is required'],
      [{ customerId: 'nobody' }, 404, 'Customer not found'],
      [{ customerName: 'A', status: 'open' }, 400, 'status "open" is not a status of this organisation'],
      [{ customerId: ada.id, deviceId: 'none' }, 400, 'deviceId does not exist'],
      [{ customerId: ada.id, deviceId: device.id }, 400, 'deviceId does not belong to this customer'],
      [{ customerName: 'A', stationId: 'none' }, 400, 'stationId does not exist'],
      [{ customerName: 'A', assignedTechnician: 'none' }, 400, 'assignedTechnician does not exist'],
      [{ customerName: 'A', assignedTechnician: idle }, 400, 'assignedTechnician is not an active member'],
      [{ customerName: 'A', priority: 'soon' }, 400, 'priority must be one of low, normal, high, urgent'],
      [{ customerName: 'A', scheduledFrom: '2026-11-16T09:00:00Z' }, 400, 'scheduledTo is required with scheduledFrom'],
      [
        { customerName: 'A', scheduledFrom: '2026-11-16T09:00:00Z', scheduledTo: '2026-11-16T09:00:00Z' },
        400,
        'scheduledTo must be after scheduledFrom',
      ],
      [
        { customerName: 'A', scheduledFrom: '2026-11-16', scheduledTo: '2026-11-17' },
        400,
        'scheduledFrom must be an ISO 8601 date-time with an offset from 1970 on, such as 2026-11-15T09:00:00Z (write + as %2B in a URL)',
      ],
    ]
    for (const [body, status, error] of wrong)
      assert.deepEqual(refusalOf(await shop.post('/tickets', body)), [status, error])
    const next = await create(shop, '/tickets', { customerName: 'A' })
    assert.equal(next.ticketNumber, 1, 'a refused job took no number')
  })

  test('sixteen at once have sixteen numbers in a row', async () => {
    const shop = await organisation()
    const jobs = await Promise.all(Array.from({ length: 16 }, () => create(shop, '/tickets', { customerName: 'A' })))
    const numbers = jobs.map(({ ticketNumber }) => ticketNumber).sort((a, b) => a - b)
    assert.deepEqual(
      numbers,
      Array.from({ length: 16 }, (_, n) => n + 1),
    )
  })

  test('a job for a customer who is being deleted is not left behind', async () => {
    const shop = await organisation()
    const ada = await create(shop, '/customers', { firstName: 'Ada' })
    const replies = await Promise.all([
      ...Array.from({ length: 8 }, () => shop.post('/tickets', { customerId: ada.id })),
      shop.delete(`/customers/${ada.id}`),
      ...Array.from({ length: 8 }, () => shop.post('/tickets', { customerId: ada.id })),
    ])
    for (const { status } of replies) assert.ok([200, 201, 404].includes(status), `${status}`)
    assert.equal((await shop.get('/tickets')).body.data.tickets.length, 0)
  })
})

describe('changing', () => {
  test('moves between any statuses, and remembers when it was closed', async () => {
    const shop = await organisation()
    await create(shop, '/ticket-statuses', { name: 'Waiting for parts' })
    const { id } = await create(shop, '/tickets', { customerName: 'A' })
    const move = async (status: string) => (await shop.put(`/tickets/${id}/status`, { status })).body.data
    assert.equal((await move('Waiting for parts')).status, 'Waiting for parts')
    const closed = await move('Closed')
    assert.ok(closed.closedAt)
    assert.equal((await move('Closed')).closedAt, closed.closedAt)
    assert.equal((await move('In Progress')).closedAt, null)
    assert.deepEqual(await timeline(shop, id), ['jobCreated', 'statusChanged', 'statusChanged', 'statusChanged'])
    const unknown = await shop.put(`/tickets/${id}/status`, { status: 'Nowhere' })
    assert.deepEqual(refusalOf(unknown), [400, 'status "Nowhere" is not a status of this organisation'])
  })

  test('a status that comes to mean closed closes its jobs, and opens them again', async () => {
    const shop = await organisation()
    const status = await create(shop, '/ticket-statuses', { name: 'Collected' })
    const { id } = await create(shop, '/tickets', { customerName: 'A', status: 'Collected' })
    const closedAt = async (stage: string) => {
      await shop.put(`/ticket-statuses/${status.id}`, { stage })
      return (await shop.get(`/tickets/${id}`)).body.data.closedAt
    }
    assert.ok(await closedAt('closed'))
    assert.equal(await closedAt('open'), null)
  })

  test('a linked device lends its type and name, follows its changes, and leaves its name when it goes', async () => {
    const shop = await organisation()
    const ada = await create(shop, '/customers', { firstName: 'Ada' })
    const device = await create(shop, `/customers/${ada.id}/devices`, { type: 'Phone', brand: 'A', model: '1' })
    const job = await create(shop, '/tickets', {
      customerId: ada.id,
      deviceId: device.id,
      customerDeviceName: 'ignored',
    })
    const devices = async () => {
      const { deviceId, customerDeviceType, customerDeviceName } = (await shop.get(`/tickets/${job.id}`)).body.data
      return [deviceId, customerDeviceType, customerDeviceName]
    }
    assert.deepEqual(await devices(), [device.id, 'Phone', 'A 1'])
    await shop.put(`/customers/${ada.id}/devices/${device.id}`, { model: '2' })
    assert.deepEqual(await devices(), [device.id, 'Phone', 'A 2'])
    await shop.put(`/tickets/${job.id}`, { customerDeviceName: 'Other' })
    assert.deepEqual(await devices(), [device.id, 'Phone', 'A 2'])
    await shop.delete(`/customers/${ada.id}/devices/${device.id}`)
    assert.deepEqual(await devices(), [null, 'Phone', 'A 2'])
    await shop.put(`/tickets/${job.id}`, { customerDeviceName: 'Other' })
    assert.deepEqual(await devices(), [null, 'Phone', 'Other'])
  })

  test('a device stays with its customer', async () => {
    const shop = await organisation()
    const [ada, bea] = [
      await create(shop, '/customers', { firstName: 'Ada' }),
      await create(shop, '/customers', { firstName: 'Bea' }),
    ]
    const device = await create(shop, `/customers/${ada.id}/devices`, { brand: 'A' })
    const job = await create(shop, '/tickets', { customerId: ada.id, deviceId: device.id })
    const moved = await shop.put(`/tickets/${job.id}`, { customerId: bea.id })
    assert.deepEqual(refusalOf(moved), [400, 'deviceId does not belong to this customer'])
    assert.equal((await shop.put(`/tickets/${job.id}`, { customerId: bea.id, deviceId: null })).status, 200)
  })

  test('sixteen changes of different fields at once all hold', async () => {
    const shop = await organisation()
    const { id } = await create(shop, '/tickets', { customerName: 'A' })
    const changes = {
      customerName: 'B',
      serviceRequired: 'S',
      description: 'D',
      priority: 'high',
      address: 'X',
      customerEmail: 'e@x.example',
      customerDeviceType: 'T',
      customerDeviceName: 'N',
    }
    const each = Object.entries(changes).flatMap(([field, value]) => [{ [field]: value }, { [field]: value }])
    for (const { status } of await Promise.all(each.map((change) => shop.put(`/tickets/${id}`, change))))
      assert.equal(status, 200)
    const { data } = (await shop.get(`/tickets/${id}`)).body
    for (const [field, value] of Object.entries(changes)) assert.equal(data[field], value, field)
  })

  test('moves that meet all arrive, each from where the one before left the job', async () => {
    const shop = await organisation()
    await create(shop, '/ticket-statuses', { name: 'Waiting' })
    const job = await create(shop, '/tickets', {
      customerName: 'A',
      scheduledFrom: '2026-11-16T09:00:00Z',
      scheduledTo: '2026-11-16T10:00:00Z',
    })
    for (let round = 0; round < 5; round++) {
      const replies = await Promise.all([
        ...['Open', 'In Progress', 'Waiting', 'Closed'].map((status) =>
          shop.put(`/tickets/${job.id}/status`, { status }),
        ),
        shop.put(`/tickets/${job.id}`, { description: `round ${round}` }),
        shop.put(`/calendar-events/${job.calendarEventId}`, { title: `round ${round}` }),
      ])
      assert.deepEqual(
        replies.map(({ status }) => status),
        Array(6).fill(200),
      )
    }
    const { status: last } = (await shop.get(`/tickets/${job.id}`)).body.data
    const { messages } = (await shop.get(`/tickets/${job.id}/messages?limit=100`)).body.data
    const moves = messages.filter(({ systemEvent }: { systemEvent: string }) => systemEvent === 'statusChanged')
    // Each move leaves the status that another one reached, but for the first status and the last.
    const left = moves.map(({ systemData }: { systemData: { from: string } }) => systemData.from)
    const reached = moves.map(({ systemData }: { systemData: { to: string } }) => systemData.to)
    assert.deepEqual([...left, last].sort(), ['Open', ...reached].sort())
  })

  test('a job agrees with its status and its device, also when they change while it is made', async () => {
    const shop = await organisation()
    const ada = await create(shop, '/customers', { firstName: 'Ada' })
    for (let round = 0; round < 6; round++) {
      const status = await create(shop, '/ticket-statuses', { name: `Stage ${round}` })
      const device = await create(shop, `/customers/${ada.id}/devices`, { name: 'Before' })
      const [job] = await Promise.all([
        create(shop, '/tickets', { customerId: ada.id, deviceId: device.id, status: status.name }),
        shop.put(`/ticket-statuses/${status.id}`, { stage: 'closed' }),
        shop.put(`/customers/${ada.id}/devices/${device.id}`, { name: 'After' }),
      ])
      const { closedAt, customerDeviceName } = (await shop.get(`/tickets/${job.id}`)).body.data
      assert.ok(closedAt, `round ${round}`)
      assert.equal(customerDeviceName, 'After', `round ${round}`)
    }
  })

  test('what was read can be put back', async () => {
    const shop = await organisation()
    const job = await create(shop, '/tickets', {
      customerName: 'A',
      scheduledFrom: '2026-11-16T09:00:00Z',
      scheduledTo: '2026-11-16T10:00:00Z',
    })
    const { status, body } = await shop.put(`/tickets/${job.id}`, job)
    assert.equal(status, 200)
    assert.deepEqual({ ...body.data, updatedAt: null }, { ...job, updatedAt: null })
    assert.deepEqual(await timeline(shop, job.id), ['jobCreated', 'scheduled'])
  })
})

describe('scheduling', () => {
  const nine = { scheduledFrom: '2026-11-16T09:00:00.000Z', scheduledTo: '2026-11-16T10:00:00.000Z' }

  test('a scheduled job has an event, which follows it and goes with its times', async () => {
    const shop = await organisation()
    const tess = await technician(shop.orgId)
    const job = await create(shop, '/tickets', {
      customerName: 'A',
      serviceRequired: 'Boiler',
      assignedTechnician: tess,
      ...nine,
    })
    const event = (await shop.get(`/calendar-events/${job.calendarEventId}`)).body.data
    assert.deepEqual(
      [event.title, event.from, event.to, event.ticketId, event.assignedToId],
      ['#1 Boiler', nine.scheduledFrom, nine.scheduledTo, job.id, tess],
    )
    await shop.put(`/tickets/${job.id}`, {
      scheduledFrom: '2026-11-16T08:00:00+00:00',
      serviceRequired: 'Stove',
      assignedTechnician: null,
    })
    const moved = (await shop.get(`/calendar-events/${job.calendarEventId}`)).body.data
    assert.deepEqual([moved.title, moved.from, moved.assignedToId], ['#1 Stove', '2026-11-16T08:00:00.000Z', null])
    await shop.put(`/tickets/${job.id}`, { scheduledFrom: null, scheduledTo: null })
    assert.equal((await shop.get(`/calendar-events/${job.calendarEventId}`)).status, 404)
    const { scheduledFrom, calendarEventId } = (await shop.get(`/tickets/${job.id}`)).body.data
    assert.deepEqual([scheduledFrom, calendarEventId], [null, null])
    assert.deepEqual(await timeline(shop, job.id), [
      'jobCreated',
      'scheduled',
      'assigneeChanged',
      'rescheduled',
      'unscheduled',
    ])
  })

  test('whole days begin and end at midnight where the shop is', async () => {
    const shop = await organisation()
    await shop.put('', { timeZone: 'Pacific/Auckland' })
    const job = await create(shop, '/tickets', { customerName: 'A', ...nine, scheduledAllDay: true })
    assert.deepEqual([job.scheduledFrom, job.scheduledTo], ['2026-11-15T11:00:00.000Z', '2026-11-16T11:00:00.000Z'])
  })

  test('half a schedule is refused on a change too', async () => {
    const shop = await organisation()
    const job = await create(shop, '/tickets', { customerName: 'A', ...nine })
    assert.deepEqual(refusalOf(await shop.put(`/tickets/${job.id}`, { scheduledTo: null })), [
      400,
      'scheduledTo is required with scheduledFrom',
    ])
  })
})

describe('listing', () => {
  test('goes from the newest, by each filter and by several', async () => {
    const shop = await organisation()
    const tess = await technician(shop.orgId)
    const ada = await create(shop, '/customers', { firstName: 'Ada' })
    const device = await create(shop, `/customers/${ada.id}/devices`, { brand: 'A' })
    const bench = await create(shop, '/stations', { name: 'Bench' })
    const custom = await create(shop, '/ticket-statuses', { name: 'Waiting' })
    const first = await create(shop, '/tickets', { customerName: 'First', status: 'Closed' })
    const second = await create(shop, '/tickets', {
      customerId: ada.id,
      deviceId: device.id,
      stationId: bench.id,
      assignedTechnician: tess,
    })
    const third = await create(shop, '/tickets', { customerName: 'Third', status: 'Waiting' })
    const found = async (query: string) =>
      (await shop.get(`/tickets${query}`)).body.data.tickets.map(({ id }: { id: string }) => id)
    assert.deepEqual(await found(''), [third.id, second.id, first.id])
    assert.deepEqual(await found('?status=Closed'), [first.id])
    assert.deepEqual(await found('?status=In%20Progress'), [])
    assert.deepEqual(await found(`?statusId=${custom.id}`), [third.id])
    const both = `?customerId=${ada.id}&deviceId=${device.id}&stationId=${bench.id}&assignedTechnician=${tess}&status=Open`
    assert.deepEqual(await found(both), [second.id])
    assert.deepEqual(await found(`?limit=1&startAfter=${third.id}`), [second.id])
    await shop.put(`/tickets/${first.id}`, { description: 'touched' })
    assert.deepEqual(await found(`?updatedAfter=${encodeURIComponent(third.createdAt)}`), [first.id])
    assert.deepEqual(refusalOf(await shop.get('/tickets?status=Waiting')), [
      400,
      'status must be one of Open, In Progress, Closed',
    ])
    assert.equal((await shop.get('/tickets?updatedAfter=yesterday')).status, 400)
  })

  test('sends along what include names, in one go', async () => {
    const shop = await organisation()
    const ada = await create(shop, '/customers', { firstName: 'Ada' })
    const device = await create(shop, `/customers/${ada.id}/devices`, { brand: 'A' })
    const job = await create(shop, '/tickets', { customerId: ada.id, deviceId: device.id })
    const line = await create(shop, `/tickets/${job.id}/services`, { name: 'Labour', unitPrice: 10 })
    const { data } = (await shop.get(`/tickets/${job.id}?include=lines,customer,device`)).body
    assert.deepEqual(data.customer, ada)
    assert.deepEqual(data.device, device)
    assert.deepEqual(data.lines, { services: [line], inventory: [] })
    const [listed] = (await shop.get('/tickets?include=customer')).body.data.tickets
    assert.deepEqual([listed.customer, 'device' in listed], [ada, false])
    assert.equal((await shop.get('/tickets?include=everything')).status, 400)
    const limited = await client(shop.orgId, { scopes: ['tickets:read', 'devices:read'] })
    assert.equal((await limited.get('/tickets?include=device,lines')).status, 200)
    const lacking = await limited.get(`/tickets/${job.id}?include=customer`)
    assert.deepEqual([lacking.status, lacking.body.requiredScopes], [403, ['tickets:read', 'customers:read']])
  })
})

describe('deleting', () => {
  test('takes lines, messages, signature and event along', async () => {
    const shop = await organisation()
    const job = await create(shop, '/tickets', {
      customerName: 'A',
      scheduledFrom: '2026-11-16T09:00:00Z',
      scheduledTo: '2026-11-16T10:00:00Z',
    })
    await create(shop, `/tickets/${job.id}/services`, { name: 'Labour' })
    await shop.put(`/tickets/${job.id}/signature`, { signature: 'data:,x' })
    const { status, body } = await shop.delete(`/tickets/${job.id}`)
    assert.deepEqual([status, body.data], [200, { message: 'Job deleted', id: job.id }])
    assert.equal((await shop.get(`/calendar-events/${job.calendarEventId}`)).status, 404)
    for (const path of ['', '/services', '/messages', '/discount', '/totals', '/signature']) {
      assert.deepEqual(refusalOf(await shop.get(`/tickets/${job.id}${path}`)), [404, 'Job not found'], path)
    }
    const left = await database.query(sql`select from messages where org_id = ${shop.orgId}`)
    assert.equal(left.length, 0)
  })

  test('a customer takes their jobs along if the key may delete jobs, and only if it is asked to', async () => {
    const shop = await organisation()
    const ada = await create(shop, '/customers', { firstName: 'Ada' })
    const jobs = [
      await create(shop, '/tickets', { customerId: ada.id }),
      await create(shop, '/tickets', { customerId: ada.id }),
    ]
    const kept = await shop.delete(`/customers/${ada.id}?cascade=false`)
    assert.deepEqual(
      [kept.status, kept.body.code, kept.body.data.ticketIds],
      [409, 'CUSTOMER_HAS_TICKETS', jobs.map(({ id }) => id)],
    )
    const limited = await client(shop.orgId, { scopes: ['customers:delete'] })
    const lacking = await limited.delete(`/customers/${ada.id}`)
    assert.deepEqual([lacking.status, lacking.body.requiredScopes], [403, ['customers:delete', 'tickets:delete']])
    const pen = formWriter(database, shop.orgId)
    const form = await pen.add(jobs[1].id, (await pen.import([blank])).templates[0]!, 'invoice')
    const gated = await shop.delete(`/customers/${ada.id}`)
    assert.deepEqual(
      [gated.status, gated.body.code, gated.body.data],
      [409, 'FORM_GATE_DELETE', { ticketIds: [jobs[1].id] }],
    )
    assert.equal((await shop.get('/tickets')).body.data.tickets.length, 2)
    await pen.void(form.id)
    assert.equal((await shop.delete(`/customers/${ada.id}`)).status, 200)
    assert.equal((await shop.get('/tickets')).body.data.tickets.length, 0)
  })
})
