// A recurring schedule and its visits as they are stored and answered.
import type { Static } from 'typebox'
import { parseRule, type RecurrenceRule } from '../../domain/recurrence-rule.ts'
import { becomes, movesFrom, type Signal } from '../../domain/signals.ts'
import { badRequest } from '../../operations/errors.ts'
import { eventSource } from '../../operations/event-source.ts'
import { dateTime, id, integer, nullable, oneOf, optional, text } from '../../operations/fields.ts'
import type { StatementContext } from '../../operations/operation.ts'
import { type RowOf, updateFields } from '../../operations/record-schemas.ts'
import { t } from '../../operations/schemas.ts'
import { table } from '../../operations/table.ts'
import { durationMinutes, horizonDays, rrule, serviceRequired, templateFields } from './template.ts'

export const statuses = ['active', 'paused', 'ended'] as const

const writable = {
  name: optional(text(120, { examples: ['Okafor Bakery, ovens'] })),
  customerId: nullable(id({ description: 'Cannot change; null once the customer is deleted.' })),
  deviceId: optional(id({ description: 'A device of the customer.' })),
  startsAt: dateTime({ description: 'From when on the rule holds; its time of day is the time of every visit.' }),
  timeZone: t.String({
    format: 'time-zone',
    maxLength: 60,
    examples: ['Europe/London'],
    description: "The clock that visits go by, whatever the season: an IANA name; the organisation's if left out.",
  }),
  rrule,
  durationMinutes,
  serviceRequired,
  ...templateFields,
  horizonDays,
}

const visitCount = (description: string) => integer(0, 1_000_000, { examples: [48], description })
const pendingWork = t.Object(
  {
    kind: oneOf(['generate', 'resync', 'end'], { examples: ['generate'] }),
    done: visitCount('How many visits are done.'),
    total: visitCount('How many there are in all, as far as is known.'),
  },
  {
    title: 'RecurringPendingWork',
    description: 'What the service is still doing after a request that was answered 202.',
  },
)

/** When the next visit takes place, one with a job or one that is only planned; of `recurring_schedules`. */
export const nextOccurrenceSql = `least(
      (select min(visit.starts_at) from recurring_occurrences visit where visit.org_id = recurring_schedules.org_id
        and visit.schedule_id = recurring_schedules.id and visit.status = 'generated' and visit.starts_at >= now()),
      case when recurring_schedules.next_planned_at >= now() then recurring_schedules.next_planned_at end)`

export const schedules = table({
  name: 'recurring_schedules',
  noun: 'recurring schedule',
  prefix: 'rec',
  writable,
  readOnly: {
    status: oneOf(statuses, { examples: ['active'] }),
    nextOccurrenceAt: nullable(dateTime()),
    generatedThrough: nullable(dateTime({ description: 'Up to when jobs were made for all visits.' })),
    generatedCount: integer(0, 1_000_000, { examples: [3], description: 'How many visits have a job.' }),
    pendingWork: nullable(pendingWork),
    pausedAt: nullable(dateTime()),
    resumesAt: nullable(dateTime()),
    endedAt: nullable(dateTime()),
  },
  read: {
    nextOccurrenceAt: nextOccurrenceSql,
    generatedCount: `(select count(*) from recurring_occurrences visit where visit.org_id = recurring_schedules.org_id
      and visit.schedule_id = recurring_schedules.id and visit.status = 'generated')`,
    pendingWork: `(select json_build_object('kind', key, 'done', value -> 'done', 'total', value -> 'total')
      from jsonb_each(recurring_schedules.pending_work) order by key desc limit 1)`,
  },
  event: {
    signals: {
      paused: becomes('status', 'paused'),
      resumed: movesFrom('status', 'paused', 'active'),
      ended: becomes('status', 'ended'),
    },
  },
  order: { column: 'created_at', type: 'timestamptz', direction: 'desc' },
})

export type Schedule = RowOf<typeof schedules>

const { customerId: _customerId, startsAt: _startsAt, ...others } = updateFields(writable)

/** What is left out comes from the preset, if one is named. */
export const newSchedule = t.Object(
  {
    customerId: id(),
    startsAt: writable.startsAt,
    presetId: optional(id({ description: 'Values that are left out are copied from it, once.' })),
    ...others,
  },
  { title: 'RecurringScheduleCreate' },
)
export type ScheduleBody = Partial<Static<typeof schedules.updateBody>>
export type NewSchedule = ScheduleBody & { readonly customerId: string; readonly startsAt: string }

const occurrenceFields = {
  index: integer(0, 1_000_000, {
    examples: [0],
    description: 'Counts from 0 in the order of the series; never reused.',
  }),
  originalFrom: dateTime({ description: 'When the series would have it.' }),
  from: dateTime(),
  to: dateTime(),
  status: oneOf(['planned', 'generated', 'skipped', 'cancelled'], { examples: ['generated'] }),
  ticketId: nullable(id()),
  isMoved: t.Boolean({ examples: [false] }),
  isResized: t.Boolean({ examples: [false] }),
  skipReason: nullable(text(500)),
}
export const occurrence = t.Object(occurrenceFields, { title: 'Occurrence' })
export type Occurrence = Static<typeof occurrence>

export const occurrencesPath = '/recurring-schedules/:scheduleId/occurrences'

/** A visit that is there already begins at another time, or takes longer or shorter. */
const moved: Signal<'from' | 'status'> = {
  fields: ['from', 'status'],
  occurs: (before, after) => isStillGenerated(before, after) && before!.from !== after.from,
}
const resized: Signal<'from' | 'to' | 'status'> = {
  fields: ['from', 'to', 'status'],
  occurs: (before, after) => isStillGenerated(before, after) && durationOf(before!) !== durationOf(after),
}
/** A visit that is skipped goes back to its place in the series, which is no move. */
const isStillGenerated = (before: { readonly status?: unknown } | undefined, after: { readonly status?: unknown }) =>
  before?.status === 'generated' && after.status === 'generated'
const durationOf = ({ from, to }: { readonly from?: unknown; readonly to?: unknown }) =>
  Date.parse(String(to)) - Date.parse(String(from))

/** What is stored about visits; one that is only planned is nowhere. */
export const occurrenceEvents = eventSource<StatementContext>({
  table: 'recurring_occurrences',
  noun: 'occurrence',
  record: occurrence,
  fields: occurrenceFields,
  read: { from: 'recurring_occurrences.starts_at', to: 'recurring_occurrences.ends_at' },
  path: occurrencesPath,
  recordId: `recurring_occurrences.schedule_id || '-' || recurring_occurrences.index`,
  parentColumn: 'schedule_id',
  event: {
    signals: { generated: becomes('status', 'generated'), skipped: becomes('status', 'skipped'), moved, resized },
  },
})

/** The rule, or a refusal that says what is wrong with it. */
export function ruleOf(text: string): RecurrenceRule {
  const rule = parseRule(text)
  if (typeof rule === 'string') throw badRequest(`rrule ${rule}`)
  return rule
}
