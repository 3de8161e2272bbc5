// The wall clock of the process jumps by an hour, either way, while it runs: nothing opens, and nobody is locked out.
import { globSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../src/database.ts'
import { createKey } from '../../src/identity/keys.ts'
import { code, read, redeem, refresh, register, tokens } from '../../test/oauth-app.ts'
import { person, signInOn, Visitor } from '../../test/visitor.ts'
import type { Site } from '../../test/world.ts'
import { placeOf } from '../place.ts'
import { type Figure, none } from '../trial.ts'
import { ask } from './callers.ts'
import { type Fault, type Scene, serving } from './scene.ts'

const quota = 50
const halfAnHourMs = 1_800_000

export const clockJumps: Fault = async (scene) => {
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
    await using instance = await serving(scene, {
      ...limits,
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    })
    const place = placeOf(scene.fleet, instance, limits)
    const figures: Figure[] = []
    for (const jump of ['+1h', '-1h'] as const) {
      figures.push(...(await jumped(scene, place, jump, () => writeFile(file, jump))))
      await writeFile(file, '+0')
    }
    return figures
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function jumped(scene: Scene, place: Site, by: '+1h' | '-1h', jump: () => Promise<void>): Promise<Figure[]> {
  const { fleet, shop } = scene
  const people = await settled(scene, place)
  const keyFor = async (expiresInMs: number) =>
    (await createKey(fleet.database, shop.orgId, { scopes: ['full'], expiresAt: new Date(Date.now() + expiresInMs) }))
      .key
  const asked = async (key: string) => (await ask(place.origin, { ...shop, key }, 'read')).status
  const [living, dead, tired] = [await keyFor(halfAnHourMs), await keyFor(-halfAnHourMs), await keyFor(halfAnHourMs)]
  const unused = [await keyFor(halfAnHourMs), await keyFor(-halfAnHourMs)]
  await asked(living)
  await asked(dead)
  for (let n = 0; n <= quota; n++) await asked(tired)

  await jump()
  await delay(1_500) // the date in answers is renewed once a second
  const shown = await fetch(`${place.origin}/health/live`)
  const offMs = Date.parse(shown.headers.get('date')!) - Date.now()
  const hasJumped = Math.abs(offMs - (by === '+1h' ? 3_600_000 : -3_600_000)) < 10_000
  const spent = await fetch(`${place.origin}/api/v1/organisations/${shop.orgId}/customers`, {
    headers: { 'x-api-key': tired },
  })
  const retrySeconds = Number(spent.headers.get('retry-after'))

  const checks: Readonly<Record<string, boolean>> = {
    'the clock did not jump': hasJumped,
    'a key in use was shut out': (await asked(living)) === 200,
    'a key used for the first time was shut out': (await asked(unused[0]!)) === 200,
    'an expired key was let in': (await asked(dead)) === 401 && (await asked(unused[1]!)) === 401,
    'a spent quota began anew': spent.status === 429,
    'a spent quota was said to last longer': retrySeconds >= 1 && retrySeconds <= 60,
    ...(await people()),
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

/** What people and apps hold before the clock jumps, and whether it is worth the same afterwards. */
async function settled({ fleet, shop }: Scene, place: Site): Promise<() => Promise<Record<string, boolean>>> {
  const admin = await person(place, shop.orgId)
  // Each app has one approval, which a later one of the same person would replace.
  const [holder, waiting, late, newcomer] = [
    await register(place),
    await register(place),
    await register(place),
    await register(place),
  ]
  const held = await tokens(place, holder, admin)
  const { visitor } = held
  const inTime = await code(place, waiting, admin, { visitor })
  const tooLate = await code(place, late, admin, { visitor })
  await fleet.database.query(sql`
    update oauth_tokens set expires_at = now() - interval '1 second'
    where grant_id in (select id from grants where client_id = ${late.client.client_id})`)
  return async () => {
    const portal = await visitor.open(`/portal/${shop.orgId}`)
    const other = new Visitor(place.config.authUrl)
    const inside = await signInOn(other, place, await other.open('/sign-in'), admin)
    const access = await read(place, shop.orgId, held.access_token)
    const refreshed = await refresh(place, holder, held.refresh_token)
    const redeemed = await redeem(place, waiting, inTime)
    const approved = await tokens(place, newcomer, admin, { visitor }).catch(() => undefined)
    return {
      'a session ended': portal.status === 200 && !portal.url.includes('/sign-in'),
      'a second factor was refused': inside.status === 200 && !inside.url.includes('/sign-in'),
      'a token was shut out': access.status === 200,
      'a refresh was refused': refreshed.status === 200 && refreshed.body.expires_in > 3_000,
      'a code was refused': redeemed.status === 200,
      'an expired code was taken': (await redeem(place, late, tooLate)).status === 400,
      'an approval led to no token': approved !== undefined,
    }
  }
}
