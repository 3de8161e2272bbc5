// What two workers do at the same moment: every mail, every reminder and every visit once.
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../src/db/database.ts'
import { dayMs, hourMs } from '../src/domain/durations.ts'
import { startMailServer } from '../test/mail-server.ts'
import { type Deployment, unlimitedClient } from './deployment.ts'
import { createHttpClient } from './http-client.ts'
import { atLeast, exactly, none, type Result, type Size } from './trial.ts'
import { waitUntil } from './wait-until.ts'

const counts = {
  short: { mails: 60, reminders: 6, schedules: 4 },
  whole: { mails: 400, reminders: 40, schedules: 24 },
}
const horizonDays = 30
const senderAddresses = ['one@jobs.example', 'two@jobs.example']
/** One worker carries four mails at once, and a shop has two on their way: with three shops two are left for the other. */
const shopCount = 3
/** Less than the time after which a worker gives up on the mail server. */
const maxHoldMs = 20_000

export async function checkWorkerTasks(deployment: Deployment, size: Size): Promise<Result[]> {
  const { fleet, settings, proxyOrigin } = deployment
  const { mails, reminders, schedules } = counts[size]
  const orgIds: string[] = []
  while (orgIds.length < shopCount) orgIds.push((await fleet.createShop()).orgId)
  const orgId = orgIds[0]!
  await using mailServer = await startMailServer()
  using client = createHttpClient(proxyOrigin, { from: '127.0.3.1', connections: 8 })
  const clients = orgIds.map((id) => unlimitedClient(deployment, id, client))
  const callShop = clients[0]!

  const createInvoice = (call: typeof callShop): Promise<{ id: string }> =>
    call('POST', '/invoices', {
      customerName: 'Amara Okafor',
      customerEmail: 'amara@okafor.example',
      status: 'sent',
      lineItems: [{ name: 'Work', unitPrice: 120, taxRateId: null }],
    })
  const sendInvoices = (from: number, to: number) =>
    Promise.all(
      Array.from({ length: to - from }, (_, index) => {
        const { call, id } = invoices[index % invoices.length]!
        return call('POST', `/invoices/${id}/send`, { to: `mail${from + index}@okafor.example`, attachPdf: false })
      }),
    )
  for (let index = 0; index < reminders; index++) {
    const { id } = await createInvoice(callShop)
    const remindAt = new Date(Date.now() + hourMs)
    await callShop('POST', `/invoices/${id}/reminders`, { remindAt, to: `reminder${index}@okafor.example` })
  }
  await fleet.database.query(sql`
    update reminders set remind_at = now() - interval '1 minute' where org_id = ${orgId}`)
  const { id: customerId } = await callShop('POST', '/customers', { firstName: 'Amara' })
  const startsAt = new Date(Date.now() + dayMs)
  for (let index = 0; index < schedules; index++)
    await callShop('POST', '/recurring-schedules', {
      customerId,
      startsAt,
      horizonDays,
      timeZone: 'UTC',
      rrule: 'FREQ=DAILY',
      serviceRequired: 'Oven service',
    })

  // One half is queued before the workers start, the other while they run: a notification wakes both for each.
  const invoices: { call: typeof callShop; id: string }[] = []
  while (invoices.length < 20) {
    const call = clients[invoices.length % shopCount]!
    invoices.push({ call, ...(await createInvoice(call)) }) // each is locked while it is sent
  }
  await sendInvoices(0, mails / 2)
  const workers = await Promise.all(
    senderAddresses.map((MAIL_FROM) =>
      fleet.startInstance({ ...settings, ROLE: 'worker', SMTP_URL: mailServer.url, MAIL_FROM }),
    ),
  )
  const countSent = () =>
    senderAddresses.map((sender) => mailServer.received.filter(({ mail }) => mail.from?.address === sender).length)
  // Answered once both have sent one: a quick worker would have carried all before the other one has looked.
  const bothHaveSent = waitUntil(() => countSent().every(Boolean), 'a mail of either worker', maxHoldMs)
  mailServer.answersAfter = bothHaveSent.catch(() => {}) // who has sent none shows in what is counted
  await sendInvoices(mails / 2, mails)
  await waitUntilIdle(deployment, orgIds)
  for (const worker of workers) await worker.stop()

  const deliveriesByAddress = new Map<string, number>()
  for (const { recipients } of mailServer.received)
    for (const address of recipients) deliveriesByAddress.set(address, (deliveriesByAddress.get(address) ?? 0) + 1)
  const [made] = await fleet.database.query<{ jobs: number; visits: number; events: number; next: number }>(sql`
    select (select count(*) from tickets where org_id = ${orgId}) as jobs,
      (select count(distinct (recurring_schedule_id, occurrence_index)) from tickets where org_id = ${orgId}) as visits,
      (select count(*) from calendar_events where org_id = ${orgId}) as events,
      (select next_ticket_number - 1 from counters where org_id = ${orgId}) as next`)
  const visits = schedules * horizonDays
  return [
    exactly('two workers: mails and reminders that arrived', mails + reminders, deliveriesByAddress.size),
    none('two workers: mails that arrived more than once', mailServer.received.length - deliveriesByAddress.size),
    atLeast('two workers: mails that the less busy one sent', 1, Math.min(...countSent())),
    exactly('two workers: jobs made for visits', visits, made!.jobs),
    none(
      'two workers: visits, calendar entries or job numbers that are missing or double',
      countDifferent(visits, made!),
    ),
  ]
}

const countDifferent = (expected: number, made: Readonly<Record<string, number>>) =>
  Object.values(made).filter((count) => count !== expected).length

/** Nothing is due any more. */
async function waitUntilIdle({ fleet }: Deployment, orgIds: readonly string[]): Promise<void> {
  for (const end = performance.now() + 120_000; performance.now() < end; await delay(100)) {
    const [pending] = await fleet.database.query<{ count: number }>(sql`
      select (select count(*) from outbox where org_id = any(${orgIds}) and status = 'queued')
        + (select count(*) from reminders where org_id = any(${orgIds}) and status = 'scheduled')
        + (select count(*) from recurring_schedules where org_id = any(${orgIds}) and due_at <= now()) as count`)
    if (pending!.count === 0) return
  }
  throw new Error('timeout: the workers did not get done')
}
