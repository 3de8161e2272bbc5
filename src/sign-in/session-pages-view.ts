// The pages of signing in: password and code, the code alone, a second factor set up, recovery codes.
import { encode } from 'uqr'
import { type Html, html } from '../http/html.ts'
import { errorAlert, type Page } from '../http/layout.ts'
import { withNext } from '../http/next-path.ts'
import type { Session } from '../identity/sessions.ts'
import { enrolmentUri } from './totp.ts'

export interface SignInContext {
  /** Where it goes on afterwards. */
  readonly next: string
  /** The hidden field of our forms. */
  readonly csrfField: Html
  /** What was wrong with the last try. */
  readonly wrong?: string | undefined
  readonly status?: number
  readonly formTarget?: string | undefined
}

const frame = (title: string, { status = 200, formTarget }: SignInContext, body: Html): Page => ({
  title,
  status,
  formTarget,
  body,
})
const hiddenFields = ({ csrfField, next }: SignInContext) =>
  html`${csrfField}<input type="hidden" name="next" value="${next}">`

const codeField = html`<label for="totp">Code</label>
<input id="totp" name="totp" autocomplete="one-time-code" inputmode="text" autocapitalize="none" spellcheck="false"
  maxlength="40" aria-describedby="totp-hint">
<p class="hint" id="totp-hint">Six digits from your authenticator app, or one of your recovery codes. Leave it empty if
you have not set one up.</p>`

/** Asked where it is not answered yet. */
export const rememberField = html`<label class="choice"><input type="checkbox" name="remember" value="yes">
<span>Keep me signed in on this browser <small>For 30 days. Only on a device that others do not use.</small></span></label>`

export const signInPage = (
  context: SignInContext,
  { email = '', app, provider }: { email?: string; app?: string | undefined; provider?: string | undefined },
): Page =>
  frame(
    'Sign in',
    context,
    html`<h1>Sign in</h1>
${app !== undefined && html`<p>Sign in to decide what <strong>${app}</strong> may do.</p>`}
${errorAlert(context.wrong)}
<form method="post" action="/sign-in">
${hiddenFields(context)}
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254" value="${email}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="200">
${codeField}
${rememberField}
<div class="buttons"><button>Sign in</button></div>
</form>
${
  provider !== undefined &&
  html`<div class="buttons"><a class="button second" href="${withNext('/sign-in/external', context.next)}">Sign in with ${provider}</a></div>`
}`,
  )

export const codePage = (
  context: SignInContext,
  { email, isRemembered }: Pick<Session, 'email' | 'isRemembered'>,
): Page =>
  frame(
    'Enter your code',
    context,
    html`<h1>Enter your code</h1>
<p>You are ${email}.</p>
${errorAlert(context.wrong)}
<form method="post" action="/sign-in/code">
${hiddenFields(context)}
${codeField}
${!isRemembered && rememberField}
<div class="buttons"><button>Sign in</button></div>
</form>`,
  )

export const enrolmentPage = (
  context: SignInContext,
  { email, isRemembered }: Pick<Session, 'email' | 'isRemembered'>,
  secret: string,
): Page =>
  frame(
    'Set up your second factor',
    context,
    html`<h1>Set up your second factor</h1>
<p>Scan the picture with an authenticator app, then enter the code it shows.</p>
${errorAlert(context.wrong)}
<div class="picture" role="img" aria-label="The secret below as a QR code">${qrCode(enrolmentUri(secret, email))}</div>
<p>If you cannot scan it, type this secret into the app: <code>${secret.match(/.{1,4}/g)!.join(' ')}</code></p>
<form method="post" action="/sign-in/second-factor">
${hiddenFields(context)}
<label for="totp">Code</label>
<input id="totp" name="totp" autocomplete="one-time-code" inputmode="numeric" required maxlength="10">
${!isRemembered && rememberField}
<div class="buttons"><button>Continue</button></div>
</form>`,
  )

/** A QR code as one path of dark squares. */
function qrCode(text: string): Html {
  const { size, data } = encode(text, { border: 2 })
  const squares = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges" aria-hidden="true"><path d="${squares}" fill="#000000"/></svg>`
}

/** Wherever they are shown, it is this once. */
export const recoveryCodeList = (codes: readonly string[]): Html => html`<p>Keep them where only you can read them. Each
works once in place of a code, should you lose your device. They are shown only now.</p>
<ul class="codes">${codes.map((code) => html`<li>${code}</li>`)}</ul>`

export const recoveryPage = (context: SignInContext, codes: readonly string[]): Page =>
  frame(
    'Your recovery codes',
    context,
    html`<h1>Your recovery codes</h1>
${recoveryCodeList(codes)}
<div class="buttons"><a class="button" href="${context.next}">I have kept them</a></div>`,
  )
