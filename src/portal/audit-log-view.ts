// The page of the audit log: who did what, in words.

import { olderLink, timeTag } from '../desk/office-parts.ts'
import { type Html, html } from '../http/html.ts'
import { type AuditEntry, auditActions, entriesPerPage } from '../identity/audit.ts'
import type { PortalRequest, View } from './router.ts'

export const auditLogPage = (request: PortalRequest, entries: readonly AuditEntry[]): View => ({
  title: 'Audit log',
  section: 'audit',
  body: html`<h1>Audit log</h1>
<p>Who did what, at the desk, on these pages or on the command line of the server. Lines are never changed and never deleted.</p>
${
  entries.length === 0
    ? html`<p class="empty">Nothing was done yet. Whatever is done at the desk, and to keys, apps, members, webhooks and calendar addresses, is written down, and what the server's
command line writes out, brings in or takes over.</p>`
    : html`<ol class="lines">${entries.slice(0, entriesPerPage).map(
        (entry) => html`<li><p class="quiet">${timeTag(entry.at, request.timeZone)}</p>
<p><strong>${entry.memberName}</strong> ${auditActions[entry.action] ?? entry.action} <strong>${entry.detail.name}</strong>${auditDetails(entry)}</p></li>`,
      )}</ol>${olderLink(request, '/audit', entries, entriesPerPage)}`
}`,
})

const detailLabels: Readonly<Record<string, string>> = {
  scopes: 'may',
  allowedUses: 'over',
  ipAllowlist: 'from',
  expiresAt: 'until',
  overlapHours: 'hours both values work',
  redirectUris: 'leads back to',
  roleBefore: 'was',
  isActive: 'active',
  allowedBy: 'allowed by',
  entitlement: 'plan',
  file: 'as',
  records: 'with',
  source: 'kept by',
  externalId: 'as',
  method: 'paid by',
  types: 'told of',
  what: '',
}

/** What an operation is for, as its first words say it; the rest is for those who call it by program. */
export const actInWords = (summary: string): string =>
  summary.replace(/[;:].*$/s, '').replace(/, in the background$/, '')

/** Whatever else is known. */
function auditDetails({ detail: { name: _, operation: __, ...rest } }: AuditEntry): Html | false {
  const known = Object.entries(rest).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  )
  const words = ([key, value]: [string, unknown]) => {
    const formatted = Array.isArray(value)
      ? value.join(', ')
      : typeof value === 'boolean'
        ? value
          ? 'yes'
          : 'no'
        : (key === 'what' ? actInWords(String(value)) : String(value)).replace(
            /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d\.\d+Z$/,
            '$1',
          )
    return `${detailLabels[key] ?? key} ${formatted}`.trim()
  }
  return known.length > 0 && html` <span class="quiet">(${known.map(words).join('; ')})</span>`
}
