// Faults in series of visits and in what the worker does about them.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import type { Mutant } from './mutant.ts'

const series = ['src/domain/recurrence.test.ts']
const occurrences = ['src/resources/recurring/occurrences.test.ts']
const resync = ['src/resources/recurring/resync.test.ts']
const schedules = ['src/resources/recurring/schedules.test.ts']
const worker = ['src/worker/recurring.test.ts']

export const recurring: readonly Mutant[] = [
  {
    control: 'a visit keeps its time on the wall when the clocks change',
    file: 'src/domain/recurrence.ts',
    find: '.toZonedDateTimeISO(timeZone)',
    replace: ".toZonedDateTimeISO('UTC')",
    tests: series,
  },
  {
    control: 'of an hour that comes twice the first is meant',
    file: 'src/domain/recurrence.ts',
    find: "{ disambiguation: 'compatible' }",
    replace: "{ disambiguation: 'later' }",
    tests: series,
  },
  {
    control: 'around a change of the clocks each day is looked up',
    file: 'src/domain/steady-offset.ts',
    find: '[day - 1, day + 1, day + 2]',
    replace: '[day]',
    tests: series,
  },
  {
    control: 'a day is not taken for steady because the one before it is',
    file: 'src/domain/steady-offset.ts',
    find: '[day - 1, day + 1, day + 2]',
    replace: '[day - 1]',
    tests: series,
  },
  {
    control: 'months without the day are left out',
    file: 'src/domain/recurrence.ts',
    find: '.filter((day) => day <= length)',
    replace: '.map((day) => Math.min(day, length))',
    tests: series,
  },
  {
    control: 'a visit that is worked on is not skipped',
    file: 'src/resources/recurring/occurrences.ts',
    find: 'if (generated?.hasWork) throw occurrenceWorked()',
    replace: '',
    tests: occurrences,
  },
  {
    control: 'a job that was moved on has been begun, even if it was moved back',
    file: 'migrations/0005-recurring.sql',
    find: 'create trigger visit_begun after update of status_id on tickets\n  for each row when (new.recurring_schedule_id is not null and old.status_id <> new.status_id) execute function visit_begun();',
    replace: '',
    tests: occurrences,
  },
  {
    control: 'lines that were taken off a job are work on it',
    file: 'src/resources/recurring/has-work.ts',
    find: "  'visit.was_touched',\n",
    replace: '',
    tests: occurrences,
  },
  {
    control: 'a visit whose job is deleted is not made again',
    file: 'migrations/0005-recurring.sql',
    find: 'create trigger visit_deleted before delete on tickets\n  for each row when (old.recurring_schedule_id is not null) execute function visit_deleted();',
    replace: '',
    tests: occurrences,
  },
  {
    control: 'a series in another shape keeps the visits that somebody touched',
    file: 'src/resources/recurring/changes.ts',
    find: 'await withdraw(ctx, schedule, visits.filter(isUntouched))',
    replace: 'await withdraw(ctx, schedule, visits)',
    tests: resync,
  },
  {
    control: 'no slot is visited twice, whatever shapes the series had',
    file: 'src/domain/visits.ts',
    find: 'if (!taken.indexes.has(index) && !taken.slots.has(from.getTime())) yield',
    replace: 'if (!taken.indexes.has(index)) yield',
    tests: resync,
  },
  {
    control: 'numbers of visits are not used again',
    file: 'src/domain/visits.ts',
    find: 'Math.max(highestIndex + 1, passed, before.firstIndex)',
    replace: 'before.firstIndex',
    tests: resync,
  },
  {
    control: 'an end keeps what is worked on',
    file: 'src/resources/recurring/changes.ts',
    find: 'const removed = visits.filter(({ hasWork }) => !hasWork)',
    replace: 'const removed = visits',
    tests: schedules,
  },
  {
    control: 'a paused schedule makes no jobs',
    file: 'src/resources/recurring/actions.ts',
    find: "if (schedule.status === 'paused') throw badRequest('The schedule is paused')",
    replace: '',
    tests: schedules,
  },
  {
    control: 'a customer who goes ends their schedules',
    file: 'src/resources/customers.ts',
    find: '  await ctx.query(endSchedulesOfCustomer(ctx, customerId))\n  if (tickets.length > jobsPerStep) {',
    replace: '  if (tickets.length > jobsPerStep) {',
    tests: schedules,
  },
  {
    control: 'a schedule is held while visits are made of it',
    file: 'src/resources/recurring/schedule-plan.ts',
    find: 'id = ${scheduleId} for update`',
    replace: 'id = ${scheduleId}`',
    tests: schedules,
    expectedFailure: 'begins while somebody generates',
  },
  {
    control: 'a schedule that cannot be worked on does not hold up the others',
    file: 'src/worker/recurring.ts',
    find: 'await database.write(backgroundWork(orgId), postpone(due, true, retryDelays[kind]))',
    replace: '',
    tests: worker,
    expectedFailure: 'not held up by a schedule',
    isTimeout: true,
  },
  {
    control: 'a job of a visit, its event and its row are made together or not at all',
    file: 'src/worker/recurring.ts',
    find: 'return await database.longWorkStep(',
    replace:
      'return await (async (_: string, work: (each: Queryable) => Promise<Step | undefined>, __: object) => work(database))(',
    tests: worker,
    expectedFailure: 'or none of them',
  },
]
