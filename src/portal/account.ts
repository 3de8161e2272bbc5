// One's own account: the password, which an admin may have made.
import { changePassword, preparePasswordChange } from '../identity/password-change.ts'
import { ApiError } from '../operations/errors.ts'
import { accountPage } from './account-view.ts'
import { attempt, type Router, withReadableErrors } from './router.ts'

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
