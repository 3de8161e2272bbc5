// The trial: generated and hostile requests over every way in, each answer judged, and the records looked through after.
import { atLeast, type Figure, none, type Trial } from '../trial.ts'
import { campaign, joined, type Outcome, type Subject } from './campaign.ts'
import { framing } from './framing.ts'
import { brokenPromises, promises, rowsOf } from './invariants.ts'
import { fuzzMcp } from './mcp.ts'
import { fuzzOauth } from './oauth.ts'
import { fuzzRest } from './rest.ts'
import { openShops, type Shops } from './shops.ts'

const sizes = {
  whole: { rest: 100_000, mcp: 5_000, oauth: 5_000, framing: 600 },
  short: { rest: 2_000, mcp: 250, oauth: 250, framing: 40 },
}

export const fuzz: Trial = {
  name: 'fuzz',
  title: 'Whatever is sent, the answer is one that is documented',
  how:
    'Requests are generated from the OpenAPI document of the running service, for every operation: good ones, nearly good ' +
    'ones and hostile ones, about records of every kind, own and foreign. The same goes for MCP tools, the OAuth ' +
    'addresses and bytes that are hardly HTTP. An answer is at fault if it is 5xx, outside the envelope, of a status or ' +
    'shape that the document does not declare for that operation, without its rate limit, or tells of another ' +
    'organisation. `FUZZ_SEED=…` repeats a run, `FUZZ_ONLY=…` a part of it.',
  async run(size, say) {
    const seed = seedFrom(process.env.FUZZ_SEED)
    say(`FUZZ_SEED=${seed}`)
    await using shops = await openShops()
    const before = await rowsOf(shops.fleet.database, shops.foreign.orgId)
    const wanted = sizes[size]
    const about = (requests: number) => ({ seed, requests, say })
    const rest = await fuzzRest(shops, about(wanted.rest))
    say(`REST: ${told(rest)}, every operation done but ${rest.neverDone.join(', ') || 'none'}`)
    const mcp = await fuzzMcp(shops, about(wanted.mcp))
    say(`MCP: ${told(mcp)}`)
    const oauth = await fuzzOauth(shops, about(wanted.oauth))
    say(`OAuth: ${told(oauth)}`)
    const framed = await fuzzFraming(shops, about(wanted.framing))
    say(`framing: ${told(framed)}`)
    const all = joined([rest, mcp, oauth, framed])
    const broken = await brokenPromises(shops.fleet.database)
    for (const { promise, count } of broken) say(`FAULT ${count} ${promise}`)
    const isUntouched = (await rowsOf(shops.fleet.database, shops.foreign.orgId)) === before
    const figures: Figure[] = [
      atLeast(`requests over ${rest.operations} operations`, wanted.rest, rest.sent),
      atLeast('calls of MCP tools', wanted.mcp, mcp.sent),
      atLeast('requests to OAuth addresses', wanted.oauth, oauth.sent),
      atLeast('connections with odd framing', wanted.framing, framed.sent),
      none('kinds of answer that no document allows', all.faults.size, `${all.sent.toLocaleString('en-GB')} answers`),
      none('requests of earlier findings that fail again', rest.again),
      none('promises about the records that do not hold', broken.length, `${promises}`),
      none('records of the other organisation changed', isUntouched ? 0 : 1),
    ]
    // Few requests do not reach everything, so the short form does not ask for it.
    if (size === 'whole')
      figures.push(none('operations that never succeeded', rest.neverDone.length, `${rest.operations}`))
    return figures
  },
}

const told = ({ sent, faults }: Outcome) => `${sent.toLocaleString('en-GB')} requests, ${faults.size} kinds of fault`

function seedFrom(given: string | undefined): number {
  if (given === undefined || given === '') return Math.floor(Math.random() * 1_000_000_000)
  const seed = Number(given)
  if (!Number.isSafeInteger(seed)) throw new Error(`FUZZ_SEED must be a whole number, not ${given}`)
  return seed
}

const fuzzFraming = (
  { service, own }: Shops,
  { seed, requests, say }: { readonly seed: number; readonly requests: number; say(text: string): void },
) => {
  const lanes = 8
  const part = framing(service.port, own.orgId, own.key, Math.ceil(requests / lanes))
  return campaign(Array<Subject<never>>(lanes).fill(part as unknown as Subject<never>), { seed, lanes, say })
}
