// One's own account: the password, the second factor with its recovery codes, and the browsers one is signed in at.

import { withReadableErrors } from '../desk/readable-errors.ts'
import { listBrowsers, signOutBrowser, signOutElsewhere } from '../identity/browsers.ts'
import { changePassword, preparePasswordChange } from '../identity/password-change.ts'
import { countRecoveryCodes, replaceRecoveryCodes } from '../identity/recovery-codes.ts'
import { ApiError, badRequest } from '../operations/errors.ts'
import { isMissingCode, verifyCode } from '../sign-in/totp.ts'
import { accountPage, renewedCodesPage } from './account-view.ts'
import { attempt, type PortalRequest, type Router } from './router.ts'

export function addAccountRoutes(router: Router): void {
  const { database, limits, vault } = router
  const showAccount = async (request: PortalRequest, wrong?: string) => {
    const [codesLeft, browsers] = await Promise.all([
      countRecoveryCodes(database, request.personId),
      listBrowsers(database, request.personId, request.session),
    ])
    return request.render(accountPage(request, { codesLeft, browsers, wrong }))
  }
  const entryOf =
    (action: 'password.changed' | 'recovery.renewed' | 'browsers.ended', request: PortalRequest) => () => ({
      action,
      subject: request.memberId,
      detail: { name: request.email },
    })

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
          entryOf('password.changed', request),
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
        await requireCode(request)
        return request.runAudited(
          (transaction) => replaceRecoveryCodes(transaction, request.personId),
          entryOf('recovery.renewed', request),
        )
      })
      if ('wrong' in renewed) return showAccount(request, renewed.wrong)
      return request.render(renewedCodesPage(request, renewed.result))
    },
    'members',
  )
  router.post(
    '/account/browsers/:id/sign-out',
    async (request) => {
      await request.runAudited(
        (transaction) => signOutBrowser(transaction, request.personId, request.params.id!),
        entryOf('browsers.ended', request),
      )
      return request.redirect('/account', 'signed-out')
    },
    'members',
  )
  router.post(
    '/account/sign-out-elsewhere',
    async (request) => {
      await request.runAudited(
        (transaction) => signOutElsewhere(transaction, request.personId, request.session),
        entryOf('browsers.ended', request),
      )
      return request.redirect('/account', 'signed-out-elsewhere')
    },
    'members',
  )

  /** Whoever sits at somebody else's screen must not get away with ten ways in. */
  async function requireCode({ form, personId }: PortalRequest): Promise<void> {
    const code = form.get('totp') ?? ''
    if (isMissingCode(code)) throw badRequest('Enter a code of your authenticator app, or one of your recovery codes')
    const verdict = await verifyCode(database, vault, personId, code)
    if (verdict === 'locked') throw badRequest('Too many wrong codes; try again in 15 minutes')
    if (verdict === 'wrong') throw badRequest('The code is wrong, or it was used already; wait for the next one')
  }
}
