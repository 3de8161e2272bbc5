// What is read on a visit of a day: its hours, what it is, and for whom. Cards of agents show it, too.
import { type Html, html } from '../http/html.ts'
import type { Clock } from './formatting.ts'

export interface ShownVisit {
  readonly title: string
  readonly from: Date
  readonly to: Date
  readonly allDay: boolean
  readonly customer: string | null
}

export const visitFace = ({ title, from, to, allDay, customer }: ShownVisit, clock: Clock): Html =>
  html`<span class="t">${allDay ? 'All day' : clock.span(from, to)}</span><span class="w">${title}</span>${customer && html`<span class="c soft">${customer}</span>`}`
