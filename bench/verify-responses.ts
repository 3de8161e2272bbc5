// Before anything is measured: every target must answer the same data to the same request, or speed means nothing.
import { inspect, isDeepStrictEqual } from 'node:util'
import type { Customer } from './customers.ts'
import type { Organisation } from './data.ts'
import type { RunningTarget } from './rounds.ts'
import { type RequestSpec, requestSpecs, type Workload, workloads } from './workloads.ts'

const samplesPerWorkload = 5
const timeoutMs = 10_000

export async function assertSameResponses(
  runningTargets: readonly RunningTarget[],
  organisations: readonly Organisation[],
): Promise<void> {
  const first = runningTargets[0]!
  for (const spec of workloads.flatMap((work) => requestSpecs(work, organisations, samplesPerWorkload))) {
    const expected = await fetchAnswer(first, spec)
    for (const runningTarget of runningTargets) {
      const { target } = runningTarget
      if (!(target.workloads?.includes(spec.workload) ?? true)) continue
      const actual = await fetchAnswer(runningTarget, spec)
      const [expectedData, actualData] = target.customers
        ? [customersIn(expected), target.customers(actual)]
        : [comparableData(expected, spec.workload), comparableData(actual, spec.workload)]
      const same = target.isEarlier ? sameFields(expectedData, actualData) : expectedData
      if (isDeepStrictEqual(actualData, same)) continue
      throw new Error(
        `${first.target.name} and ${target.name} answer a ${spec.workload} differently:\n${inspect(expectedData)}\n${inspect(actualData)}`,
      )
    }
  }
}

async function fetchAnswer({ target, server }: RunningTarget, spec: RequestSpec): Promise<unknown> {
  const { method, path, headers, body } = target.request(spec)
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers,
    signal: AbortSignal.timeout(timeoutMs),
    ...(body && { body }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${target.name} answered a ${spec.workload} with ${response.status}: ${text}`)
  return JSON.parse(text)
}

/** What is created twice are two records: they differ in nothing but their id and time. */
function comparableData(answer: unknown, work: Workload): unknown {
  const { data } = answer as { data: object }
  const isNew = work === 'create' || work === 'openJob'
  return isNew ? { ...data, id: null, ticketNumber: null, createdAt: null, updatedAt: null } : data
}

/** Without the fields that the other does not have: an earlier release answers fewer. */
function sameFields(value: unknown, other: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(other)) return value.map((item, index) => sameFields(item, other[index]))
  if (!isRecord(value) || !isRecord(other)) return value
  const known = Object.entries(value).filter(([field]) => field in other)
  return Object.fromEntries(known.map(([field, item]) => [field, sameFields(item, other[field])]))
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

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
