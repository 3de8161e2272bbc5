// The fields of a visit's forms: shown, read back, and named in the words that stand beside them.
import type { SaidTimes, VisitTimes } from '../domain/visit-times.ts'
import { addDays, isClockTime, isDate, wallOf } from '../domain/wall-clock.ts'
import { type Html, html } from '../http/html.ts'
import type { Caller } from '../operations/caller.ts'
import type { Performed } from './perform.ts'
import { type Labels, wordRefusal } from './refusal-words.ts'
import type { ShopSetup } from './shop-setup.ts'

/** Those who work here, and who has it now; technicians can take a visit or give it back, and hand none to others. */
export function personOptions({ onlyJobsOf }: Caller, { people }: ShopSetup, chosen: string | null): Html {
  const offered = people.filter(
    ({ id, isActive }) => id === chosen || (isActive && (onlyJobsOf === undefined || id === onlyJobsOf)),
  )
  return html`<option value="">Nobody</option>${offered.map(({ id, name }) => html`<option value="${id}"${id === chosen && html` selected`}>${name}</option>`)}`
}

/** Fields as they are filled in: days and times of clocks on the wall, empty for nobody. */
export interface WhenFields {
  readonly day: string
  readonly time: string
  readonly untilDay: string
  readonly until: string
  readonly allDay: boolean
  readonly who: string
}

export function whenFieldsOf({ from, to, allDay }: VisitTimes, who: string | null, timeZone: string): WhenFields {
  const [begin, end] = [wallOf(from, timeZone), wallOf(to, timeZone)]
  return {
    day: begin.day,
    time: allDay ? '' : begin.time,
    untilDay: allDay ? addDays(end.day, -1) : end.day,
    until: allDay ? '' : end.time,
    allDay,
    who: who ?? '',
  }
}

export const typedWhen = (form: URLSearchParams): WhenFields => ({
  day: form.get('day') ?? '',
  time: form.get('time') ?? '',
  untilDay: form.get('untilDay') ?? '',
  until: form.get('until') ?? '',
  allDay: form.get('allDay') === 'on',
  who: form.get('who') ?? '',
})

export const whenFields = (
  caller: Caller,
  setup: ShopSetup,
  { day, time, untilDay, until, allDay, who }: WhenFields,
): Html =>
  html`<fieldset class="when"><legend>Begins</legend><label><span class="sr">Day it begins</span><input type="date" name="day" value="${day}" required></label><label><span class="sr">Time it begins</span><input type="time" name="time" value="${time}"></label></fieldset>
<fieldset class="when"><legend>Ends</legend><label><span class="sr">Day it ends</span><input type="date" name="untilDay" value="${untilDay}" required></label><label><span class="sr">Time it ends</span><input type="time" name="until" value="${until}"></label></fieldset>
<input type="hidden" name="whole" value="asked"><label class="row"><input type="checkbox" name="allDay"${allDay && html` checked`}> All day</label>
<label class="field"><span>Who</span><select name="who">${personOptions(caller, setup, who || null)}</select></label>`

/** What was said, or what is wrong with it. A script sends only what changed; a form sends all its fields. */
export function readTimes(form: URLSearchParams): SaidTimes | string {
  const given = (name: string) => form.get(name) || undefined
  const [day, time, untilDay, until] = [given('day'), given('time'), given('untilDay'), given('until')]
  if (day !== undefined && !isDate(day)) return 'Begins: there is no such day.'
  if (untilDay !== undefined && !isDate(untilDay)) return 'Ends: there is no such day.'
  const clockTime = (value: string | undefined) => value?.slice(0, 5)
  if (time !== undefined && !isClockTime(clockTime(time))) return 'Begins: there is no such time.'
  if (until !== undefined && !isClockTime(clockTime(until))) return 'Ends: there is no such time.'
  const allDay = form.has('whole') ? form.get('allDay') === 'on' : undefined
  if (allDay === false && form.has('time') && !time) return 'Begins: say a time, or that it is all day.'
  if (allDay === false && form.has('until') && !until) return 'Ends: say a time, or that it is all day.'
  return { day, time: clockTime(time), untilDay, until: clockTime(until), allDay }
}

const labels: Labels = {
  title: 'what it is',
  location: 'the place',
  notes: 'the note',
  reason: 'the reason',
  assignedToId: 'who has it',
  assignedTechnician: 'who has it',
  from: 'the beginning',
  scheduledFrom: 'the beginning',
  to: 'the end',
  scheduledTo: 'the end',
}

/** What the service says of its fields, in the words of the form. */
export function wordVisit<T>(performed: Performed<T>): Performed<T> {
  if (performed.isDone || !/^\w+ must be after \w+\.?$/.test(performed.refusal.message))
    return wordRefusal(performed, labels)
  return { isDone: false, refusal: { ...performed.refusal, message: 'Ends: it must end after it begins.' } }
}
