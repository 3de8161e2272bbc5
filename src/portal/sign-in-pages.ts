// The pages of signing in: password and code, the code alone, a second factor set up, recovery codes.
import { renderSVG } from 'uqr'
import { enrolmentUri } from '../identity/second-factor.ts'
import { html, raw, type Safe } from '../pages/html.ts'
import type { Page } from './layout.ts'

export interface Setting {
  /** Where it goes on afterwards. */
  readonly next: string
  /** The hidden field of our forms. */
  readonly seal: Safe
  /** What was wrong with the last try. */
  readonly wrong?: string | undefined
  readonly status?: number
  readonly leadsTo?: string | undefined
}

const frame = (title: string, { status = 200, leadsTo }: Setting, body: Safe): Page => ({
  title,
  status,
  leadsTo,
  body,
})
const hidden = ({ seal, next }: Setting) => html`${seal}<input type="hidden" name="next" value="${next}">`
const complaint = ({ wrong }: Setting) => wrong !== undefined && html`<p class="wrong" role="alert">${wrong}</p>`

const codeField = html`<label for="totp">Code</label>
<input id="totp" name="totp" autocomplete="one-time-code" inputmode="text" autocapitalize="none" spellcheck="false"
  maxlength="40" aria-describedby="totp-hint">
<p class="hint" id="totp-hint">Six digits from your authenticator app, or one of your recovery codes.</p>`

export const signInPage = (
  setting: Setting,
  { email = '', app, provider }: { email?: string; app?: string | undefined; provider?: string | undefined },
): Page =>
  frame(
    'Sign in',
    setting,
    html`<h1>Sign in</h1>
${app !== undefined && html`<p>Sign in to decide what <strong>${app}</strong> may do.</p>`}
${complaint(setting)}
<form method="post" action="/sign-in">
${hidden(setting)}
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254" value="${email}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="200">
${codeField}
<div class="buttons"><button>Sign in</button></div>
</form>
${
  provider !== undefined &&
  html`<div class="buttons"><a class="button second" href="/sign-in/external?next=${encodeURIComponent(setting.next)}">Sign in with ${provider}</a></div>`
}`,
  )

export const codePage = (setting: Setting, email: string): Page =>
  frame(
    'Enter your code',
    setting,
    html`<h1>Enter your code</h1>
<p>You are ${email}.</p>
${complaint(setting)}
<form method="post" action="/sign-in/code">
${hidden(setting)}
${codeField}
<div class="buttons"><button>Sign in</button></div>
</form>`,
  )

export const enrolmentPage = (setting: Setting, email: string, secret: string): Page =>
  frame(
    'Set up your second factor',
    setting,
    html`<h1>Set up your second factor</h1>
<p>Scan the picture with an authenticator app, then enter the code it shows.</p>
${complaint(setting)}
<div class="picture" role="img" aria-label="The secret below as a QR code">${raw(renderSVG(enrolmentUri(secret, email), { border: 2 }))}</div>
<p>If you cannot scan it, type this secret into the app: <code>${secret.match(/.{1,4}/g)!.join(' ')}</code></p>
<form method="post" action="/sign-in/second-factor">
${hidden(setting)}
<label for="totp">Code</label>
<input id="totp" name="totp" autocomplete="one-time-code" inputmode="numeric" required maxlength="10">
<div class="buttons"><button>Continue</button></div>
</form>`,
  )

export const recoveryPage = (setting: Setting, codes: readonly string[]): Page =>
  frame(
    'Your recovery codes',
    setting,
    html`<h1>Your recovery codes</h1>
<p>Keep them where only you can read them. Each works once in place of a code, should you lose your device. They are shown
only now.</p>
<ul class="codes">${codes.map((code) => html`<li>${code}</li>`)}</ul>
<div class="buttons"><a class="button" href="${setting.next}">I have kept them</a></div>`,
  )
