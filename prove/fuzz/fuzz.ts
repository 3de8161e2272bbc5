// The trial: generated and hostile requests over every way in, each answer judged, and the records looked through after.
import { atLeast, none, type Result, type Trial } from '../trial.ts'
import { type FuzzOutcome, type FuzzTarget, mergeOutcomes, runCampaign } from './campaign.ts'
import { framingTarget } from './framing.ts'
import { findBrokenInvariants, invariantCount, organisationChecksum } from './invariants.ts'
import { fuzzMcp } from './mcp.ts'
import { fuzzOauth } from './oauth.ts'
import { fuzzRest } from './rest.ts'
import { type Shops, startShops } from './shops.ts'

const sizes = {
  whole: { rest: 100_000, mcp: 5_000, oauth: 5_000, framing: 600 },
  short: { rest: 400, mcp: 60, oauth: 80, framing: 20 },
}

export const fuzzTrial: Trial = {
  name: 'fuzz',
  title: 'Whatever is sent, the answer is one that is documented',
  how:
    'Requests are generated from the OpenAPI document of the running service, for every operation: good ones, nearly good ' +
    'ones and hostile ones, about records of every kind, own and foreign. The same goes for MCP tools, the OAuth ' +
    'addresses and bytes that are hardly HTTP. An answer is at fault if it is 5xx, outside the envelope, of a status or ' +
    'shape that the document does not declare for that operation, without its rate limit headers, or discloses data of another ' +
    'organisation. `FUZZ_SEED=…` repeats a run, `FUZZ_ONLY=…` a part of it.',
  async run(size, log) {
    const seed = seedFrom(process.env.FUZZ_SEED)
    log(`FUZZ_SEED=${seed}`)
    await using shops = await startShops()
    const before = await organisationChecksum(shops.fleet.database, shops.foreign.orgId)
    const wanted = sizes[size]
    const options = (requests: number) => ({ seed, requests, log })
    const rest = await fuzzRest(shops, options(wanted.rest))
    log(`REST: ${summary(rest)}, every operation done but ${rest.neverSucceeded.join(', ') || 'none'}`)
    const mcp = await fuzzMcp(shops, options(wanted.mcp))
    log(`MCP: ${summary(mcp)}`)
    const oauth = await fuzzOauth(shops, options(wanted.oauth))
    log(`OAuth: ${summary(oauth)}`)
    const framingOutcome = await fuzzFraming(shops, options(wanted.framing))
    log(`framing: ${summary(framingOutcome)}`)
    const all = mergeOutcomes([rest, mcp, oauth, framingOutcome])
    const broken = await findBrokenInvariants(shops.fleet.database)
    for (const { invariant, count } of broken) log(`FAULT ${count} ${invariant}`)
    const isUntouched = (await organisationChecksum(shops.fleet.database, shops.foreign.orgId)) === before
    const results: Result[] = [
      atLeast(`requests over ${rest.operations} operations`, wanted.rest, rest.sent),
      atLeast('calls of MCP tools', wanted.mcp, mcp.sent),
      atLeast('requests to OAuth addresses', wanted.oauth, oauth.sent),
      atLeast('connections with odd framing', wanted.framing, framingOutcome.sent),
      none(
        'kinds of answer that no document allows',
        all.violations.size,
        `${all.sent.toLocaleString('en-GB')} answers`,
      ),
      none('regressions: requests of earlier findings that fail again', rest.regressionCount),
      none('invariants of the records that do not hold', broken.length, `${invariantCount}`),
      none('records of the other organisation changed', isUntouched ? 0 : 1),
    ]
    // Few requests do not reach every operation, so the short form does not require it.
    if (size === 'whole')
      results.push(none('operations that never succeeded', rest.neverSucceeded.length, `${rest.operations}`))
    return results
  },
}

const summary = ({ sent, violations }: FuzzOutcome) =>
  `${sent.toLocaleString('en-GB')} requests, ${violations.size} kinds of fault`

function seedFrom(text: string | undefined): number {
  if (text === undefined || text === '') return Math.floor(Math.random() * 1_000_000_000)
  const seed = Number(text)
  if (!Number.isSafeInteger(seed)) throw new Error(`FUZZ_SEED must be a whole number, not ${text}`)
  return seed
}

const fuzzFraming = (
  { service, own }: Shops,
  { seed, requests, log }: { readonly seed: number; readonly requests: number; log(text: string): void },
) => {
  const lanes = 8
  const target = framingTarget(service.port, own.orgId, own.key, Math.ceil(requests / lanes))
  return runCampaign(Array<FuzzTarget<never>>(lanes).fill(target as unknown as FuzzTarget<never>), { seed, lanes, log })
}
