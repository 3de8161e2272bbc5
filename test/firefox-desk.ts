// The desk of a demo shop in Firefox, for tests of what people do there.
import { after } from 'node:test'
import { desktop } from './browser.ts'
import { type DeskVisitor, demoShop, deskVisitor } from './desk.ts'
import { startFirefox } from './firefox.ts'
import { freePort } from './programs.ts'
import { startTestService } from './test-service.ts'

export async function startDeskInFirefox() {
  const here = await startTestService({ PORT: await freePort(), ROLE: 'rest,auth,worker' })
  const shop = await demoShop(here)
  const manager = await deskVisitor(here, shop.orgId, 'manager')
  const { hostname } = new URL(here.config.authUrl)
  const cookieOf = ({ session }: DeskVisitor) => ({ name: 'jobwright_session', value: session, domain: hostname })
  const firefox = await startFirefox()
  after(() => firefox[Symbol.asyncDispose]())
  return {
    here,
    shop,
    manager,
    cookieOf,
    at: (path: string) => `${here.config.authUrl}/desk/${shop.orgId}${path}`,
    /** A page of a browser of its own. */
    open: (who: DeskVisitor, size = desktop) => firefox.openPage(cookieOf(who), size),
    newJob: async (title: string): Promise<{ id: string; ticketNumber: number }> =>
      (await shop.post('/tickets', { customerName: 'Ada Pemberton', serviceRequired: title })).body.data,
    /** True once the page shows the words. */
    shows: (text: string) => `document.body.innerText.includes(${JSON.stringify(text)})`,
  }
}
