// Quotas over several processes: what one credential or one address may ask is the same, however many answer it.
import { setTimeout as delay } from 'node:timers/promises'
import { newKey } from '../src/identity/key-format.ts'
import { type Answer, caller } from './caller.ts'
import { approved, customersOf, limits, type Several, withKey, withToken } from './several.ts'
import { exactly, type Figure, type Size } from './trial.ts'

/** So many at once, several times over the limit. */
const asked = { short: 300, whole: 600 }
const addresses = { short: 2, whole: 8 }

export async function quotas(several: Several, size: Size): Promise<Figure[]> {
  const { fleet, name } = several
  const shop = await fleet.shop()
  const { token } = await approved(several, shop.orgId)
  const path = customersOf(shop.orgId)
  const figures: Figure[] = []
  const ask = async (when: string) => {
    let resetsAt = 0
    for (const [what, headers] of [
      ['a key', withKey(shop.key)],
      ['an app', withToken(token)],
    ] as const) {
      const answers = await burst(several, path, asked[size], headers)
      figures.push(judged(`${name}: requests of ${what} admitted in ${when}`, answers))
      resetsAt = Math.max(resetsAt, Number(answers.at(-1)!.headers['x-ratelimit-reset']) * 1_000)
    }
    return resetsAt
  }
  const resetsAt = await ask('a minute')
  if (size === 'whole') {
    await delay(Math.max(0, resetsAt - Date.now()) + 1_000)
    await ask('the next')
  }
  figures.push(await failures(several, size))
  return figures
}

async function burst({ front }: Several, path: string, count: number, headers: Record<string, string>) {
  using program = caller(front, { from: '127.0.0.9' })
  return await Promise.all(Array.from({ length: count }, () => program.get(path, headers)))
}

const statusCount = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length

function judged(what: string, answers: readonly Answer[]): Figure {
  const admitted = answers.filter(({ status }) => status === 200)
  const left = new Set(admitted.map(({ headers }) => headers['x-ratelimit-remaining']))
  const others = answers.filter(({ status }) => status !== 200 && status !== 429)
  const told = others.map(({ status, failure }) => failure ?? status)
  const servers = new Set(answers.map(({ headers }) => headers['x-served-by']))
  const all = answers.length.toLocaleString('en-GB')
  return {
    what,
    goal: `${limits.perMinute} of ${all}, each told another rest, by 2 instances`,
    measured: `${admitted.length} of ${all}, ${left.size} rests, ${servers.size} instances${told.length > 0 ? `; ${told.length} answered ${[...new Set(told)].join(', ')}` : ''}`,
    holds:
      admitted.length === limits.perMinute && left.size === limits.perMinute && servers.size === 2 && told.length === 0,
  }
}

/** Each address says that it is another one each time: what counts is what the proxy saw. */
async function failures({ front, name }: Several, size: Size): Promise<Figure> {
  const sources = Array.from({ length: addresses[size] }, (_, place) => `127.0.2.${place + 1}`)
  const counts = await Promise.all(
    sources.map(async (from) => {
      using program = caller(front, { from })
      const tries = Array.from({ length: limits.failuresPerMinute * 4 }, (_, place) =>
        program.get(customersOf('org_none'), { ...withKey(newKey()), 'x-forwarded-for': `203.0.113.${place}` }),
      )
      return statusCount(await Promise.all(tries), 401)
    }),
  )
  const wrong = counts.filter((count) => count !== limits.failuresPerMinute).length
  return exactly(
    `${name}: addresses of ${sources.length} that were not told 401 exactly ${limits.failuresPerMinute} times`,
    0,
    wrong,
  )
}
