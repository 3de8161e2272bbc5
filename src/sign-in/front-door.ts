// Where signing in leads: the desk of the organisation one works for, or a choice among several.
import type { FastifyInstance } from 'fastify'
import { type Html, html } from '../http/html.ts'
import { type Page, sendPage } from '../http/layout.ts'
import { roleTitles } from '../identity/members.ts'
import {
  deskHome,
  type MemberSessionDependencies,
  type Membership,
  requireSignedIn,
  stepEverywhere,
  stepPath,
} from './member-session.ts'

/** A plugin: mount it where forms are read. */
export async function frontDoor(app: FastifyInstance, dependencies: MemberSessionDependencies): Promise<void> {
  app.get('/desk', async (request, reply) => {
    const signedIn = await requireSignedIn(dependencies, request, reply, 'desk')
    if (!signedIn) return reply
    const { email, memberships } = signedIn
    const step = stepEverywhere(signedIn)
    if (step !== undefined) return reply.redirect(stepPath(step, '/desk'), 303)
    const [only, ...others] = memberships
    if (others.length === 0) return reply.redirect(deskHome(only!), 303)
    return sendPage(reply, choicePage(email, memberships, dependencies.browser.csrfField(request, reply)))
  })
}

const choicePage = (email: string, memberships: readonly Membership[], csrfField: Html): Page => ({
  title: 'Choose an organisation',
  body: html`<h1>Choose an organisation</h1>
<p>You are ${email}.</p>
<ul class="records">${memberships.map(
    (one) => html`<li><h2><a href="${deskHome(one)}">${one.orgName}</a></h2>
<p class="quiet">${roleTitles[one.role]}</p></li>`,
  )}</ul>
<form method="post" action="/sign-out">${csrfField}
<div class="buttons"><button class="second">Sign out</button></div>
</form>`,
})
