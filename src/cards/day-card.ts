// The card of a day, or of several, from the list of calendar events that a tool answers. It is run in the host's frame, by
// `client/host.js`.
import { type Clock, count } from '../desk/formatting.ts'
import { emptyNote } from '../desk/marks.ts'
import { visitFace } from '../desk/visit-face.ts'
import { type Html, html } from '../http/html.ts'

export interface AnsweredDay {
  readonly calendarEvents: readonly {
    readonly title: string
    readonly from: string
    readonly to: string
    readonly allDay?: boolean
    readonly ticketId?: string
    readonly location?: string
  }[]
  readonly pagination?: { readonly hasMore?: boolean }
}

export function renderDay({ calendarEvents, pagination }: AnsweredDay, clock: Clock): Html {
  const days = new Map<string, Html[]>()
  for (const { title, from, to, allDay = false, ticketId, location = null } of calendarEvents) {
    const begins = new Date(from)
    const day = clock.longDay(begins)
    const visit = { title, from: begins, to: new Date(to), allDay, customer: location }
    const row = html`<li class="visit${!ticketId && ' plain'}"><div class="face">${visitFace(visit, clock)}</div></li>`
    days.set(day, [...(days.get(day) ?? []), row])
  }
  const [only] = days.size === 1 ? days.keys() : []
  const note = pagination?.hasMore && html`<p class="soft small pad">More follow.</p>`
  return html`<section class="card"><header class="row"><h1 class="grow">${only ?? 'Calendar'}</h1><span class="n">${count(calendarEvents.length, 'event')}</span></header>
${days.size === 0 && emptyNote('Nothing is planned', 'The calendar is empty then.')}${[...days].map(([day, visits]) => html`${only === undefined && html`<h2 class="pad">${day}</h2>`}<ol class="agenda">${visits}</ol>`)}${note}</section>`
}
