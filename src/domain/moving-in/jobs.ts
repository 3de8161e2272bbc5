// Jobs and devices: what the shop works on.

import { hourMs } from '../durations.ts'
import type { Stage } from '../gates.ts'
import { foldKey } from './contacts.ts'
import { fitNotes, readCustomerRef, readExternalId } from './customers.ts'
import type { Draft } from './draft.ts'
import type { Profile } from './profile.ts'
import { cut, type RecordReader, truncate } from './reader.ts'

export function readDevice(reader: RecordReader, profile: Profile | undefined): Draft {
  const text = (name: string, length: number) => {
    const value = reader.text(name)
    return value === undefined ? undefined : truncate(value, length)
  }
  const values = {
    type: text('type', 100),
    brand: text('brand', 100),
    make: text('make', 100),
    model: text('model', 100),
    identifier: text('identifier', 120),
    name: text('name', 120),
  }
  if (Object.values(values).every((value) => value === undefined))
    reader.problem(null, 'nothing is said of the device', 'write its type, model or serial number into the row')
  return {
    kind: 'devices',
    values: { ...values, externalId: readExternalId(reader, profile), externalNumber: text('externalNumber', 120) },
    customer: readCustomerRef(reader),
    problems: reader.problems,
    repairs: reader.repairs,
  }
}

/** More than the name of any status. */
const longestStatus = 200

export function readJob(reader: RecordReader, profile: Profile | undefined): Draft {
  const number = reader.text('number')
  const rest: string[] = []
  const description = reader.text('description')
  const from = reader.date('scheduledFrom')
  const to = reader.date('scheduledTo')
  const customer = readCustomerRef(reader)
  const title = cut(reader, 'title', reader.text('title'), 500, rest)
  const notes = [...reader.notes(), ...rest]
  const priority = reader.text('priority')?.toLowerCase()
  return {
    kind: 'jobs',
    values: {
      serviceRequired: title,
      description: description === undefined ? undefined : fitNotes(reader, [description], 10_000),
      ...(priority && ['low', 'normal', 'high', 'urgent'].includes(priority) && { priority }),
      customerDeviceType: reader.text('deviceType')?.slice(0, 100),
      customerDeviceName: reader.text('deviceName')?.slice(0, 120),
      address: customer.address?.slice(0, 500),
      ...(from && scheduleOf(from, to)),
      externalId: readExternalId(reader, profile) ?? number?.slice(0, 120),
      externalNumber: number?.slice(0, 120),
    },
    customer,
    status: reader.text('status')?.slice(0, longestStatus),
    createdAt: reader.date('createdAt')?.instant,
    closedAt: reader.date('closedAt')?.instant,
    message: notes.length > 0 ? fitNotes(reader, notes, 10_000) : undefined,
    problems: reader.problems,
    repairs: reader.repairs,
  }
}

/** A day without a time is a whole day; what says no end takes an hour. */
function scheduleOf(from: { instant: string; isDay: boolean }, to: { instant: string } | undefined) {
  const end = to && to.instant > from.instant ? to.instant : new Date(Date.parse(from.instant) + hourMs).toISOString()
  return { scheduledFrom: from.instant, scheduledTo: end, ...(from.isDay && { scheduledAllDay: true }) }
}

export interface JobStatus {
  readonly name: string
  readonly stage: Stage
}

/** A status of the shop's own by its name, else by what the words mean; a job that was closed is closed. */
export function chooseStatus(
  { status, closedAt }: Pick<Draft, 'status' | 'closedAt'>,
  statuses: readonly JobStatus[],
): { readonly name: string | undefined; readonly isGuess: boolean } {
  const wanted = status && foldKey(status)
  const own = wanted && statuses.find(({ name }) => foldKey(name) === wanted)
  if (own && (!closedAt || own.stage === 'closed')) return { name: own.name, isGuess: false }
  const inStage = (stage: Stage) => statuses.find((one) => one.stage === stage)?.name
  if (closedAt || (status && closedWords.test(status))) return { name: inStage('closed'), isGuess: !closedAt }
  if (status && startedWords.test(status)) return { name: inStage('inProgress'), isGuess: true }
  return { name: inStage('open'), isGuess: status !== undefined }
}

const closedWords = /clos|complet|done|finish|paid|invoiced|archiv|cancel|resolved|collected|picked up|won|lost/i
const startedWords = /progress|started|working|repair|on.?site|travel|diagnos|wait|part/i
