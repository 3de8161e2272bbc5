// SIGTERM under load: which requests are answered, which are cut, and how the service ends.
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../src/db/database.ts'
import type { ServerProcess } from '../../test/programs.ts'
import type { Shop } from '../fleet.ts'
import { atMost, none, type Result } from '../trial.ts'
import { isSuccess, type ProbeResponse, probe } from './background-load.ts'
import { type Fault, startWarmInstance } from './context.ts'

const concurrency = 16
/** How long another transaction locks a record, so that requests for it are in flight when the signal comes. */
const lockHeldMs = 1_500

export const gracefulShutdown: Fault = async (context) => {
  const fault = 'SIGTERM under load'
  const { fleet, shop } = context
  const instance = await startWarmInstance(context)
  const { origin } = instance
  const created = JSON.parse((await probe(origin, shop, 'write')).text) as { data: { id: string } }
  const { id } = created.data

  let isOver = false
  const loads = Array.from({ length: concurrency }, (_, index) =>
    sendContinuously(() => probe(origin, shop, index % 4 === 0 ? 'write' : 'read')),
  )
  async function sendContinuously(work: () => Promise<ProbeResponse>): Promise<ProbeResponse[]> {
    const answers: ProbeResponse[] = []
    while (!isOver) {
      const answer = await work()
      answers.push(answer)
      if (answer.status === 0) await delay(20)
    }
    return answers
  }
  const lockHolder = await fleet.database.connect()
  await lockHolder.query('begin')
  await lockHolder.query('select 1 from customers where id = $1 for update', [id])
  const lockedRequests = Array.from({ length: 4 }, () => probe(origin, shop, 'change', `/customers/${id}`))
  // They delay the shutdown until they are cut, which is too long for the short form.
  const partialRequests = context.size === 'short' ? [] : sendPartialRequests(instance, shop)
  await delay(700)

  const signalledAt = performance.now()
  const readinessWatch = watchReadiness(origin, instance.port)
  instance.signal('SIGTERM')
  await delay(lockHeldMs)
  await lockHolder.query('commit')
  await lockHolder.end()
  const exitCode = await instance.exited
  const endedMs = performance.now() - signalledAt
  isOver = true
  const finished = await Promise.all(lockedRequests)
  const answers = (await Promise.all(loads)).flat()
  const { notReady, refused } = await readinessWatch
  const inFlight = answers.filter(({ sentAt, ms }) => sentAt <= signalledAt && sentAt + ms > signalledAt)
  const after = answers.filter(({ sentAt }) => sentAt > signalledAt)
  const cutAfterMs = await partialRequests
  await fleet.database.query(sql`delete from customers where org_id = ${shop.orgId} and id = ${id}`)
  return [
    readinessResult(fault, notReady, refused),
    none(
      `${fault}: requests in flight that were not answered`,
      [...inFlight, ...finished].filter((answer) => !isSuccess(answer)).length,
      String(inFlight.length + finished.length),
    ),
    none(
      `${fault}: requests sent afterwards that were answered with an error`,
      after.filter((answer) => answer.status !== 0 && !isSuccess(answer)).length,
      String(after.filter(({ status }) => status !== 0).length),
    ),
    none(
      `${fault}: half-sent requests that were not cut`,
      cutAfterMs.filter((ms) => ms === undefined).length,
      String(cutAfterMs.length),
    ),
    atMost(`${fault}: shutdown time`, 10, endedMs / 1_000, 's'),
    none(`${fault}: exit code`, exitCode === 0 ? 0 : 1),
  ]
}

function readinessResult(fault: string, notReady: number | undefined, refused: number | undefined): Result {
  const inMs = (ms: number | undefined) => (ms === undefined ? 'never' : `after ${Math.round(ms)} ms`)
  return {
    what: `${fault}: readiness fails before connections are refused`,
    goal: 'before',
    measured: `not ready ${inMs(notReady)}, refused ${inMs(refused)}`,
    holds: notReady !== undefined && (refused === undefined || notReady < refused),
  }
}

/** As a proxy polls it: each time on a new connection, until the first that is refused. */
async function watchReadiness(origin: string, port: number) {
  const startedAt = performance.now()
  const agent = new Agent({ keepAlive: false })
  let notReady: number | undefined
  for (;;) {
    const status = await new Promise<number>((resolve) => {
      const probe = request({ host: '127.0.0.1', port, path: '/health/ready', agent, headers: { host: origin } })
      probe.on('response', (reply) => resolve(reply.resume().statusCode!)).on('error', () => resolve(0))
      probe.end()
    })
    const now = performance.now() - startedAt
    if (status === 0) return { notReady, refused: now }
    if (status === 503) notReady ??= now
    await delay(5)
  }
}

/** Requests of which only a part ever comes, and after how many milliseconds each was cut. */
function sendPartialRequests({ port }: ServerProcess, { orgId, key }: Shop): Promise<(number | undefined)[]> {
  const head = `POST /api/v1/organisations/${orgId}/customers HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\n`
  const parts = ['POST /api', head, `${head}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"firstName":`]
  const startedAt = performance.now()
  return Promise.all(
    parts.map(
      (part) =>
        new Promise<number | undefined>((resolve) => {
          const socket = connect(port, '127.0.0.1', () => socket.write(part))
          socket.on('error', () => {}).on('close', () => resolve(performance.now() - startedAt))
          setTimeout(() => resolve(undefined), 15_000).unref()
        }),
    ),
  )
}
