// The worker for recurring visits: idempotent among processes, in small transactions, and not stopped by one failure.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { settingsFor, spawnedCommandLine } from '../../test/command-line.ts'
import { agreement, inDays } from '../../test/recurring.ts'
import { hasRestedLong, watchSteps } from '../../test/step-times.ts'
import { isOnCitus } from '../../test/test-database.ts'
import { startOwnTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { createOrganisation } from '../identity/organisations.ts'
import { runRecurring } from './recurring.ts'

// The worker serves all organisations: those of other test files are not to be among them.
const here = await startOwnTestService()
const { organisation, client, database } = here
const onOneMachine = { skip: isOnCitus && 'needs a deferred trigger on all rows' }

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
type Any = any

it('generates up to the horizon of each schedule, a few visits at a time, and then nothing more', async () => {
  const shop = await organisation()
  const [daily, weekly] = [await agreement(shop, { rrule: 'FREQ=DAILY', horizonDays: 60 }), await agreement(shop)]
  const run = await runRecurring(database, { orgId: shop.orgId })
  assert.deepEqual([run.generated, run.failed], [60 + 5, 0])
  assert.ok(run.transactions >= 5, 'no transaction makes all of them')
  const [now] = await database.query<{ through: boolean }>(sql`
    select generated_through > now() + interval '59 days' as through from recurring_schedules where id = ${daily.id}`)
  assert.equal(now!.through, true)
  assert.equal((await weekly.get()).generatedCount, 5)
  const again = await runRecurring(database, { orgId: shop.orgId })
  assert.deepEqual([again.generated, again.transactions], [0, 0])
})

it(
  'rests three times as long as a step took while requests are answered: nobody waits for it',
  onOneMachine,
  async () => {
    const shop = await organisation()
    await agreement(shop, { rrule: 'FREQ=DAILY', horizonDays: 40 })
    const steps = await watchSteps(database, shop.orgId, () => runRecurring(database, { orgId: shop.orgId }))
    assert.ok(steps.length >= 4)
    assert.ok(steps.every(hasRestedLong), JSON.stringify(steps))
  },
)

it('goes on as time passes, and makes up for what it missed', async () => {
  const shop = await organisation()
  const made = await agreement(shop, { horizonDays: 3 })
  const run = async (days: number) =>
    (await runRecurring(database, { orgId: shop.orgId, now: new Date(inDays(days)) })).generated
  assert.deepEqual([await run(0), await run(4), await run(5), await run(6), await run(30)], [1, 0, 1, 0, 3])
  assert.equal((await made.get()).generatedCount, 5)
})

it('makes each job once when two processes and the interface generate at the same moment', async () => {
  const shop = await organisation()
  const made = await Promise.all(
    Array.from({ length: 6 }, () => agreement(shop, { rrule: 'FREQ=DAILY', lineItems: [{ name: 'Labour' }] })),
  )
  const run = spawnedCommandLine(settingsFor(here))
  const words = ['recurring', 'run', '--org', shop.orgId, '--json']
  const [one, two, ...answers] = await Promise.all([
    run(...words),
    run(...words),
    ...made.flatMap((schedule) => [schedule.act('generate'), schedule.act('generate')]),
  ])
  assert.deepEqual([one!.code, two!.code], [0, 0])
  // Whoever waited too long for the others is answered 202, and the worker goes on a little later.
  for (const { status } of answers as Any[]) assert.ok(status === 200 || status === 202, `${status}`)
  await runRecurring(database, { orgId: shop.orgId, now: new Date(Date.now() + 60_000) })
  const [counts] = await database.query<{ tickets: number; visits: number; events: number; lines: number }>(sql`
    select (select count(*) from tickets where org_id = ${shop.orgId}) as tickets,
      (select count(distinct (recurring_schedule_id, occurrence_index)) from tickets where org_id = ${shop.orgId}) as visits,
      (select count(*) from calendar_events where org_id = ${shop.orgId}) as events,
      (select count(*) from service_lines where org_id = ${shop.orgId}) as lines`)
  assert.deepEqual(counts, { tickets: 180, visits: 180, events: 180, lines: 180 })
  const numbers = await database.query<{ next: number }>(sql`
    select next_ticket_number as next from counters where org_id = ${shop.orgId}`)
  assert.equal(numbers[0]!.next, 181, 'no number is lost')
})

it('serves organisations in turn: much that is due in one does not delay the little of another', async () => {
  const [busy, quiet] = [await organisation(), await organisation()]
  for (let n = 0; n < 3; n++) await agreement(busy, { rrule: 'FREQ=DAILY', horizonDays: 90 })
  const one = await agreement(quiet)
  // What is due longest does not come before all else.
  await database.query(sql`update recurring_schedules set due_at = now() where org_id = ${quiet.orgId}`)
  await runRecurring(database)
  assert.equal((await one.get()).generatedCount, 5)
  const [before] = await database.query<{ jobs: number }>(sql`
    select count(*)::int as jobs from tickets where org_id = ${busy.orgId}
      and created_at < (select max(created_at) from tickets where org_id = ${quiet.orgId})`)
  assert.ok(before!.jobs <= 16, `${before!.jobs} of the other were made before`)
})

it('is not held up by a schedule that cannot be worked on', async () => {
  const { id } = await createOrganisation(database, { name: 'No statuses', hasDefaultStatuses: false })
  const shop = await client(id)
  const stuck = await agreement(shop)
  const first = await runRecurring(database, { orgId: id })
  assert.deepEqual([first.generated, first.failed], [0, 1])
  await shop.post('/ticket-statuses', { name: 'New' })
  assert.equal((await runRecurring(database, { orgId: id })).generated, 0, 'it is left alone for an hour')
  const later = await runRecurring(database, { orgId: id, now: new Date(inDays(0, 90)) })
  assert.deepEqual([later.generated, later.failed], [5, 0])
  assert.equal((await stuck.get()).generatedCount, 5)
})

it('goes on with the others when one has to wait too long for what somebody holds', async () => {
  const [blocked, free] = [await organisation(), await organisation()]
  const [stuck, fine] = [await agreement(blocked), await agreement(free)]
  // Both are due now; the one that is stuck comes first.
  await database.query(sql`update recurring_schedules set due_at = now() - interval '9 days' where id = ${stuck.id}`)
  const other = await database.connect()
  try {
    await other.query('begin')
    await other.query('select from counters where org_id = $1 for update', [blocked.orgId])
    const run = await runRecurring(database)
    assert.equal(run.failed, 1)
    assert.equal((await fine.get()).generatedCount, 5)
    assert.equal((await stuck.get()).generatedCount, 0)
  } finally {
    await other.end()
  }
  const soon = await runRecurring(database, { orgId: blocked.orgId, now: new Date(inDays(0, 10)) })
  assert.deepEqual([soon.generated, soon.failed], [5, 0], 'minutes later, not an hour')
})

it('makes a job with its event and its visit, or none of them', async () => {
  const shop = await organisation()
  const made = await agreement(shop, { serviceRequired: 'Broken event' })
  await database.query(sql`
    create or replace function refuse_broken() returns trigger language plpgsql as
    $$ begin raise exception 'this event cannot be stored'; end $$`)
  await database.query(sql`
    create trigger refuse_broken before insert on calendar_events
    for each row when (new.title like '%Broken event%') execute function refuse_broken()`)
  try {
    assert.equal((await runRecurring(database, { orgId: shop.orgId })).failed, 1)
    assert.equal((await made.act('generate')).status, 500)
  } finally {
    await database.query(sql`drop trigger refuse_broken on calendar_events`)
  }
  assert.equal((await shop.get('/tickets')).body.data.tickets.length, 0)
  assert.equal((await made.get()).generatedCount, 0)
  await made.act('generate')
  assert.equal((await made.job(0)).ticketNumber, 1, 'no number was lost')
})
