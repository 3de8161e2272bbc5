// An error nobody foresaw: a column that the service relies on is gone for a while.
import { setTimeout as delay } from 'node:timers/promises'
import { unexpected } from '../../src/api/errors.ts'
import { sql } from '../../src/database.ts'
import { none } from '../trial.ts'
import { ask, crowd, isGood } from './callers.ts'
import { type Fault, serving } from './scene.ts'

export const unforeseen: Fault = async (scene) => {
  const fault = 'Unhandled error'
  const { fleet, shop } = scene
  await using instance = await serving(scene)
  const look = () => ask(instance.origin, shop, 'read', '/stations')
  const before = await look()
  const callers = crowd(instance.origin, shop, { everyMs: 50 })
  await fleet.database.query(sql`alter table stations rename column capacity to elsewhere`)
  const answers = []
  for (let n = 0; n < 50; n++) answers.push(await look())
  await fleet.database.query(sql`alter table stations rename column elsewhere to capacity`)
  await delay(200)
  const after = await look()
  const others = await callers.stop()
  const log = instance.said()
  const wrong = answers.filter(({ status, text, requestId }) => {
    const wanted = JSON.stringify({ success: false, error: unexpected().message, requestId })
    return status !== 500 || text !== wanted
  })
  const unlogged = answers.filter(({ requestId }) => !requestId || !log.includes(requestId))
  return [
    none(`${fault}: answers other than 500 in the envelope with the request's id`, wrong.length, '50'),
    none(`${fault}: of these not in the log under that id`, unlogged.length, '50'),
    none(
      `${fault}: other requests not served meanwhile`,
      others.filter((answer) => !isGood(answer)).length,
      String(others.length),
    ),
    none(`${fault}: not served before and after`, [before, after].filter((answer) => !isGood(answer)).length, '2'),
  ]
}
