// An unhandled error: a column that the service relies on is gone for a while.
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../src/db/database.ts'
import { unexpected } from '../../src/operations/errors.ts'
import { none } from '../trial.ts'
import { isSuccess, probe, startBackgroundLoad } from './background-load.ts'
import { type Fault, startWarmInstance } from './context.ts'

export const unhandledError: Fault = async (context) => {
  const fault = 'Unhandled error'
  const { fleet, shop } = context
  await using instance = await startWarmInstance(context)
  const readStations = () => probe(instance.origin, shop, 'read', '/stations')
  const before = await readStations()
  const load = startBackgroundLoad(instance.origin, shop, { everyMs: 50 })
  await fleet.database.query(sql`alter table stations rename column capacity to elsewhere`)
  const answers = []
  for (let n = 0; n < 50; n++) answers.push(await readStations())
  await fleet.database.query(sql`alter table stations rename column elsewhere to capacity`)
  await delay(200)
  const after = await readStations()
  const otherResponses = await load.stop()
  const log = instance.output()
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
      otherResponses.filter((answer) => !isSuccess(answer)).length,
      String(otherResponses.length),
    ),
    none(`${fault}: not served before and after`, [before, after].filter((answer) => !isSuccess(answer)).length, '2'),
  ]
}
