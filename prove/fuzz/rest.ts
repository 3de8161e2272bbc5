// Every operation of the document, with requests generated from what the document says of it.
import { campaign, type Outcome, type Subject } from './campaign.ts'
import type { Described } from './document.ts'
import { judgeFor } from './judgement.ts'
import { replayed } from './regressions.ts'
import { type Parties, type Plan, plansFor, requestFor } from './requests.ts'
import { sender, shown } from './sending.ts'
import type { Shops } from './shops.ts'
import { valuesOf } from './values.ts'

export interface RestOutcome extends Outcome {
  readonly operations: number
  /** Operations that never answered that they did it. */
  readonly neverDone: readonly string[]
  /** Requests of earlier findings that are answered wrongly again. */
  readonly again: number
}

const lanes = 8
const rounds = 4

export async function fuzzRest(
  { service, own, foreign, document, operations, pools }: Shops,
  { seed, requests, say }: { readonly seed: number; readonly requests: number; say(text: string): void },
): Promise<RestOutcome> {
  const parties: Parties = {
    orgId: own.orgId,
    keys: { own: own.key, 'reading only': own.readingKey, foreign: foreign.key },
    ...pools,
  }
  const judge = judgeFor(document)
  const values = valuesOf(document, parties.own.knows)
  const { send, close } = sender(service.port, lanes)
  const again = await replayed(operations, judge, send, own)
  for (const { kind, told } of again) say(`FAULT ${kind} again: ${told}`)
  const done = new Set<string>()

  const subject = (operation: Described): Subject<Plan> => ({
    name: operation.name,
    cases: plansFor(operation, values),
    runs: Math.ceil(requests / operations.length / rounds),
    async attempt(plan) {
      const request = requestFor(operation, plan, parties)
      const answer = await send(request)
      const faults = judge.faults(request.isStraying ? undefined : operation, request, answer)
      if (answer.status < 300 && answer.status > 0 && !request.isStraying) {
        done.add(operation.name)
        const isJson = String(answer.headers['content-type']).startsWith('application/json')
        if (isJson) parties.own.learn(operation, request.way, JSON.parse(answer.body.toString()).data)
      }
      return { faults, shown: () => `${shown(request)}${logged(service.said(), answer.body.toString())}` }
    },
  })
  // Each operation comes round several times, so that it meets what the others have made since.
  const subjects = Array<Subject<Plan>[]>(rounds).fill(operations.map(subject)).flat()
  const outcome = await campaign(subjects as unknown as Subject<never>[], { seed, lanes, say })
  close()
  return {
    ...outcome,
    operations: operations.length,
    again: again.length,
    neverDone: operations.map(({ name }) => name).filter((name) => !done.has(name)),
  }
}

/** What the service told its operator about a request that it could not answer. */
function logged(said: string, answer: string): string {
  const [, id] = /"requestId":"(\w+)"/.exec(answer) ?? []
  const line = id && said.split('\n').find((one) => one.includes(id))
  return line ? `\n    ${line.slice(0, 1_500)}` : ''
}
