// What one shop can do within its quota to be in others' way.
import { type Database, sql } from '../../src/db/database.ts'
import { dayMs } from '../../src/domain/durations.ts'
import { formWriter } from '../../test/forms.ts'
import type { Attacker, Strike } from './attacker.ts'

export interface Attack {
  /** As a sentence goes on after "beside …". */
  readonly name: string
  readonly loops: number
  /** Makes ready what it needs, with more than the quota, and answers one round of it. */
  prepare(attacker: Attacker, database: Database): Promise<Strike>
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const longText = (characters: number) => 'Oven, door and seal replaced. '.repeat(characters / 30)
const lines = (count: number, description?: string) =>
  times(count, (n) => ({ name: `Line ${n}`, unitPrice: 12, taxRateId: null, ...(description && { description }) }))
const tomorrow = () => new Date(Date.now() + dayMs).toISOString()

const scheduleOf = (customerId: string, more: object = {}) => ({
  customerId,
  startsAt: tomorrow(),
  timeZone: 'UTC',
  rrule: 'FREQ=DAILY',
  serviceRequired: 'Oven service',
  horizonDays: 1,
  lineItems: lines(50),
  ...more,
})

async function createSchedule({ prepare }: Attacker): Promise<string> {
  const { id } = await prepare('POST', '/customers', { firstName: 'Daily' })
  return (await prepare('POST', '/recurring-schedules', scheduleOf(id))).id
}

export const attacks: readonly Attack[] = [
  {
    name: 'fourteen at once generating and resyncing a year of visits with 50 lines each',
    loops: 14,
    async prepare(attacker) {
      const schedules: string[] = []
      while (schedules.length < 14) schedules.push(await createSchedule(attacker))
      const through = new Date(Date.now() + 364 * dayMs).toISOString()
      return async (call, turn) => {
        const path = `/recurring-schedules/${schedules[turn % 14]}`
        await call('POST', `${path}/generate`, { through })
        await call('POST', `${path}/resync`, {})
      }
    },
  },
  {
    name: '200 messages at once to a job that a resync holds',
    loops: 200,
    async prepare(attacker) {
      const schedule = await createSchedule(attacker)
      const through = new Date(Date.now() + 364 * dayMs).toISOString()
      const { generated } = await attacker.prepare('POST', `/recurring-schedules/${schedule}/generate`, { through })
      const job = generated[0].ticketId
      return async (call, turn) => {
        if (turn % 20 === 0) await call('POST', `/recurring-schedules/${schedule}/resync`, {})
        else await call('POST', `/tickets/${job}/messages`, { text: 'Hello?' })
      }
    },
  },
  {
    name: 'pages of 100 forms with photos and of 100 quotes of 120,000 characters',
    loops: 20,
    async prepare(attacker, database) {
      const lineItems = lines(60, longText(1_980))
      await Promise.all(times(100, () => attacker.prepare('POST', '/quotes', { customerName: 'Amara', lineItems })))
      await addForms(attacker, database, 100)
      return (call, turn) => call('GET', turn % 2 ? '/quotes?limit=100' : '/form-submissions?limit=100')
    },
  },
  {
    name: '90 mails at once with a PDF that takes long',
    loops: 90,
    async prepare(attacker) {
      const lineItems = lines(60, longText(1_980))
      const quotes: string[] = []
      while (quotes.length < 9)
        quotes.push((await attacker.prepare('POST', '/quotes', { customerName: 'Amara', lineItems })).id)
      return (call, turn) => call('POST', `/quotes/${quotes[turn % 9]}/send`, { to: `guest${turn}@okafor.example` })
    },
  },
  {
    name: 'hundreds of visits due in the worker',
    loops: 4,
    async prepare({ prepare }) {
      const { id: customerId } = await prepare('POST', '/customers', { firstName: 'Daily' })
      return (call) => call('POST', '/recurring-schedules', scheduleOf(customerId, { horizonDays: 365 }))
    },
  },
  {
    name: 'searches that nobody matches among 100,000 customers',
    loops: 30,
    async prepare({ orgId }, database) {
      await database.longTransaction('read write', (transaction) =>
        transaction.query(sql`
          insert into customers (org_id, id, first_name, email, notes)
          select ${orgId}, 'cus_' || lpad(n::text, 26, '0'), 'Customer ' || n, 'c' || n || '@okafor.example', ${longText(900)}
          from generate_series(1, 100000) n`),
      )
      return (call, turn) => call('GET', `/customers?limit=100&search=${turn % 2 ? 'qz' : 'qzqzqz'}`)
    },
  },
  {
    name: 'the longest quotes written and printed',
    loops: 20,
    async prepare(attacker) {
      const lineItems = lines(60, longText(1_980))
      const { id } = await attacker.prepare('POST', '/quotes', { customerName: 'Amara', lineItems })
      return (call, turn) =>
        turn % 3 === 0
          ? call('GET', `/quotes/${id}/pdf`)
          : call('PUT', `/quotes/${id}`, { lineItems, notes: `Turn ${turn}` })
    },
  },
]

/** Forms of one job, each with photos of almost a million characters. */
async function addForms(attacker: Attacker, database: Database, count: number): Promise<void> {
  const forms = formWriter(database, attacker.orgId)
  const { id: customerId } = await attacker.prepare('POST', '/customers', { firstName: 'Amara' })
  const { id: ticketId } = await attacker.prepare('POST', '/tickets', { customerId, serviceRequired: 'Oven' })
  const ids = ['front', 'back', 'label']
  const fields = ids.map((id) => ({ id, label: id, type: 'photo' as const, required: false, options: [] }))
  const { templates } = await forms.import([{ name: 'Photos', fields }])
  for (let n = 0; n < count; n++) {
    const form = await forms.add(ticketId, templates[0]!, 'completion')
    await forms.answer(form.id, Object.fromEntries(ids.map((id, index) => [id, picture(n * 3 + index)])))
  }
}

const picture = (seed: number) => `data:image/png;base64,${Buffer.alloc(220_000, String(seed)).toString('base64')}`
