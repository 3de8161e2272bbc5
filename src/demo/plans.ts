// What happens to each job of the sample shop, and when: from the front desk over the bench to the day it is fetched.
import type { Row } from '../database.ts'
import type { Status } from './catalogue.ts'
import { regulars } from './customers.ts'
import type { Kind } from './devices.ts'
import type { Errand, Job, Remark } from './job.ts'
import { anything, jobs } from './jobs.ts'
import { ordinaryPapers } from './ordinary-papers.ts'
import type { Bill, Offer } from './paper.ts'
import { type Chance, chance } from './random.ts'
import { manager } from './staff.ts'
import type { Week } from './week.ts'

/** Somebody who came, the rows that were made of them, and the kinds of the things they own. */
export interface Visitor {
  readonly place: number
  readonly customer: Row
  readonly devices: readonly { readonly kind: Kind; readonly row: Row }[]
}

export interface Change {
  readonly at: number
  readonly by: string
  readonly to: Status
}

export interface Plan {
  readonly customer: Row
  readonly device: Row | undefined
  readonly errand: Errand
  readonly discount?: Job['discount']
  readonly createdAt: number
  readonly assignedAt: number | undefined
  /** When its lines were written. */
  readonly soldAt: number
  readonly changes: readonly Change[]
  readonly remarks: readonly { readonly at: number; readonly remark: Remark }[]
  readonly visit: { readonly from: number; readonly to: number } | undefined
  readonly quote?: Offer | undefined
  readonly invoice?: Bill | undefined
}

const minuteMs = 60_000
const dayMs = 86_400_000

/** About one for each, in the order in which they were brought in. */
export function plansFor(visitors: readonly Visitor[], week: Week): Plan[] {
  const known = new Map(jobs.map((job) => [job, regulars.findIndex(({ firstName }) => firstName === job.customer)]))
  const plans = visitors.flatMap((visitor) =>
    regulars[visitor.place]
      ? jobs.filter((job) => known.get(job) === visitor.place).map((job) => planned(job, visitor, week))
      : [supposed(visitor, week)],
  )
  return plans.sort((a, b) => a.createdAt - b.createdAt)
}

/** A job of a regular. Their records are at least as old as the job. */
function planned(job: Job, { place, customer, devices }: Visitor, week: Week): Plan {
  const luck = chance(place * 1_000 + jobs.indexOf(job))
  const createdAt = broughtIn(job, luck, week)
  const device = devices.find(({ kind }) => kind === job.thing)?.row
  madeBefore(customer, createdAt - 9 * minuteMs)
  if (device) madeBefore(device, createdAt - 4 * minuteMs)
  const visit = job.visit && visitOf(job.visit, week)
  const path = visit
    ? visited(visit, job, week)
    : changesUntil(
        statusOf(job),
        job,
        createdAt,
        job.closedAfter === undefined ? 0 : closing(job, createdAt, luck, week),
      )
  const { discount, quote, invoice } = job
  const result = { ...plan(customer, device, job, createdAt, path), discount, visit, quote, invoice }
  // A price that is named before the visit is worked out before it.
  return visit && quote ? { ...result, soldAt: createdAt + 5 * minuteMs } : result
}

function broughtIn({ visit, daysAgo = 1 }: Job, { below }: Chance, week: Week): number {
  const minute = below(300)
  return visit ? week.at(below(6) - 7, '09:00') + minute * minuteMs : week.opened(daysAgo, minute)
}

function madeBefore(row: Row, moment: number): void {
  if ((row.created_at as Date).getTime() > moment) row.created_at = row.updated_at = new Date(moment)
}

const statusOf = ({ status, closedAfter }: Job): Status => status ?? (closedAfter === undefined ? 'Open' : 'Closed')

function closing({ daysAgo = 1, closedAfter = 0 }: Job, createdAt: number, { below }: Chance, week: Week): number {
  return Math.max(createdAt + 180 * minuteMs, week.opened(daysAgo - closedAfter, below(480)))
}

function visitOf([day, time, minutes]: NonNullable<Job['visit']>, week: Week) {
  const from = week.at(day, time)
  return { from, to: from + minutes * minuteMs }
}

/** How far a visit has come depends on the day somebody looks. */
function visited({ from, to }: { from: number; to: number }, { who = manager }: Errand, { now }: Week): Change[] {
  const changes: Change[] = [
    { at: from, by: who, to: 'In Progress' },
    { at: to, by: who, to: 'Closed' },
  ]
  return changes.filter(({ at }) => at <= now)
}

/** The way of a thing through the workshop. */
function changesUntil(status: Status, { who = manager, where }: Errand, createdAt: number, closedAt: number): Change[] {
  if (status === 'Open') return []
  const begun: Change = { at: createdAt + 45 * minuteMs, by: who, to: 'In Progress' }
  if (status === 'In Progress') return [begun]
  if (status !== 'Closed') return [begun, { at: createdAt + 150 * minuteMs, by: who, to: status }]
  // What was done at the customer's place is not fetched.
  if (where === 'Van') return [begun, { at: closedAt, by: who, to: 'Closed' }]
  const ready: Change = { at: closedAt - 40 * minuteMs, by: who, to: 'Ready for pickup' }
  return [begun, ready, { at: closedAt, by: manager, to: 'Closed' }]
}

function plan(
  customer: Row,
  device: Row | undefined,
  errand: Errand & Partial<Pick<Job, 'says' | 'visit'>>,
  createdAt: number,
  changes: readonly Change[],
): Plan {
  const workAt = changes[0]?.at ?? createdAt
  // A visit is talked about when it is arranged, a thing when somebody has looked into it.
  const talkAt = errand.visit ? createdAt + 20 * minuteMs : workAt
  return {
    customer,
    device,
    errand,
    createdAt,
    assignedAt: errand.who && createdAt + 15 * minuteMs,
    soldAt: workAt + 5 * minuteMs,
    changes,
    remarks: (errand.says ?? []).map((remark, place) => ({ at: talkAt + (place + 1) * 20 * minuteMs, remark })),
    visit: undefined,
  }
}

const recentDays = 21

/** Others bring what the regulars bring, when they come first. Only what came lately is still there. */
function supposed({ place, customer, devices }: Visitor, week: Week): Plan {
  const luck = chance(-1 - place)
  const device = devices.length > 0 ? luck.pick(devices) : undefined
  const alike = jobs.filter(({ thing }) => device && thing === device.kind)
  const { thing, asks, details, priority, who, where, does, uses } = alike.length > 0 ? luck.pick(alike) : anything
  const errand = {
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
  const status = isRecent ? luck.pick(lately) : 'Closed'
  const later = createdAt + (1 + luck.below(5)) * dayMs
  const closedAt = later < week.now ? later : createdAt + 180 * minuteMs
  return {
    ...plan(customer, device?.row, errand, createdAt, changesUntil(status, errand, createdAt, closedAt)),
    ...ordinaryPapers(chance(-1_000_003 - place), errand, status, customer.business_name !== undefined),
  }
}

const lately: readonly Status[] = ['Open', 'In Progress', 'Waiting for parts', 'Ready for pickup', 'Closed', 'Closed']
