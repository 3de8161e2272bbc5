// Races about numbers that count up, and about requests that are repeated.
import { type Database, raw, sql } from '../../src/database.ts'
import { exactly, expect, onlySome, type Race, type Reply, times, together } from './ring.ts'

/** Of sixteen, four are refused after their number was taken: it must be given to somebody else. */
export const gapless: Race = {
  what: 'numbers of jobs, quotes and invoices are unique and without gaps, also where requests are rolled back',
  async begin(ring) {
    const seen = { tickets: new Set<number>(), quotes: new Set<number>(), invoices: new Set<number>() }
    const kinds = Object.keys(seen) as (keyof typeof seen)[]
    const numberIn = ({ body: { data } }: Reply) =>
      Number(data.ticketNumber ?? /\d+$/.exec(data.quoteNumber ?? data.invoiceNumber)![0])
    for (const kind of kinds) await refuseSome(ring.fleet.database, kind)
    return async (round) => {
      const kind = kinds[round % kinds.length]!
      const replies = await together(
        times(16, (n) => () => ring.post(`/${kind}`, { customerName: n % 4 === 3 ? unwelcome : 'Amara' })),
      )
      const made = replies.filter(({ status }) => status === 201)
      const before = seen[kind].size
      for (const reply of made) seen[kind].add(numberIn(reply))
      const highest = Math.max(...seen[kind])
      return [
        ...exactly({ '201': 12, '404': 4 }, replies),
        ...expect(
          seen[kind].size === before + made.length,
          `${kind} with a number of their own`,
          seen[kind].size - before,
        ),
        ...expect(highest === seen[kind].size, `highest number of ${seen[kind].size} ${kind}`, highest),
      ]
    }
  },
}

const unwelcome = 'Nobody'

/** A trigger of the trial's own, because what the service refuses by itself it refuses before a number is taken. */
async function refuseSome(database: Database, table: string): Promise<void> {
  await database.query(sql`
    create or replace function refuse_unwelcome() returns trigger language plpgsql as $$
    begin
      raise exception 'not welcome' using errcode = '23514', table = tg_table_name,
        constraint = tg_table_name || '_customer_id_parent';
    end $$`)
  await database.query(sql`
    create or replace trigger refuse_unwelcome after insert on ${raw(table)}
    for each row when (new.customer_name = ${raw(`'${unwelcome}'`)}) execute function refuse_unwelcome()`)
}

export const repeated: Race = {
  what: 'a create sent 50 times with one Idempotency-Key makes one record, and gives one answer',
  isWide: true,
  async begin(ring) {
    return async (round) => {
      const key = { 'idempotency-key': `round-${round}` }
      const name = `Round ${round}`
      const send = () => ring.post('/tickets', { customerName: name }, key)
      const replies = await together(times(50, () => send))
      // Those who came while the first was at work are told so, and ask again.
      const again = await Promise.all(replies.filter(({ status }) => status === 409).map(send))
      const answers = [...replies, ...again].filter(({ status }) => status !== 409)
      const texts = new Set(answers.map(({ body }) => JSON.stringify(body)))
      const { tickets } = (await ring.get(`/tickets?limit=5`)).body.data
      const records = tickets.filter(({ customerName }: { customerName: string }) => customerName === name)
      return [
        ...onlySome(['201', '409 IDEMPOTENCY_IN_PROGRESS'], replies),
        ...expect(
          answers.some(({ status }) => status === 201),
          'answers',
          answers.length,
        ),
        ...expect(texts.size === 1, 'different answers', texts.size),
        ...expect(records.length === 1, 'records', records.length),
      ]
    }
  },
}
