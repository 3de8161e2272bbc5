// One's own account: the password, which an admin may have made.
import { ApiError } from '../api/errors.ts'
import { changePassword, passwordChange } from '../identity/invitations.ts'
import { html } from '../pages/html.ts'
import { attempt, type Desk, type Sheet, said, type Visit } from './desk.ts'
import { complaint } from './wording.ts'

export function accountPages(desk: Desk): void {
  const { database, limits } = desk
  desk.get('/account', async (visit) => visit.show(page(visit)), 'members')
  desk.post(
    '/account',
    async (visit) => {
      // Whoever sits at somebody else's screen must not be able to try passwords.
      const trial = await limits.signInTry(visit.address)
      if (trial.isOver) throw new ApiError(429, 'Too many wrong tries; wait a minute')
      const [current, wanted] = ['current', 'wanted'].map((name) => visit.form.get(name) ?? '') as [string, string]
      const changed = await attempt(async () => {
        const change = await said(() => passwordChange(database, visit.personId, { current, wanted }))
        return visit.act(
          (transaction) => changePassword(transaction, change, visit.session),
          () => ({ action: 'password.changed', subject: visit.memberId, detail: { name: visit.email } }),
        )
      })
      if ('wrong' in changed) return visit.show(page(visit, changed.wrong))
      await trial.giveBack()
      return visit.goTo('/account', 'password')
    },
    'members',
  )
}

const page = (visit: Visit, wrong?: string): Sheet => ({
  title: 'Your account',
  section: 'account',
  status: wrong === undefined ? 200 : 400,
  body: html`<h1>Your account</h1>
<p>You are ${visit.memberName}, and sign in as ${visit.email}.</p>
${complaint(wrong)}
<section><h2>Change your password</h2>
<form method="post" action="${visit.at('/account')}">${visit.seal}
<label for="current">The password you have now</label>
<input id="current" name="current" type="password" autocomplete="current-password" required maxlength="200">
<label for="wanted">The new password</label>
<input id="wanted" name="wanted" type="password" autocomplete="new-password" required minlength="12" maxlength="200" aria-describedby="wanted-hint">
<p class="hint" id="wanted-hint">At least 12 characters; several words are good. You are signed out everywhere else.</p>
<div class="buttons"><button>Change the password</button></div></form></section>`,
})
