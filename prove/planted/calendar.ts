// Faults in the calendar of the desk: what it shows, and what becomes of a visit that is moved.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import type { Mutant } from './mutant.ts'

const wall = ['src/domain/visit-times.test.ts']
const tests = ['src/desk/calendar.test.ts']
const browser = ['src/desk/calendar.browser.test.ts']

export const calendar: readonly Mutant[] = [
  {
    control: 'a visit that is moved to another day stays at its time on the wall',
    file: 'src/domain/visit-times.ts',
    find: 'return moveDays(before.from, day === undefined ? 0 : daysBetween(begin.day, day), timeZone)',
    replace: 'return new Date(+before.from + (day === undefined ? 0 : daysBetween(begin.day, day)) * 24 * hourMs)',
    tests: wall,
  },
  {
    control: 'whole days stay whole days',
    file: 'src/domain/visit-times.ts',
    find: '(said.allDay ?? before.allDay)',
    replace: 'said.allDay',
    tests: wall,
  },
  {
    control: 'an end before the beginning is on the day after',
    file: 'src/domain/visit-times.ts',
    find: 'until > begin.time ? begin.day : addDays(begin.day, 1)',
    replace: 'begin.day',
    tests: wall,
  },
  {
    control: 'an end that nobody changed stays the moment it was',
    file: 'src/domain/visit-times.ts',
    find: 'to: isSame ? before.to : momentAfter(',
    replace: 'to: momentAfter(',
    tests: wall,
  },
  {
    control: 'of an hour that comes twice the end is the one after the beginning',
    file: 'src/domain/wall-clock.ts',
    find: '  if (first > after) return first\n',
    replace: '  if (first) return first\n',
    tests: wall,
  },
  {
    control: 'what is generated or skipped is no longer planned',
    file: 'src/resources/recurring/planned-between.ts',
    find: 'const taken = { indexes: new Set(row.takenIndexes), slots: new Set(row.takenSlots.map(Number)) }',
    replace: 'const taken = { indexes: new Set<number>(), slots: new Set<number>() }',
    tests,
  },
  {
    control: 'an agreement that is paused plans nothing',
    file: 'src/resources/recurring/planned-between.ts',
    find: " and status = 'active' and",
    replace: ' and',
    tests,
  },
  {
    control: 'a calendar shows what the agreements of its own shop plan',
    file: 'src/resources/recurring/planned-between.ts',
    find: "where org_id = ${orgId} and status = 'active'",
    replace: "where status = 'active'",
    tests,
  },
  {
    control: 'a week shows every day that has something',
    file: 'src/desk/calendar.ts',
    find: 'index < 5 || visits.some((visit) => isOn(visit, day))',
    replace: 'index < 5',
    tests,
  },
  {
    control: 'what has a time is not among what is to be planned',
    file: 'src/desk/calendar.ts',
    find: ' and ticket.scheduled_from is null',
    replace: '',
    tests,
  },
  {
    control: 'what is only planned stays put',
    file: 'src/desk/calendar-cards.ts',
    find: 'plannedBy === null && may(',
    replace: 'may(',
    tests,
  },
  {
    control: "technicians pick up their own visits and nobody's",
    file: 'src/desk/calendar-cards.ts',
    find: ' && mayWriteJob(caller.onlyJobsOf, assignee)',
    replace: '',
    tests,
  },
  {
    control: 'a visit is picked up on the day it begins',
    file: 'src/desk/calendar-cards.ts',
    find: 'visit.firstDay === day && mayMoveVisit(request, visit)',
    replace: 'mayMoveVisit(request, visit)',
    tests,
  },
  {
    control: 'technicians are offered themselves and nobody',
    file: 'src/desk/visit-fields.ts',
    find: ' && (onlyJobsOf === undefined || id === onlyJobsOf)',
    replace: '',
    tests,
  },
  {
    control: 'a form that was made from an older version is refused',
    file: 'src/desk/visit-lookup.ts',
    find: 'seen !== null && seen !== version',
    replace: 'false',
    tests,
  },
  {
    control: 'of several who save the same form at once one is taken',
    file: 'src/desk/visit-lookup.ts',
    find: 'body: changes, version, subject',
    replace: 'body: changes, subject',
    tests,
    expectedFailure: 'exactly one is taken',
  },
  {
    control: 'technicians move their visits of an agreement through the job',
    file: 'src/desk/visit-lookup.ts',
    find: " || !may('recurring-schedules:write')",
    replace: '',
    tests,
  },
  {
    control: 'who changes nothing writes nothing',
    file: 'src/desk/visit-lookup.ts',
    find: '  if (!isMoved && !isResized && !isHanded) return undefined\n',
    replace: '',
    tests,
  },
  {
    control: 'Undo brings back the very moments that were',
    file: 'src/desk/visit-acts.ts',
    find: '!Number.isNaN(+from!) && !Number.isNaN(+to!)',
    replace: 'false',
    tests,
  },
  {
    control: 'the question before a visit is taken off is for those who may',
    file: 'src/desk/visit.ts',
    find: "router.get('/calendar/:event/delete', ['calendar:delete']",
    replace: "router.get('/calendar/:event/delete', ['calendar:read']",
    tests,
  },
  {
    control: 'a finger that moves at once scrolls',
    file: 'src/desk/client/drag.js',
    find: "if (isTouch) finish('cancel')\n        else lift(event)",
    replace: 'lift(event)',
    tests: browser,
    expectedFailure: 'moves at once scrolls',
  },
]
