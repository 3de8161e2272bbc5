// The portal put together: where signing in leads, and all its pages.
import type { FastifyInstance } from 'fastify'
import { accountPages } from './account.ts'
import { agentPages } from './agents.ts'
import { appPages } from './apps.ts'
import { portalScripts } from './assets.ts'
import { authoringPages } from './authoring.ts'
import { type DeskParts, deskAt, membershipsOf, wholeSession } from './desk.ts'
import { readForms } from './forms.ts'
import { keyPages } from './keys.ts'
import { show } from './layout.ts'
import { memberPages } from './members.ts'
import { choicePage, overviewPages } from './overview.ts'
import { auditPages, feedPages, mailPages } from './records.ts'
import { submissionPages } from './submissions.ts'

/** A sheet with photos and drawn signatures. */
const longestSheet = 2_097_152

/** A plugin: mount it where forms are read. */
export async function home(app: FastifyInstance, parts: DeskParts): Promise<void> {
  app.get('/portal', async (request, reply) => {
    const session = await wholeSession(parts, request, reply)
    if (!session) return reply
    const memberships = await membershipsOf(parts.database, session.personId)
    const [only] = memberships
    if (only && memberships.length === 1)
      return reply.redirect(`/portal/${only.orgId}${only.role === 'admin' ? '' : '/forms'}`, 303)
    return show(reply, choicePage(session.email, memberships, parts.browser.seal(request, reply)))
  })

  const desk = deskAt(app, parts)
  overviewPages(desk)
  keyPages(desk)
  appPages(desk)
  agentPages(desk)
  memberPages(desk)
  mailPages(desk)
  feedPages(desk)
  auditPages(desk)
  authoringPages(desk)
  accountPages(desk)
  await app.register(async (sheets) => {
    readForms(sheets, longestSheet)
    submissionPages(deskAt(sheets, parts))
  })
  await app.register(portalScripts)
}
