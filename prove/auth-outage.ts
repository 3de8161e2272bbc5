// The authorization server away, back, and queried with the wrong secret: tokens are answered 503, keys work on, and no
// failed authentication is counted.
import { setTimeout as delay } from 'node:timers/promises'
import { newKey } from '../src/identity/key-format.ts'
import { person } from '../test/visitor.ts'
import { customersPath, type Deployment, importUnseenToken, keyHeader, limits, tokenHeader } from './deployment.ts'
import { createHttpClient } from './http-client.ts'
import { atMost, exactly, none, type Result } from './trial.ts'

export async function checkAuthOutage(deployment: Deployment): Promise<Result[]> {
  const { fleet, settings, proxyOrigin, authService } = deployment
  const [auth] = deployment.auth
  const shop = await fleet.createShop()
  const { memberId } = await person(authService, shop.orgId)
  const path = customersPath(shop.orgId)
  using client = createHttpClient(proxyOrigin, { from: '127.0.4.1' })
  const requestStatus = async (headers: Record<string, string>, at = proxyOrigin) =>
    (await client.call('GET', path, { at, headers })).status
  const token = await importUnseenToken(deployment, shop.orgId, memberId)
  const times = limits.failuresPerMinute * 2
  const countStatus = async (expected: number, headers: Record<string, string>, at?: string) => {
    const answers = await Promise.all(Array.from({ length: times }, () => requestStatus(headers, at)))
    return answers.filter((status) => status === expected).length
  }

  await auth!.stop()
  const tokensUnavailable = await countStatus(503, tokenHeader(token))
  const keysServed = await countStatus(200, keyHeader(shop.key))
  const countedAsFailed = (await requestStatus(keyHeader(newKey()))) === 401 ? 0 : times

  const restarted = await fleet.startInstance({ ...settings, ROLE: 'auth', PORT: String(auth!.port) })
  const startedAt = performance.now()
  while ((await requestStatus(tokenHeader(token))) !== 200 && performance.now() < startedAt + 30_000) await delay(50)
  const recoveryMs = performance.now() - startedAt

  const misconfigured = await fleet.startInstance({
    ...settings,
    ROLE: 'rest',
    INTROSPECTION_SECRET: 'not the one they share',
  })
  const refused = await countStatus(
    503,
    tokenHeader(await importUnseenToken(deployment, shop.orgId, memberId)),
    misconfigured.origin,
  )
  const misconfiguredKeyStatus = await requestStatus(keyHeader(shop.key), misconfigured.origin)
  await Promise.all([misconfigured.stop(), restarted.stop()])
  return [
    exactly('authorization server down: tokens answered 503', times, tokensUnavailable),
    exactly('authorization server down: keys answered 200', times, keysServed),
    none('authorization server down: answers 503 that counted as failed authentication', countedAsFailed),
    atMost('recovery time of tokens once it is ready', 5_000, recoveryMs, 'ms'),
    exactly('wrong INTROSPECTION_SECRET: tokens answered 503', times, refused),
    exactly('wrong INTROSPECTION_SECRET: a key is answered', 200, misconfiguredKeyStatus),
  ]
}
