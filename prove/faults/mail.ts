// A mail server that is busy, refuses, is gone, or hangs: requests go on, and mail is tried again, later and later.
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../src/database.ts'
import { startMailServer } from '../../test/mail-server.ts'
import { freePort } from '../../test/programs.ts'
import { atMost, type Figure, none } from '../trial.ts'
import { ask, crowd, isGood } from './callers.ts'
import { type Fault, type Scene, serving } from './scene.ts'

/** As `docs/decisions/background-work.md` promises them. */
const backOffSeconds = [30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200]
const mailsEach = 8

export const mailTroubles: Fault = async (scene) => {
  const port = Number(await freePort())
  await using instance = await serving(scene, {
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'shop@harbour.example',
  })
  const newOutbox = () => outboxOf(scene, instance.origin)
  const figures: Figure[] = []
  for (const manner of ['is gone', 'is busy', 'refuses', 'hangs'] as const) {
    const server = manner === 'is gone' ? undefined : await startMailServer(port)
    if (server) server.manner = manner === 'is busy' ? 'busy' : (manner as 'refuses' | 'hangs')
    figures.push(...(await troubled(manner, scene, instance.origin, await newOutbox())))
    await server?.[Symbol.asyncDispose]()
    if (manner === 'is gone')
      figures.push(...(await backOff(await newOutbox())), ...(await back(await newOutbox(), port)))
  }
  return figures
}

async function troubled(manner: string, { shop }: Scene, origin: string, outbox: Outbox): Promise<Figure[]> {
  const what = `Mail server ${manner}`
  const callers = crowd(origin, shop)
  const sent = await Promise.all(Array.from({ length: mailsEach }, outbox.send))
  const hasHeard = ({ status, reason, attempts }: State) => attempts > 0 && (status === 'failed' || reason !== null)
  // One that hangs has a few; the others wait for these.
  if (manner === 'hangs') await outbox.until((mails) => mails.some(({ attempts }) => attempts > 0))
  else await outbox.until((mails) => mails.every(hasHeard))
  await delay(1_000)
  const answers = [...(await callers.stop()), ...sent]
  const mails = await outbox.states()
  const lost = mails.filter((mail) =>
    manner === 'refuses' ? mail.status !== 'failed' || !mail.reason : mail.status !== 'queued',
  )
  const longest = Math.max(...answers.map(({ ms }) => ms))
  return [
    none(`${what}: requests not served`, answers.filter((answer) => !isGood(answer)).length, String(answers.length)),
    atMost(`${what}: longest wait for an answer`, 1, longest / 1_000, 's'),
    none(
      `${what}: mails not ${manner === 'refuses' ? 'shown as failed, with the reason' : 'kept for another try'}`,
      lost.length,
      String(mails.length),
    ),
  ]
}

/** Tried until it has failed; the time between is passed over by setting the mail due. */
async function backOff(outbox: Outbox): Promise<Figure[]> {
  await outbox.send()
  const waits: number[] = []
  for (;;) {
    const [mail] = await outbox.until(([mail]) => mail?.status === 'failed' || mail?.reason !== null)
    if (mail?.status !== 'queued' || waits.length > backOffSeconds.length) break
    waits.push(mail.waitSeconds)
    await outbox.setDue()
  }
  const [mail] = await outbox.states()
  const wrong = backOffSeconds.filter((wanted, index) => Math.abs((waits[index] ?? 0) - wanted) > 2)
  return [
    none(`Mail server is gone: pauses other than promised (they are ${waits.join(', ')} s)`, wrong.length, '9'),
    none(
      'Mail server is gone: mails not shown as failed after 10 tries',
      mail?.status === 'failed' && mail.attempts === 10 ? 0 : 1,
    ),
  ]
}

/** What waited is delivered once the server is back, and once only. */
async function back(outbox: Outbox, port: number): Promise<Figure[]> {
  await outbox.send()
  await outbox.until(([mail]) => mail?.reason !== null)
  const server = await startMailServer(port)
  await outbox.setDue()
  const [mail] = await outbox.until(([mail]) => mail?.status === 'sent')
  const isOnce =
    mail?.status === 'sent' && server.received.filter(({ recipients }) => recipients[0] === outbox.to).length === 1
  await server[Symbol.asyncDispose]()
  return [none('Mail server is back: mails not delivered exactly once', isOnce ? 0 : 1, '1')]
}

interface State {
  readonly status: 'queued' | 'sent' | 'failed'
  /** Why the last try failed; null also while one is under way. */
  readonly reason: string | null
  readonly attempts: number
  readonly waitSeconds: number
}
type Outbox = Awaited<ReturnType<typeof outboxOf>>

/** The outgoing mail of a new shop with one quote. */
async function outboxOf({ fleet }: Scene, origin: string) {
  const { database } = fleet
  const shop = await fleet.shop()
  const to = `${shop.orgId}@okafor.example`.toLowerCase()
  const made = await ask(origin, shop, 'quote')
  const { data } = JSON.parse(made.text) as { data: { id: string } }
  const states = () =>
    database.query<State>(sql`
      select status, attempts, round(extract(epoch from attempt_at - tried_at))::int as "waitSeconds",
        failure_reason as reason
      from outbox where org_id = ${shop.orgId}`)
  return {
    to,
    states,
    send: () => ask(origin, shop, 'send', `/quotes/${data.id}/send`, { to }),
    async until(isSo: (states: readonly State[]) => boolean): Promise<State[]> {
      for (const since = performance.now(); ; await delay(20)) {
        const found = await states()
        if (isSo(found) || performance.now() - since > 30_000) return found
      }
    },
    async setDue() {
      await database.query(sql`
        update outbox set attempt_at = now(), failure_reason = null where org_id = ${shop.orgId} and status = 'queued'`)
      await database.query(sql`select pg_notify('outbox', '')`)
    },
  }
}
