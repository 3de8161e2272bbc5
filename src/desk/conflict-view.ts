// The page that shows both: what somebody else wrote meanwhile, and what was typed here.
import { type Html, html } from '../http/html.ts'
import type { Conflict, FieldConflict } from './changes.ts'
import { pageHead, type View } from './frame.ts'
import type { DeskRequest } from './router.ts'

interface ConflictPage {
  /** What the record is called. */
  readonly title: string
  readonly conflict: Conflict
  /** Where the form leads, and where those go who leave it as it is. */
  readonly action: string
  readonly back: string
  /** How a value is said, where the form has an id for it. */
  readonly say: (field: FieldConflict, value: string) => string
  /** Whether people may write on before they save; other values are chosen, not written. */
  readonly isText: (field: FieldConflict) => boolean
  readonly place: string
}

export function conflictView({ href, csrfField }: DeskRequest, page: ConflictPage): View {
  const { title, conflict, action, back, say, isText, place } = page
  const both = (field: FieldConflict): Html => {
    const { name, label, theirs, yours } = field
    const nothing = html`<span class="soft">Nothing</span>`
    const mine = isText(field)
      ? html`<textarea name="${name}" aria-label="${label}, yours">${yours}</textarea>`
      : html`<p>${say(field, yours) || nothing}</p><input type="hidden" name="${name}" value="${yours}">`
    return html`<section class="card both"><header><h2>${label}</h2></header><div class="pair"><div><h3>There now</h3><p class="pre">${say(field, theirs) || nothing}</p></div><div><h3>Yours</h3>${mine}</div></div><input type="hidden" name="was.${name}" value="${theirs}"></section>`
  }
  return {
    title,
    place,
    status: 412,
    body: html`${pageHead('Somebody else changed this meanwhile', { crumbs: [[href(back), title]] })}
<div class="note" role="alert"><span class="grow">What you typed is kept, and not saved yet. Look at both, then save yours or leave what is there now.</span></div>
<form class="stack narrow" method="post" action="${href(action)}">${csrfField}<input type="hidden" name="version" value="${conflict.version ?? ''}">
${conflict.others.map(({ name, was, yours }) => html`<input type="hidden" name="${name}" value="${yours}"><input type="hidden" name="was.${name}" value="${was}">`)}${conflict.fields.map(both)}
<div class="row"><button class="btn main">Save mine</button><a class="btn" href="${href(back)}">Leave what is there now</a></div></form>`,
  }
}
