// Before anything is measured: every target must answer the same data to the same errand, or speed means nothing.
import { inspect, isDeepStrictEqual } from 'node:util'
import type { Customer } from './customers.ts'
import type { Organisation } from './data.ts'
import { type Errand, errandsOf, type Work, works } from './errands.ts'
import type { Contender } from './rounds.ts'

const triesEach = 5
const timeoutMs = 10_000

export async function refuseDisagreement(
  contenders: readonly Contender[],
  organisations: readonly Organisation[],
): Promise<void> {
  const first = contenders[0]!
  for (const errand of works.flatMap((work) => errandsOf(work, organisations, triesEach))) {
    const expected = await answer(first, errand)
    for (const contender of contenders) {
      const { target } = contender
      if (!(target.works?.includes(errand.work) ?? true)) continue
      const given = await answer(contender, errand)
      const [wanted, told] = target.customers
        ? [customersIn(expected), target.customers(given)]
        : [dataIn(expected, errand.work), dataIn(given, errand.work)]
      if (isDeepStrictEqual(told, wanted)) continue
      throw new Error(
        `${first.target.name} and ${target.name} answer a ${errand.work} differently:\n${inspect(wanted)}\n${inspect(told)}`,
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
  return JSON.parse(text)
}

/** What is created twice are two records: they differ in nothing but their id and time. */
function dataIn(answer: unknown, work: Work): unknown {
  const { data } = answer as { data: object }
  const isNew = work === 'create' || work === 'openJob'
  return isNew ? { ...data, id: null, ticketNumber: null, createdAt: null, updatedAt: null } : data
}

function customersIn(answer: unknown): readonly Customer[] {
  const { data } = answer as { data: Customer & { customers?: readonly Customer[] } }
  return (data.customers ?? [data]).map(({ firstName, lastName, email, phone, businessName, address, notes }) => ({
    firstName,
    lastName,
    email,
    phone,
    businessName,
    address,
    notes,
  }))
}
