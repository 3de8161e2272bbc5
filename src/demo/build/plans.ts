// What happens to each job of the sample shop, and when: from the front desk over the bench to the day it is fetched.
import type { Row } from '../../db/database.ts'
import { dayMs, minuteMs } from '../../domain/durations.ts'
import type { InvoiceSpec, QuoteSpec } from '../data/billing.ts'
import type { Status } from '../data/catalogue.ts'
import { regularCustomers } from '../data/customers.ts'
import type { DeviceKind } from '../data/devices.ts'
import type { Job, MessageSpec, WorkSpec } from '../data/job.ts'
import { defaultWork, jobs } from '../data/jobs.ts'
import { manager } from '../data/staff.ts'
import { createRandom, type Random } from './random.ts'
import { walkInBilling } from './walk-in-billing.ts'
import type { Week } from './week.ts'

/** Somebody who came, the rows that were made of them, and the kinds of the things they own. */
export interface CustomerRecord {
  readonly index: number
  readonly customer: Row
  readonly devices: readonly { readonly kind: DeviceKind; readonly row: Row }[]
}

export interface StatusChange {
  readonly at: number
  readonly by: string
  readonly to: Status
}

export interface Plan {
  readonly customer: Row
  readonly device: Row | undefined
  readonly workSpec: WorkSpec
  readonly discount?: Job['discount']
  readonly createdAt: number
  readonly assignedAt: number | undefined
  /** When its lines were written. */
  readonly soldAt: number
  readonly changes: readonly StatusChange[]
  readonly remarks: readonly { readonly at: number; readonly remark: MessageSpec }[]
  readonly visit: { readonly from: number; readonly to: number } | undefined
  readonly quote?: QuoteSpec | undefined
  readonly invoice?: InvoiceSpec | undefined
}

/** About one for each, in the order in which they were brought in. */
export function plansFor(customerRecords: readonly CustomerRecord[], week: Week): Plan[] {
  const known = new Map(
    jobs.map((job) => [job, regularCustomers.findIndex(({ firstName }) => firstName === job.customer)]),
  )
  const plans = customerRecords.flatMap((customerRecord) =>
    regularCustomers[customerRecord.index]
      ? jobs
          .filter((job) => known.get(job) === customerRecord.index)
          .map((job) => planRegularJob(job, customerRecord, week))
      : [planWalkInJob(customerRecord, week)],
  )
  return plans.sort((a, b) => a.createdAt - b.createdAt)
}

/** A job of a regular. Their records are at least as old as the job. */
function planRegularJob(job: Job, { index, customer, devices }: CustomerRecord, week: Week): Plan {
  const random = createRandom(index * 1_000 + jobs.indexOf(job))
  const createdAt = createdTime(job, random, week)
  const device = devices.find(({ kind }) => kind === job.thing)?.row
  backdate(customer, createdAt - 9 * minuteMs)
  if (device) backdate(device, createdAt - 4 * minuteMs)
  const visit = job.visit && visitOf(job.visit, week)
  const path = visit
    ? visitChanges(visit, job, week)
    : changesUntil(
        statusOf(job),
        job,
        createdAt,
        job.closedAfter === undefined ? 0 : closedTime(job, createdAt, random, week),
      )
  const { discount, quote, invoice } = job
  const result = { ...buildPlan(customer, device, job, createdAt, path), discount, visit, quote, invoice }
  // A price that is named before the visit is worked out before it.
  return visit && quote ? { ...result, soldAt: createdAt + 5 * minuteMs } : result
}

function createdTime({ visit, daysAgo = 1 }: Job, { below }: Random, week: Week): number {
  const minute = below(300)
  return visit ? week.at(below(6) - 7, '09:00') + minute * minuteMs : week.openingTime(daysAgo, minute)
}

function backdate(row: Row, moment: number): void {
  if ((row.created_at as Date).getTime() > moment) row.created_at = row.updated_at = new Date(moment)
}

const statusOf = ({ status, closedAfter }: Job): Status => status ?? (closedAfter === undefined ? 'Open' : 'Closed')

function closedTime({ daysAgo = 1, closedAfter = 0 }: Job, createdAt: number, { below }: Random, week: Week): number {
  return Math.max(createdAt + 180 * minuteMs, week.openingTime(daysAgo - closedAfter, below(480)))
}

function visitOf([day, time, minutes]: NonNullable<Job['visit']>, week: Week) {
  const from = week.at(day, time)
  return { from, to: from + minutes * minuteMs }
}

/** How far a visit has come depends on the day somebody looks. */
function visitChanges(
  { from, to }: { from: number; to: number },
  { who = manager }: WorkSpec,
  { now }: Week,
): StatusChange[] {
  const changes: StatusChange[] = [
    { at: from, by: who, to: 'In Progress' },
    { at: to, by: who, to: 'Closed' },
  ]
  return changes.filter(({ at }) => at <= now)
}

/** The way of a thing through the workshop. */
function changesUntil(
  status: Status,
  { who = manager, where }: WorkSpec,
  createdAt: number,
  closedAt: number,
): StatusChange[] {
  if (status === 'Open') return []
  const started: StatusChange = { at: createdAt + 45 * minuteMs, by: who, to: 'In Progress' }
  if (status === 'In Progress') return [started]
  if (status !== 'Closed') return [started, { at: createdAt + 150 * minuteMs, by: who, to: status }]
  // What was done at the customer's place is not fetched.
  if (where === 'Van') return [started, { at: closedAt, by: who, to: 'Closed' }]
  const ready: StatusChange = { at: closedAt - 40 * minuteMs, by: who, to: 'Ready for pickup' }
  return [started, ready, { at: closedAt, by: manager, to: 'Closed' }]
}

function buildPlan(
  customer: Row,
  device: Row | undefined,
  workSpec: WorkSpec & Partial<Pick<Job, 'says' | 'visit'>>,
  createdAt: number,
  changes: readonly StatusChange[],
): Plan {
  const workAt = changes[0]?.at ?? createdAt
  // A visit is talked about when it is arranged, a thing when somebody has looked into it.
  const talkAt = workSpec.visit ? createdAt + 20 * minuteMs : workAt
  return {
    customer,
    device,
    workSpec,
    createdAt,
    assignedAt: workSpec.who && createdAt + 15 * minuteMs,
    soldAt: workAt + 5 * minuteMs,
    changes,
    remarks: (workSpec.says ?? []).map((remark, position) => ({ at: talkAt + (position + 1) * 20 * minuteMs, remark })),
    visit: undefined,
  }
}

const recentDays = 21

/** Others bring what the regulars bring, when they come first. Only what came lately is still there. */
function planWalkInJob({ index, customer, devices }: CustomerRecord, week: Week): Plan {
  const random = createRandom(-1 - index)
  const device = devices.length > 0 ? random.pick(devices) : undefined
  const similarJobs = jobs.filter(({ thing }) => device && thing === device.kind)
  const { thing, asks, details, priority, who, where, does, uses } =
    similarJobs.length > 0 ? random.pick(similarJobs) : defaultWork
  const workSpec = {
    thing,
    asks,
    ...(details && { details }),
    ...(priority && { priority }),
    ...(who && where && { who: who === 'Alec' ? ('Tomasz' as const) : who, where }),
    ...(does && { does }),
    ...(uses && { uses }),
  }
  const createdAt = ((device?.row ?? customer).created_at as Date).getTime() + 3 * minuteMs
  const isRecent = week.now - createdAt < recentDays * dayMs
  const status = isRecent ? random.pick(recentStatuses) : 'Closed'
  const later = createdAt + (1 + random.below(5)) * dayMs
  const closedAt = later < week.now ? later : createdAt + 180 * minuteMs
  return {
    ...buildPlan(customer, device?.row, workSpec, createdAt, changesUntil(status, workSpec, createdAt, closedAt)),
    ...walkInBilling(createRandom(-1_000_003 - index), workSpec, status, customer.business_name !== undefined),
  }
}

const recentStatuses: readonly Status[] = [
  'Open',
  'In Progress',
  'Waiting for parts',
  'Ready for pickup',
  'Closed',
  'Closed',
]
