// How soon every process knows that a credential has changed, each having just used it.
import { setTimeout as delay } from 'node:timers/promises'
import { createKey } from '../src/identity/keys.ts'
import { scopeCatalogue } from '../src/resources/index.ts'
import { commandLine } from '../test/command-line.ts'
import { postForm } from '../test/oauth-app.ts'
import { approveApp, customersPath, type Deployment, keyHeader, tokenHeader } from './deployment.ts'
import { createHttpClient, type HttpClient } from './http-client.ts'
import { atMost, none, type Result, type Size } from './trial.ts'

const rounds = { short: 1, whole: 6 }
const latencyGoalMs = 1_000

/** A credential as one process sees it. */
type StatusProbe = () => Promise<number>

interface CredentialChange {
  readonly what: string
  /** The credential, and what is done to it; `becomes` is what it is answered from then on. */
  prepare(orgId: string): Promise<{
    headers: Record<string, string>
    expectedStatus: number
    apply(): Promise<void>
  }>
}

export async function measureRevocations(deployment: Deployment, size: Size): Promise<Result[]> {
  const { fleet, name } = deployment
  const results: Result[] = []
  let forgottenCount = 0
  for (const { what, prepare } of credentialChanges(deployment)) {
    let maxMs = 0
    for (let round = 0; round < rounds[size]; round++) {
      const { orgId } = await fleet.createShop()
      using client = createHttpClient(deployment.proxyOrigin, { from: nextAddress() })
      const { headers, expectedStatus, apply } = await prepare(orgId)
      const probes = createProbes(deployment, client, orgId, headers)
      for (let time = 0; time < 3; time++) await Promise.all(probes.map((probe) => probe())) // by now it is remembered
      await apply()
      const appliedAt = performance.now()
      maxMs = Math.max(
        maxMs,
        ...(await Promise.all(probes.map((probe) => timeUntilStatus(probe, expectedStatus, appliedAt)))),
      )
      for (const probe of probes) if ((await probe()) !== expectedStatus) forgottenCount++
    }
    results.push(atMost(`${name}: latency until every process knew of ${what}`, latencyGoalMs, maxMs, 'ms'))
  }
  return [...results, none(`${name}: processes that forgot a change again`, forgottenCount)]
}

/** Failed authentications are counted by address: each round has another one. */
let addresses = 0
const nextAddress = () => `127.1.${addresses >> 7}.${(addresses++ & 127) + 1}`

/** REST at each process that has it and MCP at each that has that, past the proxy. */
function createProbes(
  { rest, auth }: Deployment,
  client: HttpClient,
  orgId: string,
  headers: Record<string, string>,
): StatusProbe[] {
  const at = (origin: string, path: string) => async () =>
    (await client.call('GET', path, { at: origin, headers })).status
  return [
    ...rest.map(({ origin }) => at(origin, customersPath(orgId))),
    ...auth.map(({ origin }) => mcpProbe(at(origin, '/mcp'))),
  ]
}

/** GET is answered 405 there, once the credential is accepted. */
const mcpProbe =
  (probe: StatusProbe): StatusProbe =>
  async () => {
    const status = await probe()
    return status === 405 ? 200 : status
  }

async function timeUntilStatus(probe: StatusProbe, expectedStatus: number, startedAt: number): Promise<number> {
  for (;;) {
    const status = await probe()
    const afterMs = performance.now() - startedAt
    if (status === expectedStatus || afterMs > 10 * latencyGoalMs) return afterMs
    await delay(30) // polling more often would exhaust the quota
  }
}

function credentialChanges(deployment: Deployment): CredentialChange[] {
  const { fleet, settings, authService } = deployment
  const run = commandLine({ ...settings, PORT: '0' })
  const jobwright = async (...words: string[]): Promise<void> => {
    const { code, stderr } = await run(...words)
    if (code !== 0) throw new Error(stderr)
  }
  const keyChange = (verb: string, expectedStatus: number, ...before: string[]): CredentialChange => ({
    what: `a key that was ${verb}d`.replace('eed', 'ed'),
    async prepare(orgId) {
      const { id, key } = await createKey(fleet.database, orgId, { scopes: ['full'] }, scopeCatalogue)
      for (const word of before) await jobwright('key', word, orgId, id)
      return { headers: keyHeader(key), expectedStatus, apply: () => jobwright('key', verb, orgId, id) }
    },
  })
  const appChange = (
    what: string,
    expectedStatus: number,
    apply: (orgId: string, approval: Awaited<ReturnType<typeof approveApp>>) => Promise<void>,
  ): CredentialChange => ({
    what,
    async prepare(orgId) {
      const approval = await approveApp(deployment, orgId)
      return { headers: tokenHeader(approval.token), expectedStatus, apply: () => apply(orgId, approval) }
    },
  })
  return [
    keyChange('revoke', 401),
    keyChange('pause', 401),
    keyChange('resume', 200, 'pause'),
    keyChange('rotate', 401),
    appChange('a token that its app gave back at /revoke', 401, async (_orgId, { token }) => {
      const { status } = await postForm(authService, '/revoke', { token })
      if (status !== 200) throw new Error(`/revoke answered ${status}`)
    }),
    appChange('a grant that was revoked', 401, (orgId, { grantId }) =>
      jobwright('grant', 'revoke', '--org', orgId, grantId),
    ),
    appChange('an admin who is one no longer', 403, (orgId, { admin }) =>
      jobwright('member', 'set', orgId, admin.memberId, '--role', 'manager'),
    ),
  ]
}
