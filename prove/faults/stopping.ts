// A service that is asked to stop while many use it: who is answered, who is cut, and how it ends.
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../src/database.ts'
import type { Served } from '../../test/programs.ts'
import type { Shop } from '../fleet.ts'
import { atMost, type Figure, none } from '../trial.ts'
import { type Answer, ask, isGood } from './callers.ts'
import { type Fault, serving } from './scene.ts'

const callersAtOnce = 16
/** How long a record is held by somebody else, so that requests for it are in flight when the signal comes. */
const heldMs = 1_500

export const stopped: Fault = async (scene) => {
  const fault = 'SIGTERM under load'
  const { fleet, shop } = scene
  const instance = await serving(scene)
  const { origin } = instance
  const created = JSON.parse((await ask(origin, shop, 'write')).text) as { data: { id: string } }
  const { id } = created.data

  let isOver = false
  const loads = Array.from({ length: callersAtOnce }, (_, index) =>
    eachInTurn(() => ask(origin, shop, index % 4 === 0 ? 'write' : 'read')),
  )
  async function eachInTurn(work: () => Promise<Answer>): Promise<Answer[]> {
    const answers: Answer[] = []
    while (!isOver) {
      const answer = await work()
      answers.push(answer)
      if (answer.status === 0) await delay(20)
    }
    return answers
  }
  const holder = await fleet.database.connect()
  await holder.query('begin')
  await holder.query('select 1 from customers where id = $1 for update', [id])
  const held = Array.from({ length: 4 }, () => ask(origin, shop, 'change', `/customers/${id}`))
  // They hold it up until they are cut, which is too long for the short form.
  const halves = scene.size === 'short' ? [] : halfSent(instance, shop)
  await delay(700)

  const signalled = performance.now()
  const looks = watchReadiness(origin, instance.port)
  instance.signal('SIGTERM')
  await delay(heldMs)
  await holder.query('commit')
  await holder.end()
  const end = await instance.ended
  const endedMs = performance.now() - signalled
  isOver = true
  const finished = await Promise.all(held)
  const answers = (await Promise.all(loads)).flat()
  const { notReady, refused } = await looks
  const inFlight = answers.filter(({ sentAt, ms }) => sentAt <= signalled && sentAt + ms > signalled)
  const after = answers.filter(({ sentAt }) => sentAt > signalled)
  const cut = await halves
  await fleet.database.query(sql`delete from customers where org_id = ${shop.orgId} and id = ${id}`)
  return [
    readinessFirst(fault, notReady, refused),
    none(
      `${fault}: requests in flight that were not answered`,
      [...inFlight, ...finished].filter((answer) => !isGood(answer)).length,
      String(inFlight.length + finished.length),
    ),
    none(
      `${fault}: requests sent afterwards that were answered with an error`,
      after.filter((answer) => answer.status !== 0 && !isGood(answer)).length,
      String(after.filter(({ status }) => status !== 0).length),
    ),
    none(
      `${fault}: half-sent requests that were not cut`,
      cut.filter((ms) => ms === undefined).length,
      String(cut.length),
    ),
    atMost(`${fault}: until the process has ended`, 10, endedMs / 1_000, 's'),
    none(`${fault}: exit code`, end === 0 ? 0 : 1),
  ]
}

function readinessFirst(fault: string, notReady: number | undefined, refused: number | undefined): Figure {
  const inMs = (ms: number | undefined) => (ms === undefined ? 'never' : `after ${Math.round(ms)} ms`)
  return {
    what: `${fault}: readiness fails before connections are refused`,
    goal: 'before',
    measured: `not ready ${inMs(notReady)}, refused ${inMs(refused)}`,
    holds: notReady !== undefined && (refused === undefined || notReady < refused),
  }
}

/** As a proxy looks: each time by a connection of its own. Ends with the first that is refused. */
async function watchReadiness(origin: string, port: number) {
  const since = performance.now()
  const agent = new Agent({ keepAlive: false })
  let notReady: number | undefined
  for (;;) {
    const status = await new Promise<number>((resolve) => {
      const look = request({ host: '127.0.0.1', port, path: '/health/ready', agent, headers: { host: origin } })
      look.on('response', (reply) => resolve(reply.resume().statusCode!)).on('error', () => resolve(0))
      look.end()
    })
    const now = performance.now() - since
    if (status === 0) return { notReady, refused: now }
    if (status === 503) notReady ??= now
    await delay(5)
  }
}

/** Requests of which only a part ever comes. Tells after how many milliseconds each was cut. */
function halfSent({ port }: Served, { orgId, key }: Shop): Promise<(number | undefined)[]> {
  const head = `POST /api/v1/organisations/${orgId}/customers HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\n`
  const parts = ['POST /api', head, `${head}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"firstName":`]
  const since = performance.now()
  return Promise.all(
    parts.map(
      (part) =>
        new Promise<number | undefined>((resolve) => {
          const socket = connect(port, '127.0.0.1', () => socket.write(part))
          socket.on('error', () => {}).on('close', () => resolve(performance.now() - since))
          setTimeout(() => resolve(undefined), 15_000).unref()
        }),
    ),
  )
}
