// Requests that meet, spread over two instances: of what must be once there is one, and nothing points to what is gone.
import { freePort } from '../test/programs.ts'
import { Fleet } from './fleet.ts'
import * as billing from './races/billing.ts'
import { createRaceContext, type Race } from './races/context.ts'
import * as jobs from './races/jobs.ts'
import * as numbers from './races/numbers.ts'
import * as oauth from './races/oauth.ts'
import { serviceHandle } from './service-handle.ts'
import { none, type Result, type Trial } from './trial.ts'

const rounds = { whole: 200, short: 3 }
const wideRounds = { whole: 60, short: 2 }

export const racesTrial: Trial = {
  name: 'races',
  title: 'Requests that meet',
  how:
    'Each race sends 16 requests at once (50 where it says so), in another order each round, to two instances on one ' +
    'database round robin, and then checks the answers and the records. An answer of 500 or above is a violation, too.',
  async run(size, log) {
    await using fleet = await Fleet.start({
      AUTHORIZE_PER_MINUTE: '1000000',
      TOKEN_PER_MINUTE: '1000000',
      REGISTER_PER_MINUTE: '1000000',
      REGISTER_PER_DAY: '1000000',
      TRUST_PROXY: '127.0.0.0/8',
      ROLE: 'rest,auth',
    })
    const port = await freePort()
    const address = { AUTH_URL: `http://127.0.0.1:${port}` }
    const instances = [await fleet.startInstance({ ...address, PORT: port }), await fleet.startInstance(address)]
    const services = instances.map((instance) => serviceHandle(fleet, instance, address))
    const races: readonly Race[] = [
      numbers.gapless,
      jobs.oneEvent,
      billing.paymentsAgree,
      billing.convertsOnce,
      jobs.lastStatus,
      billing.oneDefaultRate,
      jobs.gates,
      jobs.deletionGate,
      jobs.stations,
      jobs.schedules,
      jobs.cascade,
      billing.answeredOnce,
      numbers.repeated,
      oauth.registrations,
      oauth.codes(services),
      oauth.refreshes(services),
    ]
    const results: Result[] = []
    for (const race of races) {
      const startedAt = performance.now()
      results.push(await countViolations(race, (race.isWide ? wideRounds : rounds)[size]))
      log(`${race.what}: ${Math.round((performance.now() - startedAt) / 1_000)} s`)
    }
    return results

    async function countViolations({ what, prepare }: Race, count: number): Promise<Result> {
      const serverErrors: string[] = []
      const context = await createRaceContext(
        fleet,
        instances.map(({ origin }) => origin),
        serverErrors,
      )
      const round = await prepare(context)
      let violated = 0
      for (let n = 0; n < count; n++) {
        const found = [...(await round(n)), ...serverErrors.splice(0)]
        if (found.length === 0) continue
        violated++
        log(`${what}, round ${n}: ${found.join('; ').slice(0, 600)}`)
      }
      return none(`${what}: rounds in which it did not hold`, violated, String(count))
    }
  },
}
