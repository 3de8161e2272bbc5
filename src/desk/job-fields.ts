// The fields of a job that its page changes: how each stands in the form, what is sent, and what people call it.

import { decimalsOf } from '../domain/money.ts'
import { isClockTime, isDate, toMoment } from '../domain/wall-clock.ts'
import type { EditedField } from './changes.ts'
import type { Clock } from './formatting.ts'
import type { Job } from './job-data.ts'
import type { Labels } from './refusal-words.ts'
import type { DeskRequest } from './router.ts'
import type { ShopSetup } from './shop-setup.ts'

export const jobLabels: Labels = {
  serviceRequired: 'the title',
  description: 'the description',
  priority: 'the priority',
  status: 'the status',
  assignedTechnician: 'the technician',
  stationId: 'the place',
  scheduledFrom: 'the beginning of the visit',
  scheduledTo: 'the end of the visit',
  customerName: 'the name of the customer',
  text: 'the note',
  signature: 'the signature',
  signedByName: 'the name',
  value: 'the discount',
  reason: 'the reason',
  quantity: 'the quantity',
  unitPrice: 'the price',
  name: 'the name',
}

export const priorities = [
  ['low', 'Low'],
  ['normal', 'Normal'],
  ['high', 'High'],
  ['urgent', 'Urgent'],
] as const

/** A visit as one text, so that it is compared and sent as a whole: `2026-11-16T14:00/2026-11-16T16:00`. */
export function visitText({ date, time }: Clock, { scheduledFrom, scheduledTo, scheduledAllDay }: Job): string {
  if (!scheduledFrom || !scheduledTo) return ''
  const [from, to] = [new Date(scheduledFrom), new Date(scheduledTo)]
  // A whole day ends when the next one begins: people name the last day itself.
  if (scheduledAllDay) return `${date(from)}/${date(new Date(to.getTime() - 1))}`
  return `${date(from)}T${time(from)}/${date(to)}T${time(to)}`
}

/** What the fields of the form say, as that one text. Without times it is the whole day, without an end an hour. */
export function typedVisit(form: URLSearchParams): string {
  const field = (name: string) => form.get(name)?.trim() ?? ''
  const [day, from, until] = [field('day'), field('from'), field('until')]
  if (day === '') return ''
  const lastDay = field('lastDay') || day
  if (form.has('allDay') || (from === '' && until === '')) return `${day}/${lastDay}`
  return `${day}T${from}/${lastDay}T${until || hourAfter(from)}`
}

/** The last minute of the day, where the hour would end on the next one. */
const hourAfter = (time: string): string => {
  const hour = Number(time.slice(0, 2)) + 1
  return !isClockTime(time) ? '' : hour > 23 ? '23:59' : `${String(hour).padStart(2, '0')}${time.slice(2)}`
}

/** What is no day or no time goes on as it is, to be refused by name. */
export function visitBody(text: string, timeZone: string): Readonly<Record<string, unknown>> {
  if (text === '') return { scheduledFrom: null, scheduledTo: null, scheduledAllDay: false }
  const [from = '', to = ''] = text.split('/')
  const scheduledAllDay = !from.includes('T')
  const moment = (wall: string, usualTime: string) => {
    const [date = '', time = usualTime] = wall.split('T')
    return isDate(date) && isClockTime(time) ? toMoment(date, time, timeZone).toISOString() : wall
  }
  return { scheduledFrom: moment(from, '00:00'), scheduledTo: moment(to, '23:59'), scheduledAllDay }
}

/** In words: Today 14:00–16:00, Thu 09:00, all day. */
export function visitWords(clock: Clock, { scheduledFrom, scheduledTo, scheduledAllDay }: Job): string {
  if (!scheduledFrom || !scheduledTo) return 'Not planned'
  const [from, to] = [new Date(scheduledFrom), new Date(scheduledTo)]
  const lastMoment = scheduledAllDay ? new Date(to.getTime() - 1) : to
  const isOneDay = clock.date(from) === clock.date(lastMoment)
  const day = clock.nearby(from).replace(/ ?\d\d:\d\d$/, '')
  if (scheduledAllDay)
    return isOneDay ? `${day}, all day` : `${clock.shortDay(from)} – ${clock.shortDay(lastMoment)}, all day`
  if (!isOneDay) return `${clock.shortDay(from)} ${clock.time(from)} – ${clock.shortDay(to)} ${clock.time(to)}`
  return `${day} ${clock.span(from, to)}`
}

const plain = (
  name: 'serviceRequired' | 'description' | 'priority' | 'assignedTechnician' | 'stationId',
  label: string,
): EditedField<Job> => ({
  name,
  label,
  textOf: (job) => job[name] ?? '',
  bodyOf: (typed) => ({ [name]: typed }),
})

export const jobFields = ({ clock, timeZone }: DeskRequest): readonly EditedField<Job>[] => [
  plain('serviceRequired', 'Title'),
  plain('description', 'Description'),
  plain('priority', 'Priority'),
  plain('assignedTechnician', 'Technician'),
  plain('stationId', 'Place'),
  {
    name: 'visit',
    label: 'Visit',
    textOf: (job) => visitText(clock, job),
    bodyOf: (typed) => visitBody(typed, timeZone),
  },
]

/** What a value of a field is called, where the form has an id or a code for it. */
export function fieldWords(name: string, value: string, { people, stations }: ShopSetup): string {
  if (name === 'assignedTechnician') return people.find(({ id }) => id === value)?.name ?? 'Nobody'
  if (name === 'stationId') return stations.find((station) => station.id === value)?.name ?? 'None'
  if (name === 'priority') return priorities.find(([code]) => code === value)?.[1] ?? value
  if (name === 'visit') return value === '' ? 'Not planned' : value.replaceAll('T', ' ').replace('/', ' – ')
  return value
}

/** As a field shows it: with the cents, and with more decimals where a price has some. */
export function priceText(price: number, currency: string): string {
  const usual = price.toFixed(decimalsOf(currency))
  return Number(usual) === price ? usual : String(price)
}
