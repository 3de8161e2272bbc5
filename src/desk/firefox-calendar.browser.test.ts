// The calendar in Firefox: visits are carried, stretched and made with a mouse, and picked up with a finger.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DeskVisitor, deskVisitor } from '../../test/desk.ts'
import { noFirefox } from '../../test/firefox.ts'
import { startDeskInFirefox } from '../../test/firefox-desk.ts'
import type { FirefoxPage } from '../../test/firefox-page.ts'

const enter = '\uE007'

describe('the calendar in Firefox', { skip: noFirefox }, async () => {
  if (noFirefox) return
  const { here, shop, manager, at, open, shows } = await startDeskInFirefox()
  await shop.put('', { timeZone: 'Europe/London' })
  const other = await deskVisitor(here, shop.orgId, 'technician')
  const book = async (times: { from: string; to: string }): Promise<string> =>
    (await shop.post('/calendar-events', { title: 'Stock-taking', assignedToId: manager.memberId, ...times })).body.data
      .id
  const visit = async (id: string) => (await shop.get(`/calendar-events/${id}`)).body.data
  const lane = (who: DeskVisitor) => `#track-${who.memberId}`
  const isIn = (place: string, card: string) => `document.querySelector('${place} ${card}:not(.waiting)') !== null`
  /** The place of a time on a lane of 07:00 to 19:00. */
  const placeAt = async (page: FirefoxPage, who: DeskVisitor, time: string) => {
    const [hours, minutes] = time.split(':').map(Number) as [number, number]
    await page.until(`document.querySelector('${lane(who)}') !== null`)
    const { x, y, width, height } = await page.evaluate(
      `document.querySelector('${lane(who)}').getBoundingClientRect()`,
    )
    return { x: Math.round(x + ((hours + minutes / 60 - 7) / 12) * width + 3), y: Math.round(y + height / 2) }
  }

  test('a visit is carried to another lane, and Undo brings it back', async () => {
    const id = await book({ from: '2027-05-10T08:00:00Z', to: '2027-05-10T09:30:00Z' })
    const card = `#v-${id}-2027-05-10`
    const page = await open(manager)
    await page.open(at('/calendar?view=day&date=2027-05-10'))
    await page.drag(card, lane(other))
    await page.until(isIn(lane(other), card))
    await page.until(`document.querySelector('.toast button') !== null`)
    assert.equal((await visit(id)).assignedToId, other.memberId)
    await page.press('z')
    await page.until(isIn(lane(manager), card))
    assert.equal((await visit(id)).assignedToId, manager.memberId)
  })

  test('a visit whose edge is dragged ends there, and Undo gives it its length back', async () => {
    const id = await book({ from: '2027-05-11T08:00:00Z', to: '2027-05-11T09:00:00Z' })
    const card = `#v-${id}-2027-05-11`
    const page = await open(manager)
    await page.open(at('/calendar?view=day&date=2027-05-11'))
    await page.drag(`${card} .edge`, await placeAt(page, manager, '11:15'))
    await page.until(shows('Now Tuesday 11 May, 09:00–11:30'))
    assert.equal((await visit(id)).to, '2027-05-11T10:30:00.000Z')
    await page.press('z')
    await page.until(shows('Taken back'))
    await page.until(`document.querySelector('${card}.w4:not(.waiting)') !== null`)
    assert.equal((await visit(id)).to, '2027-05-11T09:00:00.000Z')
  })

  test('an empty stretch becomes a visit; what was typed stays until it is taken', async () => {
    const page = await open(manager)
    await page.open(at('/calendar?view=day&date=2027-05-12'))
    await page.drag(await placeAt(page, other, '14:00'), await placeAt(page, other, '15:15'))
    await page.until(`document.querySelector('#maker').open`)
    const field = (name: string) => page.evaluate(`document.querySelector('#maker form').elements['${name}'].value`)
    assert.deepEqual([await field('time'), await field('until')], ['14:00', '15:30'])
    await page.type('#maker [name=title]', '#987654')
    await page.press(enter)
    await page.until(shows('there is no job #987654'))
    assert.equal(await field('title'), '#987654')
    await page.type('#maker [name=title]', 'Supplier call')
    await page.press(enter)
    await page.until(`document.querySelector('${lane(other)}').innerText.includes('Supplier call')`)
    const made = await shop.get('/calendar-events?from=2027-05-12T00:00:00Z&to=2027-05-13T00:00:00Z')
    assert.equal(made.body.data.calendarEvents[0].from, '2027-05-12T13:00:00.000Z')
  })

  test('a visit that is carried over a clock change in the week stays at its time on the wall', async () => {
    await book({ from: '2027-03-28T12:00:00Z', to: '2027-03-28T13:00:00Z' }) // so that Sunday is shown
    const id = await book({ from: '2027-03-26T09:00:00Z', to: '2027-03-26T10:00:00Z' })
    const page = await open(manager)
    await page.open(at('/calendar?view=week&date=2027-03-26'))
    const sunday = `#cell-${other.memberId}-2027-03-28`
    await page.drag(`#v-${id}-2027-03-26`, sunday)
    await page.until(`document.querySelector('${sunday}').innerText.includes('09:00–10:00')`)
    assert.equal((await visit(id)).from, '2027-03-28T08:00:00.000Z')
  })

  test('a finger that stays picks a visit up, and one that moves at once scrolls', async () => {
    const id = await book({ from: '2027-05-17T08:00:00Z', to: '2027-05-17T10:00:00Z' })
    const card = `#v-${id}-2027-05-17`
    const page = await open(manager)
    await page.open(at('/calendar?view=day&date=2027-05-17'))
    await page.until(`document.querySelector('${card}') !== null`)
    const from = await placeAt(page, manager, '09:30')
    const to = await placeAt(page, other, '13:30')
    await page.swipe(from, to)
    assert.equal(await page.evaluate(`document.querySelector('.lifted, .waiting')`), null)
    assert.equal((await visit(id)).from, '2027-05-17T08:00:00.000Z')
    await page.swipe(from, to, `document.querySelector('.lifted') !== null`)
    await page.until(isIn(lane(other), card))
    assert.equal((await visit(id)).from, '2027-05-17T12:00:00.000Z')
  })
})
