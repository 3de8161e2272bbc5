// The wall clock of the process jumps by an hour, either way, while it runs: nothing opens, and nobody is locked out.
import { globSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../src/db/database.ts'
import { createKey } from '../../src/identity/keys.ts'
import { scopeCatalogue } from '../../src/resources/index.ts'
import { obtainCode, obtainTokens, readWithToken, redeem, refresh, register } from '../../test/oauth-app.ts'
import type { ServiceHandle } from '../../test/test-service.ts'
import { person, signInOn, Visitor } from '../../test/visitor.ts'
import { serviceHandle } from '../service-handle.ts'
import { none, type Result } from '../trial.ts'
import { probe } from './background-load.ts'
import { type Fault, type FaultContext, startWarmInstance } from './context.ts'

const quota = 50
const halfAnHourMs = 1_800_000

export const clockJumps: Fault = async (context) => {
  // Debian's package is called faketime; it stands between the process and its clock.
  const [library] = globSync(['/usr/lib/*/faketime/libfaketime.so.1', '/usr/{,local/}lib/faketime/libfaketime.so.1'])
  if (!library) {
    return [
      { what: 'Wall clock: carried out', goal: 'yes', measured: 'no: libfaketime is not installed', holds: false },
    ]
  }
  const folder = await mkdtemp(join(tmpdir(), 'jobwright-clock-'))
  const file = join(folder, 'offset')
  await writeFile(file, '+0')
  const limits = { RATE_LIMIT_PER_MINUTE: String(quota), AUTHORIZE_PER_MINUTE: '1000', TOKEN_PER_MINUTE: '1000' }
  try {
    await using instance = await startWarmInstance(context, {
      ...limits,
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    })
    const service = serviceHandle(context.fleet, instance, limits)
    const results: Result[] = []
    for (const jump of ['+1h', '-1h'] as const) {
      results.push(...(await checkJump(context, service, jump, () => writeFile(file, jump))))
      await writeFile(file, '+0')
    }
    return results
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function checkJump(
  context: FaultContext,
  service: ServiceHandle,
  by: '+1h' | '-1h',
  jump: () => Promise<void>,
): Promise<Result[]> {
  const { fleet, shop } = context
  const checkCredentials = await prepareCredentials(context, service)
  const keyFor = async (expiresInMs: number) =>
    (
      await createKey(
        fleet.database,
        shop.orgId,
        { scopes: ['full'], expiresAt: new Date(Date.now() + expiresInMs) },
        scopeCatalogue,
      )
    ).key
  const statusFor = async (key: string) => (await probe(service.origin, { ...shop, key }, 'read')).status
  const [validKey, expiredKey, exhaustedKey] = [
    await keyFor(halfAnHourMs),
    await keyFor(-halfAnHourMs),
    await keyFor(halfAnHourMs),
  ]
  const unusedKeys = [await keyFor(halfAnHourMs), await keyFor(-halfAnHourMs)]
  await statusFor(validKey)
  await statusFor(expiredKey)
  for (let n = 0; n <= quota; n++) await statusFor(exhaustedKey)

  await jump()
  await delay(1_500) // the date in answers is renewed once a second
  const healthResponse = await fetch(`${service.origin}/health/live`)
  const clockOffsetMs = Date.parse(healthResponse.headers.get('date')!) - Date.now()
  const hasJumped = Math.abs(clockOffsetMs - (by === '+1h' ? 3_600_000 : -3_600_000)) < 10_000
  const limitedResponse = await fetch(`${service.origin}/api/v1/organisations/${shop.orgId}/customers`, {
    headers: { 'x-api-key': exhaustedKey },
  })
  const retryAfterSeconds = Number(limitedResponse.headers.get('retry-after'))

  const checks: Readonly<Record<string, boolean>> = {
    'the clock did not jump': hasJumped,
    'a key in use was shut out': (await statusFor(validKey)) === 200,
    'a key used for the first time was shut out': (await statusFor(unusedKeys[0]!)) === 200,
    'an expired key was let in': (await statusFor(expiredKey)) === 401 && (await statusFor(unusedKeys[1]!)) === 401,
    'a spent quota began anew': limitedResponse.status === 429,
    'a spent quota was said to last longer': retryAfterSeconds >= 1 && retryAfterSeconds <= 60,
    ...(await checkCredentials()),
  }
  const broken = Object.keys(checks).filter((check) => !checks[check])
  return [
    none(
      `Wall clock ${by}: promises broken${broken.length > 0 ? ` (${broken.join('; ')})` : ''}`,
      broken.length,
      String(Object.keys(checks).length),
    ),
  ]
}

/** Credentials of people and apps from before the jump, and whether they are worth the same afterwards. */
async function prepareCredentials(
  { fleet, shop }: FaultContext,
  service: ServiceHandle,
): Promise<() => Promise<Record<string, boolean>>> {
  const admin = await person(service, shop.orgId)
  // Each app has one approval, which a later one of the same person would replace.
  const [holderApp, waitingApp, lateApp, newApp] = [
    await register(service),
    await register(service),
    await register(service),
    await register(service),
  ]
  const heldTokens = await obtainTokens(service, holderApp, admin)
  const { visitor } = heldTokens
  const validCode = await obtainCode(service, waitingApp, admin, { visitor })
  const expiredCode = await obtainCode(service, lateApp, admin, { visitor })
  await fleet.database.query(sql`
    update oauth_tokens set expires_at = now() - interval '1 second'
    where grant_id in (select id from grants where client_id = ${lateApp.client.client_id})`)
  return async () => {
    const portal = await visitor.open(`/portal/${shop.orgId}`)
    const otherVisitor = new Visitor(service.config.authUrl)
    const signedInPage = await signInOn(otherVisitor, service, await otherVisitor.open('/sign-in'), admin)
    const access = await readWithToken(service, shop.orgId, heldTokens.access_token)
    const refreshed = await refresh(service, holderApp, heldTokens.refresh_token)
    const redeemed = await redeem(service, waitingApp, validCode)
    const approved = await obtainTokens(service, newApp, admin, { visitor }).catch(() => undefined)
    return {
      'a session ended': portal.status === 200 && !portal.url.includes('/sign-in'),
      'a second factor was refused': signedInPage.status === 200 && !signedInPage.url.includes('/sign-in'),
      'a token was shut out': access.status === 200,
      'a refresh was refused': refreshed.status === 200 && refreshed.body.expires_in > 3_000,
      'a code was refused': redeemed.status === 200,
      'an expired code was taken': (await redeem(service, lateApp, expiredCode)).status === 400,
      'an approval led to no token': approved !== undefined,
    }
  }
}
