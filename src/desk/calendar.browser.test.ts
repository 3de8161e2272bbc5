// The calendar in a real browser, far from the shop's time zone: visits are carried, stretched and made, and come back.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { desktop, inspectColorSchemes, noBrowser, openBrowser, openPageAs, screens } from '../../test/browser.ts'
import { type DeskVisitor, deskVisitor } from '../../test/desk.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'

describe('the calendar in Chromium', { skip: noBrowser }, async () => {
  const here = await startTestService({ PORT: await freePort(), ROLE: 'rest,auth,worker' })
  const shop = await here.organisation()
  await shop.put('', { timeZone: 'Europe/London' })
  const { orgId } = shop
  const [manager, technician, other] = (await Promise.all([
    deskVisitor(here, orgId, 'manager'),
    deskVisitor(here, orgId, 'technician'),
    deskVisitor(here, orgId, 'technician'),
  ])) as [DeskVisitor, DeskVisitor, DeskVisitor]
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  const open = (who: DeskVisitor, path: string, options: BrowserContextOptions = {}) =>
    openPageAs(who.session, browser, `${here.config.authUrl}/desk/${orgId}${path}`, {
      viewport: desktop,
      timezoneId: 'America/New_York',
      ...options,
    })
  const book = async (fields: object): Promise<string> =>
    (await shop.post('/calendar-events', { title: 'Stock-taking', assignedToId: technician.memberId, ...fields })).body
      .data.id
  const event = async (id: string) => (await shop.get(`/calendar-events/${id}`)).body.data
  const track = (page: Page, who: DeskVisitor) => page.locator(`#track-${who.memberId}`)

  /** The place of a time on a lane of 07:00 to 19:00. */
  async function placeAt(lane: Locator, time: string) {
    const [hours, minutes] = time.split(':').map(Number) as [number, number]
    const { x, y, width, height } = (await lane.boundingBox())!
    return { x: x + ((hours + minutes / 60 - 7) / 12) * width + 3, y: y + height / 2 }
  }
  async function carry(page: Page, from: { x: number; y: number }, to: { x: number; y: number }) {
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 4 })
    await page.mouse.move(to.x, to.y, { steps: 4 })
    await page.mouse.up()
  }
  const middleOf = async (locator: Locator) => {
    const { x, y, width, height } = (await locator.boundingBox())!
    return { x: x + width / 2, y: y + height / 2 }
  }

  test('every page can be read and used, on a phone and a desktop, in light and dark', async () => {
    const id = await book({ from: '2027-05-03T08:00:00Z', to: '2027-05-03T10:00:00Z', notes: 'Ring twice' })
    await book({ from: '2027-05-02T23:00:00Z', to: '2027-05-04T23:00:00Z', allDay: true, assignedToId: null })
    await shop.post('/tickets', { customerName: 'Amara', serviceRequired: 'Kettle trips the fuse', priority: 'urgent' })
    for (const viewport of Object.values(screens)) {
      const { page, complaints, close } = await open(manager, '/calendar', { viewport })
      for (const path of ['?date=2027-05-03', '?view=day&date=2027-05-03', `/${id}`, `/${id}/delete`, '/new']) {
        await page.goto(`${here.config.authUrl}/desk/${orgId}/calendar${path}`)
        await inspectColorSchemes(page, `calendar${path} ${viewport.width}`)
      }
      assert.deepEqual(complaints, [])
      await close()
    }
  })

  test('a visit that is carried along its lane or to another one moves there, and Undo brings it back', async () => {
    const id = await book({ from: '2027-05-10T08:00:00Z', to: '2027-05-10T09:30:00Z' })
    const { page, complaints, close } = await open(manager, '/calendar?view=day&date=2027-05-10')
    const card = page.locator(`#v-${id}-2027-05-10`)
    const from = await placeAt(track(page, technician), '09:00')
    await carry(page, from, await placeAt(track(page, other), '13:15'))
    await page.getByText('Now Monday 10 May, 13:15–14:45').waitFor()
    await track(page, other).locator(`#v-${id}-2027-05-10`).waitFor()
    const moved = await event(id)
    assert.deepEqual([moved.from, moved.assignedToId], ['2027-05-10T12:15:00.000Z', other.memberId])
    await page.getByRole('button', { name: 'Undo' }).click()
    await track(page, technician).locator(`#v-${id}-2027-05-10`).waitFor()
    assert.equal((await event(id)).from, '2027-05-10T08:00:00.000Z')
    assert.match(page.url(), /view=day/, 'to let go is no click')
    await card.locator('a').click()
    await page.waitForURL(new RegExp(`/calendar/${id}$`))
    assert.deepEqual(complaints, [])
    await close()
  })

  test('a visit whose edge is dragged ends there, and Undo gives it its length back', async () => {
    const id = await book({ from: '2027-05-11T08:00:00Z', to: '2027-05-11T09:00:00Z' })
    const { page, close } = await open(manager, '/calendar?view=day&date=2027-05-11')
    const lane = track(page, technician)
    await page.locator(`#v-${id}-2027-05-11`).hover()
    await carry(page, await middleOf(page.locator(`#v-${id}-2027-05-11 .edge`)), await placeAt(lane, '11:15'))
    await page.getByText('Now Tuesday 11 May, 09:00–11:30').waitFor()
    assert.equal((await event(id)).to, '2027-05-11T10:30:00.000Z')
    await page.locator(`#v-${id}-2027-05-11:not(.waiting)`).getByText('09:00–11:30').waitFor() // rendered anew
    await page.keyboard.press('z')
    await page.getByText('Taken back').waitFor()
    assert.equal((await event(id)).to, '2027-05-11T09:00:00.000Z')
    await page.locator(`#v-${id}-2027-05-11.w4`).waitFor()
    await close()
  })

  test('an empty stretch becomes a visit; what was typed stays until it is taken', async () => {
    const { page, complaints, close } = await open(manager, '/calendar?view=day&date=2027-05-12')
    const lane = track(page, technician)
    await carry(page, await placeAt(lane, '14:00'), await placeAt(lane, '15:15'))
    const dialog = page.getByRole('dialog', { name: 'New visit' })
    assert.deepEqual(
      [await dialog.getByLabel('From').inputValue(), await dialog.getByLabel('Until').inputValue()],
      ['14:00', '15:30'],
    )
    await dialog.getByLabel('What').fill('#987654')
    await dialog.getByRole('button', { name: 'Add visit' }).click()
    await dialog.getByText('there is no job #987654').waitFor()
    assert.equal(await dialog.getByLabel('What').inputValue(), '#987654')
    await dialog.getByLabel('What').fill('Supplier call')
    await dialog.getByLabel('What').press('Enter')
    await lane.getByText('Supplier call').waitFor()
    const { calendarEvents } = (await shop.get('/calendar-events?from=2027-05-12T00:00:00Z&to=2027-05-13T00:00:00Z'))
      .body.data
    assert.deepEqual(
      [calendarEvents[0].from, calendarEvents[0].assignedToId],
      ['2027-05-12T13:00:00.000Z', technician.memberId],
    )
    await page.getByRole('button', { name: 'Undo' }).click()
    await lane.getByText('Supplier call').waitFor({ state: 'detached' })
    await carry(page, await placeAt(lane, '14:00'), await placeAt(lane, '15:15'))
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    assert.deepEqual(
      complaints.filter((one) => !one.includes('400')),
      [],
    )
    await close()
  })

  test('a job that is to be planned is carried onto the calendar, and back by Undo', async () => {
    const job = (
      await shop.post('/tickets', { customerName: 'Amara', serviceRequired: 'Fan squeaks', priority: 'urgent' })
    ).body.data
    const { page, close } = await open(manager, '/calendar?view=day&date=2027-05-13')
    await carry(page, await middleOf(page.locator(`#p-${job.id} .id`)), await placeAt(track(page, other), '10:00'))
    await track(page, other).getByText('Fan squeaks').waitFor()
    const planned = (await shop.get(`/tickets/${job.id}`)).body.data
    assert.deepEqual([planned.scheduledFrom, planned.assignedTechnician], ['2027-05-13T09:00:00.000Z', other.memberId])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator(`#p-${job.id}`).waitFor()
    const back = (await shop.get(`/tickets/${job.id}`)).body.data
    assert.deepEqual([back.scheduledFrom, back.assignedTechnician], [null, null])
    await close()
  })

  test('what is refused goes back, with the reason in words', async () => {
    const id = await book({ from: '2027-05-14T08:00:00Z', to: '2027-05-14T10:00:00Z' })
    const { page, close } = await open(technician, '/calendar?view=day&date=2027-05-14')
    const from = await placeAt(track(page, technician), '09:30')
    await carry(page, from, await placeAt(track(page, other), '13:00'))
    await page.getByRole('alert').filter({ hasText: 'ask a manager' }).waitFor()
    await track(page, technician).locator(`#v-${id}-2027-05-14:not(.waiting)`).waitFor()
    assert.equal((await event(id)).from, '2027-05-14T08:00:00.000Z')
    await close()
  })

  test('a visit that is carried over a clock change in the week stays at its time on the wall', async () => {
    await book({ from: '2027-03-28T12:00:00Z', to: '2027-03-28T13:00:00Z' })
    const id = await book({ from: '2027-03-26T09:00:00Z', to: '2027-03-26T10:00:00Z' })
    const { page, close } = await open(manager, '/calendar?view=week&date=2027-03-26')
    const sunday = page.locator(`#cell-${other.memberId}-2027-03-28`)
    await carry(page, await middleOf(page.locator(`#v-${id}-2027-03-26`)), await middleOf(sunday))
    await sunday.getByText('09:00–10:00').waitFor()
    assert.equal((await event(id)).from, '2027-03-28T08:00:00.000Z')
    await close()
  })

  test('a finger that stays picks a visit up, and one that moves at once scrolls', async () => {
    const id = await book({ from: '2027-05-17T08:00:00Z', to: '2027-05-17T10:00:00Z' })
    const { page, close } = await open(manager, '/calendar?view=day&date=2027-05-17', { hasTouch: true })
    const session = await page.context().newCDPSession(page)
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: { x: number; y: number }) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: at ? [at] : [] })
    const from = await placeAt(track(page, technician), '09:30')
    const to = await placeAt(track(page, other), '13:30')
    const swipe = async () => {
      const parts = [0.3, 0.6, 1].map((part) => ({
        x: from.x + (to.x - from.x) * part,
        y: from.y + (to.y - from.y) * part,
      }))
      await Promise.all(parts.map((part) => touch('touchMove', part)))
      await touch('touchEnd')
    }
    await Promise.all([touch('touchStart', from), swipe()]) // at once, however slow the machine is
    await page.waitForTimeout(400)
    assert.equal((await event(id)).from, '2027-05-17T08:00:00.000Z')
    await touch('touchStart', from)
    await page.locator('.lifted').waitFor()
    await swipe()
    await track(page, other).locator(`#v-${id}-2027-05-17`).waitFor()
    assert.equal((await event(id)).from, '2027-05-17T12:00:00.000Z')
    await close()
  })

  test("somebody else's change arrives", async () => {
    const id = await book({ from: '2027-05-19T08:00:00Z', to: '2027-05-19T10:00:00Z' })
    const { page, complaints, isListening, close } = await open(manager, '/calendar?view=day&date=2027-05-19')
    await isListening
    await page.locator(`#v-${id}-2027-05-19`).getByText('09:00–11:00').waitFor()
    await shop.put(`/calendar-events/${id}`, { from: '2027-05-19T12:00:00Z', to: '2027-05-19T13:00:00Z' })
    await page.locator(`#v-${id}-2027-05-19`).getByText('13:00–14:00').waitFor()
    assert.deepEqual(complaints, [])
    await close()
  })

  test('without scripts, the address and plain forms do it all', async () => {
    const id = await book({ from: '2027-05-18T08:00:00Z', to: '2027-05-18T10:00:00Z' })
    const { page, close } = await open(manager, '/calendar?date=2027-05-18', { javaScriptEnabled: false })
    await page.getByRole('link', { name: 'Week after' }).click()
    await page.getByRole('heading', { name: '24 May – 30 May 2027' }).waitFor()
    await page.getByLabel('Go to').fill('2027-05-18')
    await page.getByRole('button', { name: 'Go', exact: true }).click()
    await page.locator(`#v-${id}-2027-05-18 a`).click()
    await page.getByLabel('Time it begins').fill('10:00')
    await page.getByLabel('Time it ends').fill('12:00')
    await page.locator('#move').getByRole('button', { name: 'Save' }).click()
    await page.locator(`#v-${id}-2027-05-18`).getByText('10:00–12:00').waitFor()
    await close()
  })
})
