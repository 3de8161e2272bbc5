// The rule of a series as text (RRULE of RFC 5545) and as it is reckoned with: only the parts that a visit plan needs.

export interface RecurrenceRule {
  readonly frequency: (typeof frequencies)[number]
  readonly interval: number
  /** Of a week: Monday is 0. */
  readonly weekDays?: readonly number[]
  /** One weekday of a month: the second Tuesday, the last Friday (−1). */
  readonly nth?: { readonly ordinal: number; readonly weekDay: number }
  /** −1 is the last day of a month. */
  readonly monthDays?: readonly number[]
  readonly months?: readonly number[]
  readonly count?: number
  readonly until?: Date
}

const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const
const weekDayNames = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']
const maxVisits = 1_000

/** The rule that a text means, or what is wrong with it, to be read after the name of the field. */
export function parseRule(text: string): RecurrenceRule | string {
  const parts = new Map<string, string>()
  for (const part of text.toUpperCase().split(';')) {
    const [name = '', value = '', ...more] = part.split('=')
    if (!/^[A-Z-]+$/.test(name) || value === '' || more.length > 0)
      return 'must be parts such as FREQ=WEEKLY;BYDAY=MO,TH'
    if (!Object.hasOwn(partParsers, name)) return `uses an unsupported part: ${name}`
    if (parts.has(name)) return `has ${name} twice`
    parts.set(name, value)
  }
  if (!parts.has('FREQ')) return 'needs FREQ'
  let rule = { interval: 1 } as RecurrenceRule
  for (const [name, parse] of Object.entries(partParsers)) {
    const value = parts.get(name)
    const parsed = value === undefined ? {} : parse(value, rule)
    if (typeof parsed === 'string') return parsed
    rule = { ...rule, ...parsed }
  }
  return ruleProblem(rule) ?? rule
}

/** Each part in the order in which they are read; a sentence says what is wrong. */
const partParsers: Readonly<Record<string, (value: string, rule: RecurrenceRule) => Partial<RecurrenceRule> | string>> =
  {
    FREQ(value) {
      const frequency = frequencies.find((frequencyName) => frequencyName === value)
      return frequency ? { frequency } : `FREQ must be one of ${frequencies.join(', ')}`
    },
    INTERVAL: (value) => {
      const interval = parseInteger(value, 1, 365)
      return interval === undefined ? 'INTERVAL must be from 1 to 365' : { interval }
    },
    BYDAY(value, { frequency }) {
      if (frequency === 'WEEKLY') {
        const weekDays = value.split(',').map((name) => weekDayNames.indexOf(name))
        if (weekDays.includes(-1)) return 'BYDAY must be weekdays such as MO,TH'
        return { weekDays: [...new Set(weekDays)].sort((a, b) => a - b) }
      }
      if (frequency !== 'MONTHLY') return `uses an unsupported part: BYDAY with FREQ=${frequency}`
      const [, ordinal, name] = /^([+-]?[1-5])([A-Z]{2})$/.exec(value) ?? []
      const weekDay = weekDayNames.indexOf(name ?? '')
      return weekDay < 0
        ? 'BYDAY must be one weekday of the month such as 2TU or -1FR'
        : { nth: { ordinal: Number(ordinal), weekDay } }
    },
    BYMONTHDAY(value, { frequency }) {
      if (frequency === 'WEEKLY') return 'uses an unsupported part: BYMONTHDAY with FREQ=WEEKLY'
      const monthDays = value.split(',').map((day) => (day === '-1' ? -1 : parseInteger(day, 1, 31)))
      if (!monthDays.every((day) => day !== undefined)) return 'BYMONTHDAY must be from 1 to 31, or -1'
      return { monthDays: [...new Set(monthDays)].sort((a, b) => a - b) }
    },
    BYMONTH(value) {
      const months = value.split(',').map((month) => parseInteger(month, 1, 12))
      if (!months.every((month) => month !== undefined)) return 'BYMONTH must be from 1 to 12'
      return { months: [...new Set(months)].sort((a, b) => a - b) }
    },
    COUNT(value) {
      const count = parseInteger(value, 1, maxVisits)
      return count === undefined ? `COUNT must be from 1 to ${maxVisits}` : { count }
    },
    UNTIL(value) {
      const until = parseUtc(value)
      return until ? { until } : 'UNTIL must be a time in UTC such as 20271231T235959Z'
    },
  }

/** The text of a rule, which means the same when it is read again. */
export function formatRule({
  frequency,
  interval,
  weekDays,
  nth,
  monthDays,
  months,
  count,
  until,
}: RecurrenceRule): string {
  const byDay = nth ? `${nth.ordinal}${weekDayNames[nth.weekDay]}` : weekDays?.map((day) => weekDayNames[day]).join()
  const parts = {
    FREQ: frequency,
    INTERVAL: interval === 1 ? undefined : interval,
    BYDAY: byDay,
    BYMONTHDAY: monthDays?.join(),
    BYMONTH: months?.join(),
    COUNT: count,
    UNTIL: until && `${until.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`,
  }
  return Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .join(';')
}

function ruleProblem({ nth, monthDays, months, count, until }: RecurrenceRule): string | undefined {
  if (count !== undefined && until) return 'cannot have both COUNT and UNTIL'
  if (nth && monthDays) return 'cannot have both BYDAY and BYMONTHDAY'
  const longestMonth = (month: number) => (month === 2 ? 29 : [4, 6, 9, 11].includes(month) ? 30 : 31)
  const isEmpty = months && monthDays && !months.some((month) => monthDays.some((day) => day <= longestMonth(month)))
  return isEmpty ? 'never falls on a day' : undefined
}

function parseInteger(text: string, min: number, max: number): number | undefined {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN
  return number >= min && number <= max ? number : undefined
}

function parseUtc(text: string): Date | undefined {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? []
  if (parts.length === 0) return undefined
  const [year, month, day, hour, minute, second] = parts
  const moment = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  // A day that the month does not have is read as one of the next month.
  return moment.getUTCDate() === Number(day) ? moment : undefined
}
