// Before anything is measured: every target must answer the same data to the same errand, or speed means nothing.
import { inspect, isDeepStrictEqual } from 'node:util'
import type { Organisation } from './data.ts'
import { type Errand, errandsOf, works } from './errands.ts'
import type { Contender } from './rounds.ts'

const triesEach = 5
const timeoutMs = 10_000

export async function refuseDisagreement(
  contenders: readonly Contender[],
  organisations: readonly Organisation[],
): Promise<void> {
  for (const errand of works.flatMap((work) => errandsOf(work, organisations, triesEach))) {
    const answers = await Promise.all(contenders.map((contender) => answer(contender, errand)))
    const [expected] = answers
    for (const [index, given] of answers.entries()) {
      if (isDeepStrictEqual(given, expected)) continue
      const [first, other] = [contenders[0]!.target.name, contenders[index]!.target.name]
      throw new Error(
        `${first} and ${other} answer a ${errand.work} differently:\n${inspect(expected)}\n${inspect(given)}`,
      )
    }
  }
}

async function answer({ target, running }: Contender, errand: Errand): Promise<unknown> {
  const { method, path, headers, body } = target.request(errand)
  const response = await fetch(`http://127.0.0.1:${running.port}${path}`, {
    method,
    headers,
    signal: AbortSignal.timeout(timeoutMs),
    ...(body && { body }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${target.name} answered a ${errand.work} with ${response.status}: ${text}`)
  const { data } = JSON.parse(text)
  // What is created twice are two records: they differ in nothing but their id and time.
  const isNew = errand.work === 'create' || errand.work === 'openJob'
  return isNew ? { ...data, id: null, ticketNumber: null, createdAt: null, updatedAt: null } : data
}
