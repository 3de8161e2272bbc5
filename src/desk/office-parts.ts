// What the pages of settings and those for developers are made of: timestamps, durations, badges, lists, secrets shown once.
import { type Html, html } from '../http/html.ts'

export function timeTag(at: Date | null, timeZone: string, fallback = 'never'): Html | string {
  if (!at) return fallback
  const words = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'short' }).format(at)
  return html`<time datetime="${at.toISOString()}">${words}</time>`
}

/** The day alone, where the hour is nobody's business. */
export const dayTag = (at: Date, timeZone: string): Html => {
  const words = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium' }).format(at)
  return html`<time datetime="${at.toISOString()}">${words}</time>`
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Such as "3 days ago" or "in 2 months". */
export function fromNow(at: Date, now = Date.now()): string {
  const seconds = (at.getTime() - now) / 1_000
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  return unit === 'second'
    ? seconds <= 0
      ? 'just now'
      : 'in a moment'
    : relative.format(Math.round(seconds / size), unit)
}

/** A value that is shown this once. */
export const secretBlock = (label: string, value: string): Html =>
  html`<p class="label">${label}</p>
<p class="secret"><code>${value}</code></p>
<p class="hint">This is the only time it is shown. Copy it now to where only its user can read it.</p>`

export const definitionList = (entries: readonly (readonly [string, Html | string])[]): Html =>
  html`<dl>${entries.map(([term, meaning]) => html`<div><dt>${term}</dt><dd>${meaning}</dd></div>`)}</dl>`

type Tone = 'good' | 'idle' | 'bad'
export const badge = ([words, tone]: readonly [string, Tone]): Html => html`<span class="badge ${tone}">${words}</span>`

/** To the records before the last one shown, where there are any. */
export const olderLink = (
  request: { href(path: string): string },
  path: string,
  records: readonly { readonly id: string }[],
  pageSize: number,
): Html | false =>
  records.length > pageSize &&
  html`<p><a href="${request.href(`${path}${path.includes('?') ? '&' : '?'}before=${records[pageSize - 1]!.id}`)}">Older</a></p>`
