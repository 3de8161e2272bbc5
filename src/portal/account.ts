// One's own account: the password, which an admin may have made, and the recovery codes.
import { changePassword, preparePasswordChange } from '../identity/password-change.ts'
import { countRecoveryCodes, replaceRecoveryCodes } from '../identity/recovery-codes.ts'
import { ApiError, badRequest } from '../operations/errors.ts'
import { isAppCode, verifyCode } from '../sign-in/totp.ts'
import { accountPage, renewedCodesPage } from './account-view.ts'
import { attempt, type PortalRequest, type Router, withReadableErrors } from './router.ts'

export function addAccountRoutes(router: Router): void {
  const { database, limits, vault } = router
  const showAccount = async (request: PortalRequest, wrong?: string) =>
    request.render(accountPage(request, await countRecoveryCodes(database, request.personId), wrong))

  router.get('/account', (request) => showAccount(request), 'members')
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
      if ('wrong' in changed) return showAccount(request, changed.wrong)
      await trial.refund()
      return request.redirect('/account', 'password')
    },
    'members',
  )
  router.post(
    '/account/recovery-codes',
    async (request) => {
      const renewed = await attempt(async () => {
        await requireAppCode(request)
        return request.runAudited(
          (transaction) => replaceRecoveryCodes(transaction, request.personId),
          () => ({ action: 'recovery.renewed', subject: request.memberId, detail: { name: request.email } }),
        )
      })
      if ('wrong' in renewed) return showAccount(request, renewed.wrong)
      return request.render(renewedCodesPage(request, renewed.result))
    },
    'members',
  )

  /** A recovery code will not do: whoever found one could make themselves ten more. */
  async function requireAppCode({ form, personId }: PortalRequest): Promise<void> {
    const code = form.get('totp') ?? ''
    if (!isAppCode(code)) throw badRequest('Enter the six digits that your authenticator app shows')
    const verdict = await verifyCode(database, vault, personId, code)
    if (verdict === 'locked') throw badRequest('Too many wrong codes; try again in 15 minutes')
    if (verdict === 'wrong') throw badRequest('The code is wrong, or it was used already; wait for the next one')
  }
}
