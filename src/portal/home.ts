// Where signing in leads when nothing else waits: who one is here, and the way out.
import type { FastifyInstance } from 'fastify'
import type { Database } from '../database.ts'
import { organisationsOf } from '../identity/grants.ts'
import { findSession } from '../identity/sessions.ts'
import { html } from '../pages/html.ts'
import { type Browser, withNext } from './forms.ts'
import { show } from './layout.ts'

/** A plugin: mount it where forms are read. */
export async function home(app: FastifyInstance, { database, browser }: { database: Database; browser: Browser }) {
  app.get('/portal', async (request, reply) => {
    const session = await findSession(database, 'browser', browser.session(request))
    if (!session) return reply.redirect(withNext('/sign-in', '/portal'), 303)
    if (!session.hasSecondFactor) {
      const step = session.isEnrolled ? '/sign-in/code' : '/sign-in/second-factor'
      return show(reply, {
        title: 'One more step',
        status: 403,
        body: html`<h1>One more step</h1>
<p>The portal needs your second factor.</p>
<div class="buttons"><a class="button" href="${withNext(step, '/portal')}">Go on</a></div>`,
      })
    }
    const organisations = await organisationsOf(database, session.personId)
    return show(reply, {
      title: 'You are signed in',
      body: html`<h1>You are signed in</h1>
<p>You are ${session.email}.</p>
${
  organisations.length > 0
    ? html`<p>You may decide for ${organisations.map(({ name }) => name).join(', ')}.</p>`
    : html`<p>You are not an active admin of an organisation on Pro or a trial.</p>`
}
<form method="post" action="/sign-out">${browser.seal(request, reply)}
<div class="buttons"><button class="second">Sign out</button></div>
</form>`,
    })
  })
}
