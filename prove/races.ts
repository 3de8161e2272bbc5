// Requests that meet, spread over two instances: of what must be once there is one, and nothing points to what is gone.
import { freePort } from '../test/programs.ts'
import { Fleet } from './fleet.ts'
import { placeOf } from './place.ts'
import * as jobs from './races/jobs.ts'
import * as numbers from './races/numbers.ts'
import * as oauth from './races/oauth.ts'
import * as papers from './races/papers.ts'
import { type Race, ringOf } from './races/ring.ts'
import { type Figure, none, type Trial } from './trial.ts'

const rounds = { whole: 200, short: 3 }
const wideRounds = { whole: 60, short: 2 }

export const racing: Trial = {
  name: 'races',
  title: 'Requests that meet',
  how:
    'Each race sends 16 requests at once (50 where it says so), in another order each round, to two instances on one ' +
    'database in turn, and then looks at what was answered and at what is there. An answer of 500 or above is a violation, too.',
  async run(size, say) {
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
    const instances = [await fleet.instance({ ...address, PORT: port }), await fleet.instance(address)]
    const places = instances.map((instance) => placeOf(fleet, instance, address))
    const races: readonly Race[] = [
      numbers.gapless,
      jobs.oneEvent,
      papers.paymentsAgree,
      papers.convertsOnce,
      jobs.lastStatus,
      papers.oneDefaultRate,
      jobs.gates,
      jobs.deletionGate,
      jobs.stations,
      jobs.schedules,
      jobs.cascade,
      papers.answeredOnce,
      numbers.repeated,
      oauth.registrations,
      oauth.codes(places),
      oauth.refreshes(places),
    ]
    const figures: Figure[] = []
    for (const race of races) {
      const began = performance.now()
      figures.push(await violations(race, (race.isWide ? wideRounds : rounds)[size]))
      say(`${race.what}: ${Math.round((performance.now() - began) / 1_000)} s`)
    }
    return figures

    async function violations({ what, begin }: Race, count: number): Promise<Figure> {
      const troubles: string[] = []
      const ring = await ringOf(
        fleet,
        instances.map(({ origin }) => origin),
        troubles,
      )
      const round = await begin(ring)
      let violated = 0
      for (let n = 0; n < count; n++) {
        const found = [...(await round(n)), ...troubles.splice(0)]
        if (found.length === 0) continue
        violated++
        say(`${what}, round ${n}: ${found.join('; ').slice(0, 600)}`)
      }
      return none(`${what}: rounds in which it did not hold`, violated, String(count))
    }
  },
}
