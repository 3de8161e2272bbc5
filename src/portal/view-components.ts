// What the pages of the portal share: timestamps, durations, badges, lists, and what a set of scopes allows in words.
import { type Html, html } from '../http/html.ts'
import type { ScopeVersion } from '../operations/scopes.ts'
import { scopeCatalogue } from '../resources/index.ts'

export function timeTag(at: Date | null, timeZone: string, fallback = 'never'): Html | string {
  if (!at) return fallback
  const words = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium', timeStyle: 'short' }).format(at)
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

interface UsageRecord {
  readonly lastUsedAt: Date | null
  readonly lastUsedFor: 'rest' | 'mcp' | null
  readonly lastUsedFrom: string | null
}

/** When, for what and from where. */
export const lastUse = ({ lastUsedAt, lastUsedFor, lastUsedFrom }: UsageRecord, timeZone: string): Html | string =>
  lastUsedAt
    ? html`${fromNow(lastUsedAt)} (${timeTag(lastUsedAt, timeZone)})${lastUsedFor && ` over ${useLabels[lastUsedFor]}`}${
        lastUsedFrom && ` from ${lastUsedFrom}`
      }`
    : 'never'

export const useLabels = { rest: 'REST', mcp: 'MCP' } as const

export const bundleLabels = {
  read: { title: 'Only look', sentence: 'See everything, change nothing.' },
  write: { title: 'Work', sentence: 'See, create and change everything, but delete nothing.' },
  full: { title: 'Everything', sentence: 'See, create, change and delete everything.' },
} as const

/** What the scopes allow: one sentence where that is enough, else a line for each entity. */
export function scopeSentences(granted: readonly string[], version: ScopeVersion): string[] {
  const allowed = scopeCatalogue.expand(granted, version)
  for (const name of ['full', 'write', 'read'] as const) {
    const scopes = scopeCatalogue.bundles[name]
    if (scopes.length === allowed.size && scopes.every((scope) => allowed.has(scope)))
      return [bundleLabels[name].sentence]
  }
  return scopeCatalogue
    .groupByEntity(allowed)
    .map(
      ([{ title }, scopes]) =>
        `${title}: ${scopes.map((scope) => scopeCatalogue.verbOf(scope).toLowerCase()).join(', ')}.`,
    )
}

export const scopeList = (granted: readonly string[], version: ScopeVersion): Html => {
  const lines = scopeSentences(granted, version)
  return lines.length === 1
    ? html`<p>${lines[0]!}</p>`
    : html`<ul class="scopes">${lines.map((line) => html`<li>${line}</li>`)}</ul>`
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
  html`<p><a href="${request.href(`${path}?before=${records[pageSize - 1]!.id}`)}">Older</a></p>`
