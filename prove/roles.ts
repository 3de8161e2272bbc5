// The authorization server away, back, and asked with the wrong secret: tokens wait, keys go on, nobody is blamed.
import { setTimeout as delay } from 'node:timers/promises'
import { newKey } from '../src/identity/key-format.ts'
import { person } from '../test/visitor.ts'
import { caller } from './caller.ts'
import { customersOf, limits, type Several, unseenToken, withKey, withToken } from './several.ts'
import { atMost, exactly, type Figure, none } from './trial.ts'

export async function roles(several: Several): Promise<Figure[]> {
  const { fleet, settings, front, site } = several
  const [auth] = several.auth
  const shop = await fleet.shop()
  const { memberId } = await person(site, shop.orgId)
  const path = customersOf(shop.orgId)
  using program = caller(front, { from: '127.0.4.1' })
  const ask = async (headers: Record<string, string>, at = front) =>
    (await program.call('GET', path, { at, headers })).status
  const token = await unseenToken(several, shop.orgId, memberId)
  const times = limits.failuresPerMinute * 2
  const count = async (expected: number, headers: Record<string, string>, at?: string) => {
    const answers = await Promise.all(Array.from({ length: times }, () => ask(headers, at)))
    return answers.filter((status) => status === expected).length
  }

  await auth!.stop()
  const waiting = await count(503, withToken(token))
  const keys = await count(200, withKey(shop.key))
  const blamed = (await ask(withKey(newKey()))) === 401 ? 0 : times

  const back = await fleet.instance({ ...settings, ROLE: 'auth', PORT: String(auth!.port) })
  const begun = performance.now()
  while ((await ask(withToken(token))) !== 200 && performance.now() < begun + 30_000) await delay(50)
  const backAfterMs = performance.now() - begun

  const stranger = await fleet.instance({ ...settings, ROLE: 'rest', INTROSPECTION_SECRET: 'not the one they share' })
  const refused = await count(503, withToken(await unseenToken(several, shop.orgId, memberId)), stranger.origin)
  const strangersKeys = await ask(withKey(shop.key), stranger.origin)
  await Promise.all([stranger.stop(), back.stop()])
  return [
    exactly('authorization server down: tokens answered 503', times, waiting),
    exactly('authorization server down: keys answered 200', times, keys),
    none('authorization server down: answers 503 that counted as failed authentication', blamed),
    atMost('until tokens work again once it is ready', 5_000, backAfterMs, 'ms'),
    exactly('wrong INTROSPECTION_SECRET: tokens answered 503', times, refused),
    exactly('wrong INTROSPECTION_SECRET: a key is answered', 200, strangersKeys),
  ]
}
