// The fields of an agreement's form: how each stands in the record, what is sent, and what people call it.
import { minuteMs } from '../domain/durations.ts'
import { type Series, type Slot, slotsFrom } from '../domain/recurrence.ts'
import { formatRule } from '../domain/recurrence-rule.ts'
import { choicesOf, chosenRule, type RuleChoices, ruleUnits, type WrongChoice } from '../domain/rule-choices.ts'
import { isClockTime, isDate, toMoment, wallOf } from '../domain/wall-clock.ts'
import { type Agreement, seriesOf } from './agreement-data.ts'
import { linesText, templateLinesText, typedTemplateRows } from './agreement-lines.ts'
import type { EditedField } from './changes.ts'
import { parseJson } from './document-fields.ts'
import type { Labels } from './refusal-words.ts'

export const agreementLabels: Labels = {
  name: 'the name',
  serviceRequired: 'what is done',
  description: 'the description',
  customerId: 'the customer',
  deviceId: 'the device',
  assignedTechnician: 'the technician',
  stationId: 'the place',
  startsAt: 'the first visit',
  timeZone: 'the time zone',
  rrule: 'the rule',
  durationMinutes: 'how long it takes',
  horizonDays: 'how far ahead jobs are made',
  quantity: 'the quantity',
  unitPrice: 'the price',
  taxRateId: 'the tax rate',
  until: 'the day',
  endsAt: 'the day',
  through: 'the day',
  reason: 'the reason',
}

const defaults = { durationMinutes: '60', horizonDays: '30', time: '09:00' }

/** What stands in a new form; a preset fills in what it has. */
export function newForm(today: string, timeZone: string, preset: Partial<Agreement> = {}): URLSearchParams {
  const { rrule, durationMinutes, horizonDays, lineItems = [] } = preset
  const startsAt = toMoment(today, defaults.time, timeZone)
  const series = seriesOf({
    startsAt: startsAt.toISOString(),
    timeZone,
    rrule: rrule ?? 'FREQ=MONTHLY',
    durationMinutes: durationMinutes ?? 60,
  })
  const form = new URLSearchParams({
    timeZone,
    day: today,
    time: defaults.time,
    durationMinutes: String(durationMinutes ?? defaults.durationMinutes),
    horizonDays: String(horizonDays ?? defaults.horizonDays),
    ...choiceFields(choicesOf(series)),
  })
  for (const day of choicesOf(series).weekDays) form.append('weekDays', day)
  for (const name of ['serviceRequired', 'description', 'assignedTechnician', 'stationId'] as const)
    if (preset[name]) form.set(name, preset[name])
  form.set('lineItems', linesText(lineItems))
  return form
}

/** What stands in the form that changes one. */
export function formOf(record: Agreement): URLSearchParams {
  const form = newForm(wallOf(new Date(record.startsAt), record.timeZone).day, record.timeZone, record)
  form.set('time', wallOf(new Date(record.startsAt), record.timeZone).time)
  for (const name of ['name', 'deviceId'] as const) form.set(name, record[name] ?? '')
  const { weekDays, ...choices } = choicesOf(seriesOf(record))
  for (const [name, value] of Object.entries(choiceFields({ ...choices, weekDays }))) form.set(name, value)
  return form
}

const choiceFields = ({ weekDays: _, text, ...choices }: RuleChoices): Record<string, string> => ({
  ...choices,
  ruleText: text,
})

export const unitOf = (form: URLSearchParams): RuleChoices['unit'] =>
  ruleUnits.find((unit) => unit === form.get('unit')) ?? 'weeks'

function typedChoices(form: URLSearchParams): RuleChoices {
  const text = (name: string) => (form.get(name) ?? '').trim()
  const ends = text('ends')
  return {
    unit: unitOf(form),
    every: text('every'),
    weekDays: form.getAll('weekDays').filter((day) => /^[0-6]$/.test(day)),
    monthly: text('monthly') === 'weekday' ? 'weekday' : 'day',
    monthDay: /^(-1|[1-9]|[12]\d|3[01])$/.test(text('monthDay')) ? text('monthDay') : '',
    ordinal: /^-?[1-5]$/.test(text('ordinal')) ? text('ordinal') : '1',
    weekDay: /^[0-6]$/.test(text('weekDay')) ? text('weekDay') : '0',
    ends: ends === 'until' || ends === 'count' ? ends : 'never',
    until: text('until'),
    count: text('count'),
    text: text('ruleText'),
  }
}

/** The series that was typed, or which field is wrong and why. */
export function typedSeries(form: URLSearchParams, timeZone: string): Series | WrongChoice {
  const [day, time, minutes] = ['day', 'time', 'durationMinutes'].map((name) => (form.get(name) ?? '').trim())
  if (!isDate(day) || day < '1970' || !isClockTime(time))
    return { field: 'day', words: 'the first visit must have a day and a time' }
  if (!/^\d{1,5}$/.test(minutes!) || Number(minutes) < 5 || Number(minutes) > 10_080)
    return { field: 'durationMinutes', words: 'how long it takes must be from 5 to 10080 minutes' }
  const rule = chosenRule(typedChoices(form), timeZone)
  if ('field' in rule) return rule
  return { startsAt: toMoment(day, time, timeZone), timeZone, rule, durationMinutes: Number(minutes) }
}

const shownVisits = 10

/** What would be visited next; none where the rule never falls on a day. */
export function nextVisits(series: Series, now: Date): Slot[] {
  const slots: Slot[] = []
  for (const slot of slotsFrom(series, now.getTime())) if (slots.push(slot) >= shownVisits) break
  return slots
}

/** Several fields say one thing, which is compared and sent as a whole. */
export function gatherTyped(form: URLSearchParams, series: Series): void {
  const { day, time } = wallOf(series.startsAt, series.timeZone)
  form.set('startsAt', `${day}T${time}`)
  form.set('rrule', formatRule(series.rule))
  form.set('durationMinutes', String(series.durationMinutes))
  form.set('lineItems', templateLinesText(typedTemplateRows(form)))
}

const plain = (
  name: 'name' | 'serviceRequired' | 'description' | 'deviceId' | 'assignedTechnician' | 'stationId',
  label: string,
): EditedField<Agreement> => ({
  name,
  label,
  textOf: (record) => record[name] ?? '',
  bodyOf: (typed) => ({ [name]: typed === '' && name !== 'serviceRequired' ? null : typed }),
})

const whole = (name: 'durationMinutes' | 'horizonDays', label: string): EditedField<Agreement> => ({
  name,
  label,
  textOf: (record) => String(record[name]),
  bodyOf: (typed) => ({ [name]: /^\d{1,6}$/.test(typed) ? Number(typed) : typed }),
})

/** A rule is compared in the one way in which the form writes it. */
function ruleTextOf(record: Agreement): string {
  const series = seriesOf(record)
  const rule = chosenRule(choicesOf(series), record.timeZone)
  return 'field' in rule ? record.rrule : formatRule(rule)
}

export const agreementFields = (timeZone: string): readonly EditedField<Agreement>[] => [
  plain('name', 'Name'),
  plain('serviceRequired', 'What is done'),
  plain('description', 'Description'),
  plain('deviceId', 'Device'),
  plain('assignedTechnician', 'Technician'),
  plain('stationId', 'Place'),
  whole('durationMinutes', 'How long'),
  whole('horizonDays', 'How far ahead'),
  {
    name: 'startsAt',
    label: 'First visit',
    textOf({ startsAt, timeZone }) {
      const { day, time } = wallOf(new Date(startsAt), timeZone)
      return `${day}T${time}`
    },
    bodyOf(typed) {
      const [day = '', time = ''] = typed.split('T')
      // What is no moment goes on as it is, to be refused by name.
      const isMoment = isDate(day) && isClockTime(time)
      return { startsAt: isMoment ? toMoment(day, time, timeZone).toISOString() : typed }
    },
  },
  { name: 'rrule', label: 'Rule', textOf: ruleTextOf, bodyOf: (typed) => ({ rrule: typed }) },
  {
    name: 'lineItems',
    label: 'Lines',
    textOf: ({ lineItems }) => linesText(lineItems),
    bodyOf: (typed) => ({ lineItems: parseJson(typed) }),
  },
]

/** 1 hour 30 minutes */
export function durationWords(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  const parts = [
    hours > 0 && `${hours} ${hours === 1 ? 'hour' : 'hours'}`,
    rest > 0 && `${rest} ${rest === 1 ? 'minute' : 'minutes'}`,
  ]
  return parts.filter(Boolean).join(' ')
}

export const minutesBetween = (from: Date, to: Date): number => Math.round((+to - +from) / minuteMs)
