// Where a customer accepts or declines a quote: a plain form, to which a script adds a place to sign.
import { type Html, html } from '../http/html.ts'
import { formatOf } from './format.ts'
import type { PrintDocument } from './print-document.ts'
import { oneLine } from './sanitize-text.ts'

export interface TypedAnswer {
  readonly name?: string
  readonly reason?: string
}

/** It is posted to the page's own address; the button pressed is its `answer`: accept or decline. */
export function answerForm(document: PrintDocument, path: string, csrf: string, typed: TypedAnswer = {}): Html {
  const { money } = formatOf(document)
  return html`<section class="answer" id="answer" aria-labelledby="answer-heading">
<h2 id="answer-heading">Your answer</h2>
<p dir="auto">By accepting you order the work above from <bdi>${oneLine(document.organisation.name)}</bdi> for <strong><bdi>${money(document.total)}</bdi></strong>.${
    document.depositAmount > 0 &&
    html` A deposit of <strong><bdi>${money(document.depositAmount)}</bdi></strong> is then due.`
  }</p>
<form method="post" action="${path}">
<input type="hidden" name="csrf" value="${csrf}">
<p class="field"><label for="name">Your name</label>
<input id="name" name="name" type="text" autocomplete="name" required maxlength="120" value="${typed.name ?? ''}"></p>
<div class="field signature" data-signature hidden>
<p id="signature-label">Your signature <span class="aside">(optional)</span></p>
<canvas role="img" aria-labelledby="signature-label"></canvas>
<input type="hidden" name="signature" value="">
<button type="button" class="quiet" hidden>Clear signature</button>
</div>
<p><button type="submit" name="answer" value="accept" class="button primary">Accept</button></p>
<div class="decline">
<p class="field"><label for="reason">Not for you? Tell us why <span class="aside">(optional)</span></label>
<textarea id="reason" name="reason" rows="2" maxlength="2000">
${typed.reason ?? ''}</textarea></p>
<p><button type="submit" name="answer" value="decline" class="button" formnovalidate>Decline</button></p>
</div>
</form>
</section>`
}
