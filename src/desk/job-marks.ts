// What stands on a job in a word or two: when it is, that it comes again, and what is in the way. Cards of agents show it, too.
import { type Html, html } from '../http/html.ts'
import { type Clock, count } from './formatting.ts'
import { icon } from './icons.ts'
import { chip } from './marks.ts'

export interface MarkedJob {
  readonly from: Date | null
  readonly allDay: boolean
  readonly openForms: number
  readonly isRecurring: boolean
  readonly closedAt: Date | null
}

export function whenChip({ from, allDay, closedAt }: MarkedJob, clock: Clock): Html | false {
  if (closedAt) return html`<span>Closed ${clock.ago(closedAt)}</span>`
  if (!from) return false
  const words = allDay ? clock.nearby(from).replace(/ \d\d:\d\d$/, '') : clock.nearby(from)
  if (clock.date(from) === clock.today) return chip(words, 'good')
  return chip(words, from < clock.now ? 'warn' : '')
}

export const agreementChip = ({ isRecurring }: MarkedJob): Html | false =>
  isRecurring && chip(html`${icon('repeat')}Agreement`)

export const formsChip = ({ openForms, closedAt }: MarkedJob): Html | false =>
  openForms > 0 && !closedAt && chip(html`${icon('form')}${count(openForms, 'form')} open`, 'warn')
