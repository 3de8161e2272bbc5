// Settings of the shop: which pages there are, who has them, and the list beside each of them.
import { type Html, type HtmlPart, html } from '../http/html.ts'
import { notFound } from '../operations/errors.ts'
import type { Scope } from '../operations/scopes.ts'
import type { View } from './frame.ts'
import type { DeskRequest, DeskRouter } from './router.ts'

/** Who lacks one of the scopes has not the page. Managers have all but those of admins; technicians have none. */
const sections = {
  organisation: { words: 'Organisation', needs: ['organisation:write'] },
  members: { words: 'Members', needs: ['organisation:write'] },
  statuses: { words: 'Job statuses', needs: ['ticket-statuses:write'] },
  stations: { words: 'Stations', needs: ['stations:write'] },
  taxes: { words: 'Tax rates', needs: ['tax-rates:write'] },
  accounting: { words: 'Bookkeeping', needs: ['organisation:write'] },
  categories: { words: 'Categories', needs: ['categories:write'] },
  // Forms themselves have no operations that write: who may delete jobs decides what jobs need.
  forms: { words: 'Forms and rules', needs: ['forms:read', 'tickets:delete'] },
  mail: { words: 'Mail', needs: ['quotes:write', 'invoices:write'] },
  calendars: { words: 'Calendar addresses', needs: ['calendar:delete'] },
} as const satisfies Record<string, { words: string; needs: readonly Scope[] }>
export type SettingsSection = keyof typeof sections

export const needsOf = (section: SettingsSection): readonly Scope[] => sections[section].needs

const sectionsFor = ({ may }: DeskRequest): SettingsSection[] =>
  (Object.keys(sections) as SettingsSection[]).filter((name) => needsOf(name).every(may))

export function addSettingsRoutes(router: DeskRouter): void {
  router.get('/settings', ['ticket-statuses:write'], async (request) => {
    const [first] = sectionsFor(request)
    if (!first) throw notFound('page')
    return request.redirect(`/settings/${first}`)
  })
}

interface SettingsPage {
  readonly title: string
  readonly body: HtmlPart
  readonly status?: number
  readonly scripts?: readonly string[]
}

/** Its forms may answer with pages, such as a secret that is shown once, which Turbo does not take. */
export const settingsView = (
  request: DeskRequest,
  section: SettingsSection,
  { body, ...page }: SettingsPage,
): View => ({
  ...page,
  place: 'settings',
  body: html`<div class="office" data-turbo="false">${sectionList(request, section)}
<div class="office-page">${body}</div></div>`,
})

const sectionList = (request: DeskRequest, section: SettingsSection): Html =>
  html`<details class="menu"><summary>${sections[section].words}</summary>
<nav class="pages" aria-label="Settings"><ul>${sectionsFor(request).map(
    (name) =>
      html`<li><a href="${request.href(`/settings/${name}`)}"${name === section && html` aria-current="page"`}>${sections[name].words}</a></li>`,
  )}</ul></nav></details>`
