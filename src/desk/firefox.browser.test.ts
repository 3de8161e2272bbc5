// The desk in Firefox: what people do there with a mouse, keys and several tabs, what others do meanwhile, and plain pages.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'
import { desktop, phone, screens } from '../../test/browser.ts'
import { deskVisitor } from '../../test/desk.ts'
import { noFirefox, startFirefox } from '../../test/firefox.ts'
import { startDeskInFirefox } from '../../test/firefox-desk.ts'
import type { FirefoxPage } from '../../test/firefox-page.ts'
import { sql } from '../db/database.ts'

const enter = '\uE007'
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('the desk in Firefox', { skip: noFirefox }, async () => {
  if (noFirefox) return
  const { here, shop, manager, cookieOf, at, open, newJob, shows } = await startDeskInFirefox()
  /** A card behind an open form, which may not be closed. */
  const [gated] = await here.database.query<{ id: string; name: string; status: string }>(sql`
    select ticket.id, submission.template_name as name, status.name as status from tickets ticket
    join form_submissions submission on submission.org_id = ticket.org_id and submission.ticket_id = ticket.id
    join ticket_statuses status on status.org_id = ticket.org_id and status.id = ticket.status_id
    where ticket.org_id = ${shop.orgId} and ticket.closed_at is null and submission.status in ('open', 'inProgress')
      and submission.gate = 'completion' limit 1`)

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
    const page = await open(manager)
    await page.open(at('/board'))
    await page.until(`document.querySelector('#j-${id}') !== null`)
    const count = `Number(document.querySelector('.column[data-drop="In Progress"] .n').innerText)`
    const before = await page.evaluate(count)
    await page.drag(`#j-${id}`, '.column[data-drop="In Progress"]')
    await page.until(shows(`#${ticketNumber} is now In Progress`))
    await page.until(`${count} === ${before + 1}`)
    await page.press('z') // at once: the way back is offered for a few seconds only
    await page.until(shows(`#${ticketNumber} is now Open`))
    assert.equal(await statusOf(), 'Open')
  })

  test('what is typed is saved, and what somebody else does arrives', async () => {
    const { id } = await newJob('Radio hums')
    const page = await open(manager)
    await page.open(at(`/jobs/${id}`))
    await page.type('textarea[name=description]', 'Only in the evening')
    await page.until(`document.querySelector('#saved')?.innerText === 'Saved'`)
    assert.equal((await shop.get(`/tickets/${id}`)).body.data.description, 'Only in the evening')
    await shop.post(`/tickets/${id}/messages`, { text: 'Capacitor ordered' })
    await page.until(shows('Capacitor ordered'))
    assert.deepEqual(await page.evaluate('refused'), [])
  })

  test('a card that may not move goes back, and says which form is open', async () => {
    const { id, name, status } = gated!
    const page = await open(manager)
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
    const page = await open(manager)
    await page.open(at(`/jobs/${id}`))
    await page.type('#compose textarea', 'Bearing is')
    await shop.post(`/tickets/${id}/messages`, { text: 'Ordered two' })
    await page.until(shows('Ordered two'))
    assert.equal(await page.evaluate(`document.querySelector('#compose textarea').value`), 'Bearing is')
    assert.equal(await page.evaluate('document.activeElement.name'), 'text')
  })

  test('the palette leads to a job by its number, and keys to places', async () => {
    const { id, ticketNumber } = await newJob('Mixer hums')
    const page = await open(manager)
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
    const page = await open(manager)
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

  test('a browser has one stream for three tabs, and another takes it over from one that is closed', async () => {
    const first = await open(manager)
    await first.open(at('/board'))
    await first.untilAnswered(/\/live$/)
    const tabs = [await first.openTab(), await first.openTab()]
    for (const tab of tabs) await tab.open(at('/board'))
    const locks = `navigator.locks.query().then(({ held, pending }) => [held.length, pending.length])`
    await first.until(`${locks}.then((all) => all.join() === '1,2')`)
    // A tab that is behind another is hidden, and catches up when it is shown.
    const appears = async (tab: FirefoxPage, { id }: { id: string }) => {
      await tab.show()
      await tab.until(`document.querySelector('#j-${id}') !== null`)
    }
    const told = await newJob('Iron leaks')
    for (const tab of [...tabs, first]) await appears(tab, told)
    await first.close()
    const inBetween = await newJob('Fan squeaks')
    for (const tab of tabs) await appears(tab, inBetween)
    await tabs[0]!.until(`${locks}.then((all) => all.join() === '1,1')`)
  })

  test('without scripts a technician does the work on a phone, and a refusal names the form', async () => {
    const technician = await deskVisitor(here, shop.orgId, 'technician')
    const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    const { id } = (
      await shop.post('/tickets', {
        customerName: 'Ada Pemberton',
        serviceRequired: 'Doorbell is silent',
        assignedTechnician: technician.memberId,
        scheduledFrom: hoursFromNow(-0.2),
        scheduledTo: hoursFromNow(0.2),
      })
    ).body.data
    await using plain = await startFirefox({ 'javascript.enabled': false })
    const page = await plain.openPage(cookieOf(technician), phone)
    await page.open(at('/my-day'))
    for (const words of ['Start the work', 'Work is done']) {
      await page.until(shows(words))
      await page.click('.next form button')
    }
    await page.until(shows('No visit is left today'))
    assert.equal((await shop.get(`/tickets/${id}`)).body.data.status, 'Closed')

    const office = await plain.openPage(cookieOf(manager), desktop)
    await office.open(at(`/jobs/${gated!.id}`))
    await office.evaluate(`(document.querySelector('select[name=status]').value = 'Closed', null)`)
    await office.click('form[data-quick=status] noscript button')
    await office.until(shows(`${gated!.name} is still open`))
    assert.equal((await shop.get(`/tickets/${gated!.id}`)).body.data.status, gated!.status)
  })
})
