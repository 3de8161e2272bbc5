// What two workers do at the same moment: every mail, every reminder and every visit once.
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../src/database.ts'
import { startMailServer } from '../test/mail-server.ts'
import { caller } from './caller.ts'
import { type Several, unhindered } from './several.ts'
import { atLeast, exactly, type Figure, none, type Size } from './trial.ts'

const amounts = {
  short: { mails: 60, reminders: 6, schedules: 4 },
  whole: { mails: 400, reminders: 40, schedules: 24 },
}
const horizonDays = 30
const senders = ['one@jobs.example', 'two@jobs.example']

export async function chores(several: Several, size: Size): Promise<Figure[]> {
  const { fleet, settings, front } = several
  const { mails, reminders, schedules } = amounts[size]
  const { orgId } = await fleet.shop()
  await using post = await startMailServer()
  using program = caller(front, { from: '127.0.3.1', connections: 8 })
  const shop = unhindered(several, orgId, program)

  const bill = () =>
    shop('POST', '/invoices', {
      customerName: 'Amara Okafor',
      customerEmail: 'amara@okafor.example',
      status: 'sent',
      lineItems: [{ name: 'Work', unitPrice: 120, taxRateId: null }],
    })
  const send = (from: number, to: number) =>
    Promise.all(
      Array.from({ length: to - from }, (_, place) => {
        const { id } = bills[place % bills.length]!
        return shop('POST', `/invoices/${id}/send`, { to: `mail${from + place}@okafor.example`, attachPdf: false })
      }),
    )
  for (let place = 0; place < reminders; place++) {
    const { id } = await bill()
    const remindAt = new Date(Date.now() + 3_600_000)
    await shop('POST', `/invoices/${id}/reminders`, { remindAt, to: `reminder${place}@okafor.example` })
  }
  await fleet.database.query(sql`
    update reminders set remind_at = now() - interval '1 minute' where org_id = ${orgId}`)
  const { id: customerId } = await shop('POST', '/customers', { firstName: 'Amara' })
  const startsAt = new Date(Date.now() + 86_400_000)
  for (let place = 0; place < schedules; place++)
    await shop('POST', '/recurring-schedules', {
      customerId,
      startsAt,
      horizonDays,
      timeZone: 'UTC',
      rrule: 'FREQ=DAILY',
      serviceRequired: 'Oven service',
    })

  // One half waits for the workers, the other is written under their eyes: a notice wakes both for each.
  const bills: { id: string }[] = []
  while (bills.length < 20) bills.push(await bill()) // each is held while it is sent
  await send(0, mails / 2)
  const workers = await Promise.all(
    senders.map((MAIL_FROM) => fleet.instance({ ...settings, ROLE: 'worker', SMTP_URL: post.url, MAIL_FROM })),
  )
  await send(mails / 2, mails)
  await settled(several, orgId)
  for (const worker of workers) await worker.stop()

  const arrivals = new Map<string, number>()
  for (const { recipients } of post.received)
    for (const address of recipients) arrivals.set(address, (arrivals.get(address) ?? 0) + 1)
  const carried = senders.map((sender) => post.received.filter(({ mail }) => mail.from?.address === sender).length)
  const [made] = await fleet.database.query<{ jobs: number; visits: number; events: number; next: number }>(sql`
    select (select count(*) from tickets where org_id = ${orgId}) as jobs,
      (select count(distinct (recurring_schedule_id, occurrence_index)) from tickets where org_id = ${orgId}) as visits,
      (select count(*) from calendar_events where org_id = ${orgId}) as events,
      (select next_ticket_number - 1 from counters where org_id = ${orgId}) as next`)
  const visits = schedules * horizonDays
  return [
    exactly('two workers: mails and reminders that arrived', mails + reminders, arrivals.size),
    none('two workers: mails that arrived more than once', post.received.length - arrivals.size),
    atLeast('two workers: mails that the less busy one sent', 1, Math.min(...carried)),
    exactly('two workers: jobs made for visits', visits, made!.jobs),
    none('two workers: visits, calendar entries or job numbers that are missing or double', unlike(visits, made!)),
  ]
}

const unlike = (expected: number, made: Readonly<Record<string, number>>) =>
  Object.values(made).filter((count) => count !== expected).length

/** Nothing is due any more. */
async function settled({ fleet }: Several, orgId: string): Promise<void> {
  for (const end = performance.now() + 120_000; performance.now() < end; await delay(100)) {
    const [left] = await fleet.database.query<{ count: number }>(sql`
      select (select count(*) from outbox where org_id = ${orgId} and status = 'queued')
        + (select count(*) from reminders where org_id = ${orgId} and status = 'scheduled')
        + (select count(*) from recurring_schedules where org_id = ${orgId} and due_at <= now()) as count`)
    if (left!.count === 0) return
  }
  throw new Error('the workers did not get done')
}
