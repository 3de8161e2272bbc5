// What narrows the list of jobs: those that match, and those that do not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, type Reply, startTestService } from '../../../test/test-service.ts'
import { person } from '../../../test/visitor.ts'

const here = await startTestService()

const newJob = async (shop: Client, body: object = {}): Promise<string> => {
  const { status, body: answer } = await shop.post('/tickets', { customerName: 'Ada', ...body })
  assert.equal(status, 201, JSON.stringify(answer))
  return answer.data.id
}
/** The titles of the jobs that a query finds, newest first. */
const found = async (shop: Client, query: string): Promise<string[]> => {
  const { status, body } = await shop.get(`/tickets?${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data.tickets.map(({ serviceRequired }: { serviceRequired: string }) => serviceRequired)
}

test('by stage: every status of that stage, built in or not, and as the stage of a status changes', async () => {
  const shop = await here.organisation()
  const statuses: [name: string, stage: string][] = [
    ['Waiting', 'open'],
    ['On the bench', 'inProgress'],
    ['Picked up', 'closed'],
  ]
  for (const [name, stage] of statuses) await shop.post('/ticket-statuses', { name, stage })
  for (const status of ['Open', 'In Progress', 'Closed', 'Waiting', 'On the bench', 'Picked up'])
    await newJob(shop, { status, serviceRequired: status })
  assert.deepEqual(await found(shop, 'stage=open'), ['Waiting', 'Open'])
  assert.deepEqual(await found(shop, 'stage=inProgress'), ['On the bench', 'In Progress'])
  assert.deepEqual(await found(shop, 'stage=closed'), ['Picked up', 'Closed'])
  const { statuses: all } = { statuses: (await shop.get('/ticket-statuses')).body.data.ticketStatuses }
  const waiting = all.find(({ name }: { name: string }) => name === 'Waiting')
  await shop.put(`/ticket-statuses/${waiting.id}`, { stage: 'closed' })
  assert.deepEqual(await found(shop, 'stage=open'), ['Open'])
  assert.deepEqual(await found(shop, 'stage=closed'), ['Picked up', 'Waiting', 'Closed'])
  const { status, body } = await shop.get('/tickets?stage=done')
  assert.deepEqual([status, body.error], [400, 'stage must be one of open, inProgress, closed'])
})

test('by one status or several, between commas or one by one', async () => {
  const shop = await here.organisation()
  for (const status of ['Open', 'In Progress', 'Closed']) await newJob(shop, { status, serviceRequired: status })
  const { ticketStatuses } = (await shop.get('/ticket-statuses')).body.data
  const [open, inProgress, closed] = ticketStatuses.map(({ id }: { id: string }) => id)
  assert.deepEqual(await found(shop, `statusId=${open}`), ['Open'])
  assert.deepEqual(await found(shop, `statusId=${open},${closed}`), ['Closed', 'Open'])
  assert.deepEqual(await found(shop, `statusId=${open}&statusId=${inProgress}`), ['In Progress', 'Open'])
  assert.deepEqual(await found(shop, 'statusId=sts_unknown,sts_other'), [])
  assert.equal((await found(shop, 'statusId=')).length, 3)
  assert.equal((await shop.get(`/tickets?statusId=${Array(51).fill('a').join()}`)).status, 400)
  const both = `statusId=${open},${closed}`
  const first = await shop.get(`/tickets?${both}&limit=1`)
  assert.deepEqual(await found(shop, `${both}&startAfter=${first.body.data.tickets[0].id}`), ['Open'])
})

test('by technician, or nobody', async () => {
  const shop = await here.organisation()
  const { memberId } = await person(here, shop.orgId, 'technician')
  await newJob(shop, { serviceRequired: 'Hers', assignedTechnician: memberId })
  await newJob(shop, { serviceRequired: "Nobody's" })
  assert.deepEqual(await found(shop, `assignedTechnician=${memberId}`), ['Hers'])
  assert.deepEqual(await found(shop, 'assignedTechnician=none'), ["Nobody's"])
})

test('by whether they have a time, and by what overlaps a window', async () => {
  const shop = await here.organisation()
  const at = (from: string, to: string) => ({
    scheduledFrom: `2027-01-0${from}:00Z`,
    scheduledTo: `2027-01-0${to}:00Z`,
  })
  await newJob(shop, { serviceRequired: 'Morning', ...at('4T09:00', '4T10:00') })
  await newJob(shop, { serviceRequired: 'Night', ...at('4T22:00', '5T06:00') })
  await newJob(shop, { serviceRequired: 'Later', ...at('6T09:00', '6T10:00') })
  const unplanned = await newJob(shop, { serviceRequired: 'Unplanned' })
  await shop.post('/calendar-events', { title: 'Lunch', from: '2027-01-04T12:00:00Z', to: '2027-01-04T13:00:00Z' })
  assert.deepEqual(await found(shop, 'isScheduled=true'), ['Later', 'Night', 'Morning'])
  assert.deepEqual(await found(shop, 'isScheduled=false'), ['Unplanned'])
  const window = (from: string, to: string) =>
    found(shop, `scheduledFrom=2027-01-0${from}:00Z&scheduledTo=2027-01-0${to}:00Z`)
  assert.deepEqual(await window('4T00:00', '5T00:00'), ['Night', 'Morning'])
  assert.deepEqual(await window('5T00:00', '6T00:00'), ['Night'])
  assert.deepEqual(await window('4T10:00', '4T22:00'), [], 'what ends as the window begins is not in it')
  assert.deepEqual(await found(shop, 'scheduledFrom=2027-01-05T06:00:00Z'), ['Later'])
  assert.deepEqual(await found(shop, 'scheduledTo=2027-01-04T12:00:00Z'), ['Morning'])
  assert.deepEqual(await found(shop, 'scheduledTo=2027-01-04T12:00:00Z&isScheduled=false'), [])
  await shop.put(`/tickets/${unplanned}`, at('4T11:00', '4T12:00'))
  assert.deepEqual(await window('4T00:00', '5T00:00'), ['Unplanned', 'Night', 'Morning'])
  await shop.put(`/tickets/${unplanned}`, { scheduledFrom: null, scheduledTo: null })
  assert.deepEqual(await window('4T00:00', '5T00:00'), ['Night', 'Morning'])
  const reversed = await shop.get('/tickets?scheduledFrom=2027-01-05T00:00:00Z&scheduledTo=2027-01-04T00:00:00Z')
  assert.deepEqual([reversed.status, reversed.body.error], [400, 'scheduledTo must be after scheduledFrom'])
})

test('by when they were closed', async () => {
  const shop = await here.organisation()
  await newJob(shop, { serviceRequired: 'Open' })
  const id = await newJob(shop, { serviceRequired: 'Closed' })
  const { closedAt } = (await shop.put(`/tickets/${id}/status`, { status: 'Closed' })).body.data
  const before = new Date(Date.parse(closedAt) - 1).toISOString()
  assert.deepEqual(await found(shop, `closedAfter=${before}`), ['Closed'])
  assert.deepEqual(await found(shop, `closedAfter=${closedAt}`), [])
  await shop.put(`/tickets/${id}/status`, { status: 'Open' })
  assert.deepEqual(await found(shop, `closedAfter=${before}`), [])
})

test('by number', async () => {
  const shop = await here.organisation()
  const numbers: number[] = []
  for (const serviceRequired of ['One', 'Two']) {
    const { body } = await shop.post('/tickets', { customerName: 'Ada', serviceRequired })
    numbers.push(body.data.ticketNumber)
  }
  assert.deepEqual(await found(shop, `number=${numbers[1]}`), ['Two'])
  assert.deepEqual(await found(shop, 'number=999999'), [])
  assert.equal((await shop.get('/tickets?number=two')).status, 400)
})

test('by words of what a job shows, all of them, without regard to order, case and accents', async () => {
  const shop = await here.organisation()
  const { id: customerId } = (await shop.post('/customers', { firstName: 'Zoë', lastName: 'Okafor' })).body.data
  const device = { brand: 'Rational', type: 'Combi oven' }
  const { id: deviceId } = (await shop.post(`/customers/${customerId}/devices`, device)).body.data
  const description = `The fan screams at 100% ${'x'.repeat(3_000)}beyond`
  const body = { customerId, deviceId, serviceRequired: 'Repair the OVEN', description }
  const { ticketNumber } = (await shop.post('/tickets', body)).body.data
  await newJob(shop, { serviceRequired: 'Sharpen knives' })
  const hits = [
    ...['oven', 'zoe', 'ZOË okafor', 'okafor zoë', 'repair rational', 'combi', 'screams fan', '100%', 'ov', 'z o'],
    ...[`%23${ticketNumber} oven`, `#${ticketNumber}`],
  ]
  for (const search of hits)
    assert.deepEqual(
      await found(shop, `search=${encodeURIComponent(decodeURIComponent(search.replace('100%', '100%25')))}`),
      ['Repair the OVEN'],
      search,
    )
  for (const search of ['oven knives', 'toaster', 'beyond', '100_', 'ov qq'])
    assert.deepEqual(await found(shop, `search=${encodeURIComponent(search)}`), [], search)
  assert.equal((await found(shop, 'search=%20')).length, 2)
  const { status, body: wordy } = await shop.get(`/tickets?search=${Array(11).fill('a').join('+')}`)
  assert.deepEqual([status, wordy.error], [400, 'search must have at most 10 words'])
})

test('filters narrow together, page by page', async () => {
  const shop = await here.organisation()
  const { memberId } = await person(here, shop.orgId, 'technician')
  for (let n = 0; n < 5; n++) await newJob(shop, { serviceRequired: `Oven ${n}`, assignedTechnician: memberId })
  await newJob(shop, { serviceRequired: 'Oven of nobody' })
  await newJob(shop, { serviceRequired: 'Oven done', assignedTechnician: memberId, status: 'Closed' })
  const query = `stage=open&assignedTechnician=${memberId}&search=oven&isScheduled=false`
  const titles: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const reply: Reply = await shop.get(`/tickets?${query}&limit=2${cursor && `&startAfter=${cursor}`}`)
    const { data } = reply.body
    titles.push(...data.tickets.map(({ serviceRequired }: { serviceRequired: string }) => serviceRequired))
    cursor = data.pagination.nextCursor
  }
  assert.deepEqual(titles, ['Oven 4', 'Oven 3', 'Oven 2', 'Oven 1', 'Oven 0'])
})
