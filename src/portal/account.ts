// One's own account: the password, which an admin may have made.
import { html } from '../http/html.ts'
import { changePassword, preparePasswordChange } from '../identity/invitations.ts'
import { ApiError } from '../operations/errors.ts'
import { attempt, type PortalRequest, type Router, type View, withReadableErrors } from './router.ts'
import { errorAlert } from './view-components.ts'

export function addAccountRoutes(router: Router): void {
  const { database, limits } = router
  router.get('/account', async (request) => request.render(accountPage(request)), 'members')
  router.post(
    '/account',
    async (request) => {
      // Whoever sits at somebody else's screen must not be able to try passwords.
      const trial = await limits.signInAttempt(request.address)
      if (trial.isOver) throw new ApiError(429, 'Too many wrong tries; wait a minute')
      const [current, wanted] = ['current', 'wanted'].map((name) => request.form.get(name) ?? '') as [string, string]
      const changed = await attempt(async () => {
        const change = await withReadableErrors(() =>
          preparePasswordChange(database, request.personId, { current, wanted }),
        )
        return request.runAudited(
          (transaction) => changePassword(transaction, change, request.session),
          () => ({ action: 'password.changed', subject: request.memberId, detail: { name: request.email } }),
        )
      })
      if ('wrong' in changed) return request.render(accountPage(request, changed.wrong))
      await trial.refund()
      return request.redirect('/account', 'password')
    },
    'members',
  )
}

const accountPage = (request: PortalRequest, wrong?: string): View => ({
  title: 'Your account',
  section: 'account',
  status: wrong === undefined ? 200 : 400,
  body: html`<h1>Your account</h1>
<p>You are ${request.memberName}, and sign in as ${request.email}.</p>
${errorAlert(wrong)}
<section><h2>Change your password</h2>
<form method="post" action="${request.href('/account')}">${request.csrfField}
<label for="current">The password you have now</label>
<input id="current" name="current" type="password" autocomplete="current-password" required maxlength="200">
<label for="wanted">The new password</label>
<input id="wanted" name="wanted" type="password" autocomplete="new-password" required minlength="12" maxlength="200" aria-describedby="wanted-hint">
<p class="hint" id="wanted-hint">At least 12 characters; several words are good. You are signed out everywhere else.</p>
<div class="buttons"><button>Change the password</button></div></form></section>`,
})
