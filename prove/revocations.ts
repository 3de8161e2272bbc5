// How soon every process knows that a credential has changed, each having just used it.
import { setTimeout as delay } from 'node:timers/promises'
import { createKey } from '../src/identity/keys.ts'
import { commandLine } from '../test/command-line.ts'
import { post } from '../test/oauth-app.ts'
import { type Caller, caller } from './caller.ts'
import { approved, customersOf, type Several, withKey, withToken } from './several.ts'
import { atMost, type Figure, none, type Size } from './trial.ts'

const rounds = { short: 1, whole: 6 }
const limitMs = 1_000

/** A credential as one process sees it. */
type Look = () => Promise<number>

interface Change {
  readonly what: string
  /** The credential, and what is done to it; `becomes` is what it is answered from then on. */
  prepare(orgId: string): Promise<{
    headers: Record<string, string>
    becomes: number
    carryOut(): Promise<void>
  }>
}

export async function revocations(several: Several, size: Size): Promise<Figure[]> {
  const { fleet, name } = several
  const figures: Figure[] = []
  let returned = 0
  for (const { what, prepare } of changes(several)) {
    let longestMs = 0
    for (let round = 0; round < rounds[size]; round++) {
      const { orgId } = await fleet.shop()
      using program = caller(several.front, { from: nextAddress() })
      const { headers, becomes, carryOut } = await prepare(orgId)
      const looks = looksAt(several, program, orgId, headers)
      for (let time = 0; time < 3; time++) await Promise.all(looks.map((look) => look())) // by now it is remembered
      await carryOut()
      const done = performance.now()
      longestMs = Math.max(longestMs, ...(await Promise.all(looks.map((look) => seenAfter(look, becomes, done)))))
      for (const look of looks) if ((await look()) !== becomes) returned++
    }
    figures.push(atMost(`${name}: until every process knew of ${what}`, limitMs, longestMs, 'ms'))
  }
  return [...figures, none(`${name}: processes that forgot a change again`, returned)]
}

/** Failed tries are counted by address: each round is somebody else. */
let addresses = 0
const nextAddress = () => `127.1.${addresses >> 7}.${(addresses++ & 127) + 1}`

/** REST at each process that has it and MCP at each that has that, past the proxy. */
function looksAt({ rest, auth }: Several, program: Caller, orgId: string, headers: Record<string, string>): Look[] {
  const at = (origin: string, path: string) => async () =>
    (await program.call('GET', path, { at: origin, headers })).status
  return [
    ...rest.map(({ origin }) => at(origin, customersOf(orgId))),
    ...auth.map(({ origin }) => admittedToMcp(at(origin, '/mcp'))),
  ]
}

/** There is nothing to GET there, which only those are told who are let in. */
const admittedToMcp =
  (look: Look): Look =>
  async () => {
    const status = await look()
    return status === 405 ? 200 : status
  }

async function seenAfter(look: Look, becomes: number, since: number): Promise<number> {
  for (;;) {
    const status = await look()
    const afterMs = performance.now() - since
    if (status === becomes || afterMs > 10 * limitMs) return afterMs
    await delay(30) // asking more often would use the quota up
  }
}

function changes(several: Several): Change[] {
  const { fleet, settings, site } = several
  const typed = commandLine({ ...settings, PORT: '0' })
  const jobwright = async (...words: string[]): Promise<void> => {
    const { code, stderr } = await typed(...words)
    if (code !== 0) throw new Error(stderr)
  }
  const key = (verb: string, becomes: number, ...before: string[]): Change => ({
    what: `a key that was ${verb}d`.replace('eed', 'ed'),
    async prepare(orgId) {
      const { id, key } = await createKey(fleet.database, orgId, { scopes: ['full'] })
      for (const word of before) await jobwright('key', word, orgId, id)
      return { headers: withKey(key), becomes, carryOut: () => jobwright('key', verb, orgId, id) }
    },
  })
  const app = (
    what: string,
    becomes: number,
    carryOut: (orgId: string, made: Awaited<ReturnType<typeof approved>>) => Promise<void>,
  ): Change => ({
    what,
    async prepare(orgId) {
      const made = await approved(several, orgId)
      return { headers: withToken(made.token), becomes, carryOut: () => carryOut(orgId, made) }
    },
  })
  return [
    key('revoke', 401),
    key('pause', 401),
    key('resume', 200, 'pause'),
    key('rotate', 401),
    app('a token that its app gave back at /revoke', 401, async (_orgId, { token }) => {
      const { status } = await post(site, '/revoke', { token })
      if (status !== 200) throw new Error(`/revoke answered ${status}`)
    }),
    app('a grant that was revoked', 401, (orgId, { grantId }) => jobwright('grant', 'revoke', '--org', orgId, grantId)),
    app('an admin who is one no longer', 403, (orgId, { admin }) =>
      jobwright('member', 'set', orgId, admin.memberId, '--role', 'manager'),
    ),
  ]
}
