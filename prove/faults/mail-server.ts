// A mail server that is busy, refuses, is gone, or hangs: requests go on, and mail is retried with backoff.
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../src/db/database.ts'
import { startMailServer } from '../../test/mail-server.ts'
import { freePort } from '../../test/programs.ts'
import { atMost, none, type Result } from '../trial.ts'
import { isSuccess, probe, startBackgroundLoad } from './background-load.ts'
import { type Fault, type FaultContext, startWarmInstance } from './context.ts'

/** As `docs/decisions/background-work.md` promises them. */
const backoffSeconds = [30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200]
const mailsPerBehaviour = 8

export const mailServerFailures: Fault = async (context) => {
  const port = Number(await freePort())
  await using instance = await startWarmInstance(context, {
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'shop@harbour.example',
  })
  const createShopOutbox = () => createOutbox(context, instance.origin)
  const results: Result[] = []
  for (const behaviour of ['is gone', 'is busy', 'refuses', 'hangs'] as const) {
    const server = behaviour === 'is gone' ? undefined : await startMailServer(port)
    if (server) server.behaviour = behaviour === 'is busy' ? 'busy' : (behaviour as 'refuses' | 'hangs')
    results.push(...(await checkFailure(behaviour, context, instance.origin, await createShopOutbox())))
    await server?.[Symbol.asyncDispose]()
    if (behaviour === 'is gone')
      results.push(
        ...(await checkBackoff(await createShopOutbox())),
        ...(await checkDelivery(await createShopOutbox(), port)),
      )
  }
  return results
}

async function checkFailure(
  behaviour: string,
  { shop }: FaultContext,
  origin: string,
  outbox: Outbox,
): Promise<Result[]> {
  const what = `Mail server ${behaviour}`
  const load = startBackgroundLoad(origin, shop)
  const sent = await Promise.all(Array.from({ length: mailsPerBehaviour }, outbox.send))
  const hasBeenAttempted = ({ status, reason, attempts }: MailState) =>
    attempts > 0 && (status === 'failed' || reason !== null)
  // A connection that hangs has claimed a few; the others stay queued behind it.
  if (behaviour === 'hangs') await outbox.until((mails) => mails.some(({ attempts }) => attempts > 0))
  else await outbox.until((mails) => mails.every(hasBeenAttempted))
  await delay(1_000)
  const answers = [...(await load.stop()), ...sent]
  const mails = await outbox.states()
  const lost = mails.filter((mail) =>
    behaviour === 'refuses' ? mail.status !== 'failed' || !mail.reason : mail.status !== 'queued',
  )
  const maxLatency = Math.max(...answers.map(({ ms }) => ms))
  return [
    none(`${what}: requests not served`, answers.filter((answer) => !isSuccess(answer)).length, String(answers.length)),
    atMost(`${what}: max latency`, 1, maxLatency / 1_000, 's'),
    none(
      `${what}: mails not ${behaviour === 'refuses' ? 'shown as failed, with the reason' : 'kept for a retry'}`,
      lost.length,
      String(mails.length),
    ),
  ]
}

/** Tried until it has failed; the time between is passed over by setting the mail due. */
async function checkBackoff(outbox: Outbox): Promise<Result[]> {
  await outbox.send()
  const delays: number[] = []
  for (;;) {
    const [mail] = await outbox.until(([mail]) => mail?.status === 'failed' || mail?.reason !== null)
    if (mail?.status !== 'queued' || delays.length > backoffSeconds.length) break
    delays.push(mail.delaySeconds)
    await outbox.setDue()
  }
  const [mail] = await outbox.states()
  const wrong = backoffSeconds.filter((wanted, index) => Math.abs((delays[index] ?? 0) - wanted) > 2)
  return [
    none(
      `Mail server is gone: backoff delays other than documented (they are ${delays.join(', ')} s)`,
      wrong.length,
      '9',
    ),
    none(
      'Mail server is gone: mails not shown as failed after 10 attempts',
      mail?.status === 'failed' && mail.attempts === 10 ? 0 : 1,
    ),
  ]
}

/** Queued mail is delivered when the server is back, exactly once. */
async function checkDelivery(outbox: Outbox, port: number): Promise<Result[]> {
  await outbox.send()
  await outbox.until(([mail]) => mail?.reason !== null)
  const server = await startMailServer(port)
  await outbox.setDue()
  const [mail] = await outbox.until(([mail]) => mail?.status === 'sent')
  const isDeliveredOnce =
    mail?.status === 'sent' && server.received.filter(({ recipients }) => recipients[0] === outbox.to).length === 1
  await server[Symbol.asyncDispose]()
  return [none('Mail server is back: mails not delivered exactly once', isDeliveredOnce ? 0 : 1, '1')]
}

interface MailState {
  readonly status: 'queued' | 'sent' | 'failed'
  /** Why the last try failed; null also while one is under way. */
  readonly reason: string | null
  readonly attempts: number
  readonly delaySeconds: number
}
type Outbox = Awaited<ReturnType<typeof createOutbox>>

/** The outgoing mail of a new shop with one quote. */
async function createOutbox({ fleet }: FaultContext, origin: string) {
  const { database } = fleet
  const shop = await fleet.createShop()
  const to = `${shop.orgId}@okafor.example`.toLowerCase()
  const response = await probe(origin, shop, 'quote')
  const { data } = JSON.parse(response.text) as { data: { id: string } }
  const states = () =>
    database.query<MailState>(sql`
      select status, attempts, round(extract(epoch from attempt_at - tried_at))::int as "delaySeconds",
        failure_reason as reason
      from outbox where org_id = ${shop.orgId}`)
  return {
    to,
    states,
    send: () => probe(origin, shop, 'send', `/quotes/${data.id}/send`, { to }),
    async until(condition: (states: readonly MailState[]) => boolean): Promise<MailState[]> {
      for (const startedAt = performance.now(); ; await delay(20)) {
        const found = await states()
        if (condition(found) || performance.now() - startedAt > 30_000) return found
      }
    },
    async setDue() {
      await database.query(sql`
        update outbox set attempt_at = now(), failure_reason = null where org_id = ${shop.orgId} and status = 'queued'`)
      await database.query(sql`select pg_notify('outbox', '')`)
    },
  }
}
