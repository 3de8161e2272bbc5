// Small marks that stand for something: a member, a status, a priority, a hint.
import { type Html, type HtmlPart, html } from '../http/html.ts'

/** Colours of the shop come as attributes of SVG: a style in markup would be refused by the CSP. */
export const statusDot = (color: number): Html =>
  html`<svg class="dot" viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="4.5" fill="${cssColor(color)}"/></svg>`

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word][0]!.toUpperCase())
    .join('')

/** Colours are kept as ARGB numbers; what is shown is always opaque. */
export const cssColor = (argb: number): string => `#${(argb & 0xffffff).toString(16).padStart(6, '0')}`

const avatarColors = ['#009688', '#f44336', '#9c27b0', '#2196f3', '#ff9800', '#4caf50', '#795548', '#607d8b']

/** The one they were given, or one that is theirs on every page. */
function avatarColor({ id, color }: Person): string {
  if (color !== null) return cssColor(color)
  let sum = 0
  for (const character of id) sum = (sum * 31 + character.charCodeAt(0)) >>> 0
  return avatarColors[sum % avatarColors.length]!
}

export interface Person {
  readonly id: string
  readonly name: string
  readonly color: number | null
}

export const avatar = (person: Person): Html => {
  const { name } = person
  return html`<svg class="av" viewBox="0 0 24 24" role="img" aria-label="${name}"><title>${name}</title><circle cx="12" cy="12" r="12" fill="${avatarColor(person)}" fill-opacity=".22"/><text x="12" y="15.5">${initials(name)}</text></svg>`
}

const nobody: Html = html`<svg class="av" viewBox="0 0 24 24" role="img" aria-label="Nobody assigned"><title>Nobody assigned</title><circle cx="12" cy="12" r="11" fill="none" stroke="currentColor" stroke-opacity=".45" stroke-dasharray="2.5 2.5"/></svg>`

export const avatarOrNobody = (person: Person | null | undefined): Html => (person ? avatar(person) : nobody)

export const chip = (words: HtmlPart, kind: 'good' | 'warn' | 'danger' | '' = ''): Html =>
  html`<span class="${kind ? `chip ${kind}` : 'chip'}">${words}</span>`

/** Nothing where it is normal. */
export const priorityChip = (priority: string): Html | false =>
  (priority === 'urgent' && chip('Urgent', 'danger')) ||
  (priority === 'high' && chip('High', 'warn')) ||
  (priority === 'low' && chip('Low'))

/** What a list says that has nothing, and what to do about it. */
export const emptyNote = (title: string, words: HtmlPart, action?: Html): Html =>
  html`<div class="empty"><strong>${title}</strong>${words}${action && html`<div>${action}</div>`}</div>`

/** What has no digits is no number, whatever stands in the field: nobody can call it. */
export const telAddress = (phone: string): string | undefined =>
  /\d/.test(phone) ? `tel:${phone.replaceAll(/[^\d+]/g, '')}` : undefined

export const phoneLink = (phone: string): HtmlPart => {
  const address = telAddress(phone)
  return address === undefined ? phone : html`<a class="link" href="${address}">${phone}</a>`
}
