// Acts on several records: each is an operation of its own, and the answer is an account of what was done and what was refused.
import { type Html, type HtmlPart, html } from '../http/html.ts'
import type { Scope } from '../operations/scopes.ts'
import { count } from './formatting.ts'
import { pageHead, type View } from './frame.ts'
import { icon } from './icons.ts'
import type { Performed } from './perform.ts'
import type { DeskRequest, DeskRouter } from './router.ts'

/** One of those that were chosen. */
export interface Chosen {
  readonly id: string
  /** What people call it: #27, INV-0004. */
  readonly name: string
  readonly about: string
  readonly path: string
}

export interface Outcome<T extends Chosen> {
  readonly record: T
  /** Why not; undefined where it was done. */
  readonly refused?: string | undefined
  /** What was answered. */
  readonly data?: unknown
}

/** One after the other, in the order they were chosen: what one is refused stops none of the others. */
export async function actOnEach<T extends Chosen>(
  records: readonly T[],
  act: (record: T) => Promise<Performed<unknown>>,
): Promise<Outcome<T>[]> {
  const outcomes: Outcome<T>[] = []
  for (const record of records) {
    const performed = await act(record)
    outcomes.push(performed.isDone ? { record, data: performed.data } : { record, refused: performed.refusal.message })
  }
  return outcomes
}

interface Account {
  readonly title: string
  readonly place: string
  readonly back: readonly [path: string, words: string]
  readonly noun: string
  /** What was done with them, after their number: `are assigned to Ada`. */
  readonly doneWords: string
  readonly outcomes: readonly Outcome<Chosen>[]
  /** What must be known of it besides. */
  readonly note?: HtmlPart
  /** The form that takes back what was done. */
  readonly undo?: HtmlPart
}

export function accountView({ href }: DeskRequest, account: Account): View {
  const { title, place, back, noun, doneWords, outcomes, note, undo } = account
  const done = outcomes.filter(({ refused }) => refused === undefined)
  const refused = outcomes.filter((one) => one.refused !== undefined)
  // A reason that begins with the number does not say it twice.
  const line = ({ record: { id, name, path, about }, refused: why }: Outcome<Chosen>): Html =>
    html`<li id="k-${id}"><a class="link" href="${href(path)}">${name}</a> ${why?.replace(`${name} `, '') ?? html`<span class="soft">${about}</span>`}</li>`
  const part = (heading: string, some: readonly Outcome<Chosen>[]) =>
    some.length > 0 &&
    html`<section class="card"><header><h2>${heading}</h2><span class="n">${some.length}</span></header><ul class="account-of">${some.map(line)}</ul></section>`
  return {
    title,
    place,
    body: html`${pageHead(title, { crumbs: [[href(back[0]), back[1]]] })}
<div class="stack narrow">${done.length > 0 && note}${done.length > 0 ? html`<div class="note good" role="status"><span class="grow">${count(done.length, noun)} ${doneWords}.</span>${undo}</div>` : html`<p class="note" role="status">Nothing was changed.</p>`}${refused.length > 0 && html`<p class="note danger" role="alert">${icon('warning')}<span>${count(refused.length, noun)} ${refused.length === 1 ? 'was' : 'were'} refused.</span></p>`}
${part('Refused', refused)}${part('Done', done)}<p><a class="btn" href="${href(back[0])}">Back</a></p></div>`,
  }
}

/** The account is the answer to a form: whoever opens its address anew, or signs in meanwhile, is led to where one chooses. */
export function leadBack(router: DeskRouter, paths: readonly string[], needs: readonly Scope[], to: string): void {
  for (const path of paths) router.get(path, needs, async (request) => request.redirect(to))
}

/** Nothing was chosen, or too much. */
export const bulkRefusedView = ({ href }: DeskRequest, words: string, place: string, path: string): View => ({
  title: 'Several at once',
  place,
  status: 400,
  body: html`${pageHead('Several at once')}<p class="note danger" role="alert">${icon('warning')}<span>${words}</span></p><p><a class="btn" href="${href(path)}">Choose again</a></p>`,
})
