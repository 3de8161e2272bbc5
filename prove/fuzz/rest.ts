// Every operation of the document, with requests generated from what the document says of it.
import { type FuzzOutcome, type FuzzTarget, runCampaign } from './campaign.ts'
import { createSender, formatRequest } from './http-sender.ts'
import type { DescribedOperation } from './openapi-document.ts'
import { replayRegressions } from './regressions.ts'
import { buildRequest, type Parties, planArbitrary, type RequestPlan } from './requests.ts'
import { createResponseChecker } from './response-checks.ts'
import type { Shops } from './shops.ts'
import { valuesOf } from './values.ts'

export interface RestOutcome extends FuzzOutcome {
  readonly operations: number
  /** Operations that never answered that they did it. */
  readonly neverSucceeded: readonly string[]
  /** Requests of earlier findings that are answered wrongly again. */
  readonly regressionCount: number
}

const lanes = 8
const rounds = 4

export async function fuzzRest(
  { service, own, foreign, document, operations, pools }: Shops,
  { seed, requests, log }: { readonly seed: number; readonly requests: number; log(text: string): void },
): Promise<RestOutcome> {
  const parties: Parties = {
    orgId: own.orgId,
    keys: { own: own.key, 'reading only': own.readingKey, foreign: foreign.key },
    ...pools,
  }
  const checker = createResponseChecker(document)
  const values = valuesOf(document, parties.own.knows)
  const { send, close } = createSender(service.port, lanes)
  const regressions = await replayRegressions(operations, checker, send, own)
  for (const { kind, detail } of regressions) log(`FAULT ${kind} again: ${detail}`)
  const succeeded = new Set<string>()

  const target = (operation: DescribedOperation): FuzzTarget<RequestPlan> => ({
    name: operation.name,
    cases: planArbitrary(operation, values),
    runs: Math.ceil(requests / operations.length / rounds),
    async attempt(plan) {
      const request = buildRequest(operation, plan, parties)
      const answer = await send(request)
      const violations = checker.violations(request.mayReroute ? undefined : operation, request, answer)
      if (answer.status < 300 && answer.status > 0 && !request.mayReroute) {
        succeeded.add(operation.name)
        const isJson = String(answer.headers['content-type']).startsWith('application/json')
        if (isJson) parties.own.learn(operation, request.pathIds, JSON.parse(answer.body.toString()).data)
      }
      return {
        violations,
        reproduction: () => `${formatRequest(request)}${findLogLine(service.output(), answer.body.toString())}`,
      }
    },
  })
  // Each operation comes round several times, so that it meets what the others have made since.
  const targets = Array<FuzzTarget<RequestPlan>[]>(rounds).fill(operations.map(target)).flat()
  const outcome = await runCampaign(targets as unknown as FuzzTarget<never>[], { seed, lanes, log })
  close()
  return {
    ...outcome,
    operations: operations.length,
    regressionCount: regressions.length,
    neverSucceeded: operations.map(({ name }) => name).filter((name) => !succeeded.has(name)),
  }
}

/** What the service logged about a request that it answered 5xx. */
function findLogLine(log: string, answer: string): string {
  const [, id] = /"requestId":"(\w+)"/.exec(answer) ?? []
  const line = id && log.split('\n').find((one) => one.includes(id))
  return line ? `\n    ${line.slice(0, 1_500)}` : ''
}
