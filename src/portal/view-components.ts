// What the pages of keys and apps share: when a credential was last used, and what a set of scopes allows in words.
import { fromNow, timeTag } from '../desk/office-parts.ts'
import { type Html, html } from '../http/html.ts'
import type { ScopeVersion } from '../operations/scopes.ts'
import { scopeCatalogue } from '../resources/index.ts'

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
function scopeSentences(granted: readonly string[], version: ScopeVersion): string[] {
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
