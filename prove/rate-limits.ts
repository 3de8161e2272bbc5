// Rate limits over several processes: the quota of a credential or an address is the same, however many answer it.
import { setTimeout as delay } from 'node:timers/promises'
import { newKey } from '../src/identity/key-format.ts'
import { approveApp, customersPath, type Deployment, keyHeader, limits, tokenHeader } from './deployment.ts'
import { createHttpClient, type HttpResponse } from './http-client.ts'
import { exactly, type Result, type Size } from './trial.ts'

/** So many at once, several times over the limit. */
const burstSize = { short: 300, whole: 600 }
const addressCount = { short: 2, whole: 8 }

export async function checkRateLimits(deployment: Deployment, size: Size): Promise<Result[]> {
  const { fleet, name } = deployment
  const shop = await fleet.createShop()
  const { token } = await approveApp(deployment, shop.orgId)
  const path = customersPath(shop.orgId)
  const results: Result[] = []
  const measureBurst = async (when: string) => {
    let resetsAt = 0
    for (const [what, headers] of [
      ['a key', keyHeader(shop.key)],
      ['an app', tokenHeader(token)],
    ] as const) {
      const answers = await sendBurst(deployment, path, burstSize[size], headers)
      results.push(burstResult(`${name}: requests of ${what} admitted in ${when}`, answers))
      resetsAt = Math.max(resetsAt, Number(answers.at(-1)!.headers['x-ratelimit-reset']) * 1_000)
    }
    return resetsAt
  }
  const resetsAt = await measureBurst('a minute')
  if (size === 'whole') {
    await delay(Math.max(0, resetsAt - Date.now()) + 1_000)
    await measureBurst('the next')
  }
  results.push(await failedAuthResult(deployment, size))
  return results
}

async function sendBurst({ proxyOrigin }: Deployment, path: string, count: number, headers: Record<string, string>) {
  using client = createHttpClient(proxyOrigin, { from: '127.0.0.9' })
  return await Promise.all(Array.from({ length: count }, () => client.get(path, headers)))
}

const statusCount = (answers: readonly HttpResponse[], status: number) =>
  answers.filter((answer) => answer.status === status).length

function burstResult(what: string, answers: readonly HttpResponse[]): Result {
  const admitted = answers.filter(({ status }) => status === 200)
  const remainingValues = new Set(admitted.map(({ headers }) => headers['x-ratelimit-remaining']))
  const others = answers.filter(({ status }) => status !== 200 && status !== 429)
  const unexpectedOutcomes = others.map(({ status, failure }) => failure ?? status)
  const servers = new Set(answers.map(({ headers }) => headers['x-served-by']))
  const all = answers.length.toLocaleString('en-GB')
  return {
    what,
    goal: `${limits.perMinute} of ${all}, each with its own X-RateLimit-Remaining, by 2 instances`,
    measured: `${admitted.length} of ${all}, ${remainingValues.size} values of X-RateLimit-Remaining, ${servers.size} instances${unexpectedOutcomes.length > 0 ? `; ${unexpectedOutcomes.length} answered ${[...new Set(unexpectedOutcomes)].join(', ')}` : ''}`,
    holds:
      admitted.length === limits.perMinute &&
      remainingValues.size === limits.perMinute &&
      servers.size === 2 &&
      unexpectedOutcomes.length === 0,
  }
}

/** Each address says that it is another one each time: what counts is what the proxy saw. */
async function failedAuthResult({ proxyOrigin, name }: Deployment, size: Size): Promise<Result> {
  const sources = Array.from({ length: addressCount[size] }, (_, index) => `127.0.2.${index + 1}`)
  const counts = await Promise.all(
    sources.map(async (from) => {
      using client = createHttpClient(proxyOrigin, { from })
      const attempts = Array.from({ length: limits.failuresPerMinute * 4 }, (_, index) =>
        client.get(customersPath('org_none'), { ...keyHeader(newKey()), 'x-forwarded-for': `203.0.113.${index}` }),
      )
      return statusCount(await Promise.all(attempts), 401)
    }),
  )
  const wrong = counts.filter((count) => count !== limits.failuresPerMinute).length
  return exactly(
    `${name}: addresses of ${sources.length} that were not answered 401 exactly ${limits.failuresPerMinute} times`,
    0,
    wrong,
  )
}
