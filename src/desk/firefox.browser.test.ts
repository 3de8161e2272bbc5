// The desk in Firefox: what people do there with a mouse and keys, and what others do meanwhile. Fingers and pages without
// scripts are tried in Chromium alone.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, describe, test } from 'node:test'
import { desktop, screens } from '../../test/browser.ts'
import { type DeskVisitor, demoShop, deskVisitor } from '../../test/desk.ts'
import { type Firefox, noFirefox, startFirefox } from '../../test/firefox.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'

const enter = '\uE007'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('the desk in Firefox', { skip: noFirefox }, async () => {
  if (noFirefox) return
  const here = await startTestService({ PORT: await freePort(), ROLE: 'rest,auth,worker' })
  const shop = await demoShop(here)
  const { orgId } = shop
  const manager = await deskVisitor(here, orgId, 'manager')
  const firefox: Firefox = await startFirefox()
  after(() => firefox[Symbol.asyncDispose]())
  const { hostname } = new URL(here.config.authUrl)
  const at = (path: string) => `${here.config.authUrl}/desk/${orgId}${path}`
  const open = (who: DeskVisitor, size: typeof desktop) =>
    firefox.openPage({ name: 'jobwright_session', value: who.session, domain: hostname }, size)
  const newJob = async (title: string): Promise<{ id: string; ticketNumber: number }> =>
    (await shop.post('/tickets', { customerName: 'Ada Pemberton', serviceRequired: title })).body.data
  const shows = (text: string) => `document.body.innerText.includes(${JSON.stringify(text)})`

  test('every page opens without a refusal by its policy, and without a finding', async () => {
    const { id } = await newJob('Kettle trips the fuse')
    for (const size of Object.values(screens)) {
      const page = await open(manager, size)
      for (const path of [
        '/today',
        '/my-day',
        '/board',
        '/calendar',
        '/customers',
        `/jobs/${id}`,
        '/quotes',
        '/invoices',
      ]) {
        await page.open(at(path))
        assert.equal(await page.evaluate('document.querySelectorAll("h1").length'), 1, path)
        assert.deepEqual(await page.evaluate('refused'), [], path)
        assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${path} is too wide`)
        if (size === desktop) continue // the same rules as on a phone, which every page meets first
        await page.evaluate(`(() => { ${axe} })()`)
        const serious = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + nodes[0].html))`
        assert.deepEqual(await page.evaluate(serious), [], path)
      }
    }
  })

  test('a card that is carried moves, and Undo brings it back', async () => {
    const { id, ticketNumber } = await newJob('Toaster throws the toast')
    const statusOf = async () => (await shop.get(`/tickets/${id}`)).body.data.status
    const page = await open(manager, desktop)
    await page.open(at('/board'))
    await page.drag(`#j-${id}`, '.column[data-drop="In Progress"]')
    await page.until(shows(`#${ticketNumber} is now In Progress`))
    await page.press('z') // at once: the way back is offered for a few seconds only
    await page.until(shows(`#${ticketNumber} is now Open`))
    assert.equal(await statusOf(), 'Open')
  })

  test('what is typed is saved, and what somebody else does arrives', async () => {
    const { id } = await newJob('Radio hums')
    const page = await open(manager, desktop)
    await page.open(at(`/jobs/${id}`))
    await page.type('textarea[name=description]', 'Only in the evening')
    await page.until(`document.querySelector('#saved')?.innerText === 'Saved'`)
    assert.equal((await shop.get(`/tickets/${id}`)).body.data.description, 'Only in the evening')
    await shop.post(`/tickets/${id}/messages`, { text: 'Capacitor ordered' })
    await page.until(shows('Capacitor ordered'))
    assert.deepEqual(await page.evaluate('refused'), [])
  })

  test('a card that may not move goes back, and says which form is open', async () => {
    const [gated] = await here.database.query<{ id: string; name: string; status: string }>(sql`
      select ticket.id, submission.template_name as name, status.name as status from tickets ticket
      join form_submissions submission on submission.org_id = ticket.org_id and submission.ticket_id = ticket.id
      join ticket_statuses status on status.org_id = ticket.org_id and status.id = ticket.status_id
      where ticket.org_id = ${orgId} and ticket.closed_at is null and submission.status in ('open', 'inProgress')
        and submission.gate = 'completion' limit 1`)
    const { id, name, status } = gated!
    const page = await open(manager, desktop)
    await page.open(at('/board'))
    await page.until(`document.querySelector('#j-${id} a') !== null`)
    await page.evaluate(`(document.querySelector('#j-${id} a').focus(), null)`)
    await page.press('m')
    await page.click('#mover button[value="Closed"]')
    await page.until(`document.querySelector('[role=alert]')?.innerText.includes(${JSON.stringify(name)})`)
    await page.until(`document.querySelector('.column[data-drop="${status}"] #j-${id}') !== null`)
  })

  test('what is half written, what is open and where one is survive what others do', async () => {
    const { id } = await newJob('Fan squeaks')
    const page = await open(manager, desktop)
    await page.open(at(`/jobs/${id}`))
    await page.type('#compose textarea', 'Bearing is')
    await shop.post(`/tickets/${id}/messages`, { text: 'Ordered two' })
    await page.until(shows('Ordered two'))
    assert.equal(await page.evaluate(`document.querySelector('#compose textarea').value`), 'Bearing is')
    assert.equal(await page.evaluate('document.activeElement.name'), 'text')
  })

  test('the palette leads to a job by its number, and keys to places', async () => {
    const { id, ticketNumber } = await newJob('Mixer hums')
    const page = await open(manager, desktop)
    await page.open(at('/today'))
    await page.press('/')
    await page.type('#palette input', String(ticketNumber))
    await page.until(`document.querySelector('#f-${id}') !== null`)
    await page.press(enter)
    await page.until(`location.pathname.endsWith('/jobs/${id}')`)
    await page.press('gb')
    await page.until(`location.pathname.endsWith('/board')`)
  })

  test('a line comes from the catalogue, the sum follows, and what is wrong is refused in words', async () => {
    const { id } = await newJob('Machine leaks')
    const page = await open(manager, desktop)
    await page.open(at(`/jobs/${id}`))
    await page.type('#add-line [role=combobox]', 'gas')
    await page.until(
      `[...document.querySelectorAll('#catalogue [role=option]')].some((one) => one.innerText.includes('Group gasket set'))`,
    )
    await page.press(enter)
    const quantity = '[aria-label^="Quantity of"]'
    await page.until(`document.querySelector('${quantity}') !== null`)
    const total = async () => (await shop.get(`/tickets/${id}/totals`)).body.data.total as number
    await page.type(quantity, '3')
    await page.until(`document.querySelector('#saved')?.innerText === 'Saved'`)
    const sum = await total()
    assert.ok(sum > 0)
    await page.until(`document.querySelector('#totals')?.innerText.replaceAll(',', '').includes('${sum.toFixed(2)}')`)
    await page.type(quantity, '0')
    await page.until(shows('the quantity must be more than 0'))
    assert.equal(await total(), sum)
  })

  test('a visit is carried to another lane, and Undo brings it back', async () => {
    const other = await deskVisitor(here, orgId, 'technician')
    const booking = { title: 'Stock-taking', assignedToId: manager.memberId }
    const times = { from: '2027-05-10T08:00:00Z', to: '2027-05-10T09:30:00Z' }
    const { id } = (await shop.post('/calendar-events', { ...booking, ...times })).body.data
    const whose = async () => (await shop.get(`/calendar-events/${id}`)).body.data.assignedToId
    const page = await open(manager, desktop)
    await page.open(at('/calendar?view=day&date=2027-05-10'))
    await page.drag(`#v-${id}-2027-05-10`, `#track-${other.memberId}`)
    await page.until(`document.querySelector('#track-${other.memberId} #v-${id}-2027-05-10') !== null`)
    await page.until(`document.querySelector('.toast button') !== null`)
    assert.equal(await whose(), other.memberId)
    await page.press('z')
    await page.until(`document.querySelector('#track-${manager.memberId} #v-${id}-2027-05-10:not(.waiting)') !== null`)
    assert.equal(await whose(), manager.memberId)
  })
})
