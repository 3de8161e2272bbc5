// Races about numbers that count up, and about requests that are repeated.
import { type Database, raw, sql } from '../../src/db/database.ts'
import { check, expectOnly, expectOutcomes, type Race, type Reply, runConcurrently, times } from './context.ts'

/** Of sixteen, four are refused after their number was taken: it must be given to somebody else. */
export const gapless: Race = {
  what: 'numbers of jobs, quotes and invoices are unique and without gaps, also after a rollback',
  async prepare(context) {
    const seen = { tickets: new Set<number>(), quotes: new Set<number>(), invoices: new Set<number>() }
    const kinds = Object.keys(seen) as (keyof typeof seen)[]
    const numberIn = ({ body: { data } }: Reply) =>
      Number(data.ticketNumber ?? /\d+$/.exec(data.quoteNumber ?? data.invoiceNumber)![0])
    for (const kind of kinds) await createRefusingTrigger(context.fleet.database, kind)
    return async (round) => {
      const kind = kinds[round % kinds.length]!
      const replies = await runConcurrently(
        times(16, (n) => () => context.post(`/${kind}`, { customerName: n % 4 === 3 ? refusedName : 'Amara' })),
      )
      const created = replies.filter(({ status }) => status === 201)
      const before = seen[kind].size
      for (const reply of created) seen[kind].add(numberIn(reply))
      const highest = Math.max(...seen[kind])
      return [
        ...expectOutcomes({ '201': 12, '404': 4 }, replies),
        ...check(
          seen[kind].size === before + created.length,
          `${kind} with a number of their own`,
          seen[kind].size - before,
        ),
        ...check(highest === seen[kind].size, `highest number of ${seen[kind].size} ${kind}`, highest),
      ]
    }
  },
}

const refusedName = 'Nobody'

/** A trigger of the trial's own, because what the service refuses by itself it refuses before a number is taken. */
async function createRefusingTrigger(database: Database, table: string): Promise<void> {
  await database.query(sql`
    create or replace function refuse_unwelcome() returns trigger language plpgsql as $$
    begin
      raise exception 'not welcome' using errcode = '23514', table = tg_table_name,
        constraint = tg_table_name || '_customer_id_parent';
    end $$`)
  await database.query(sql`
    create or replace trigger refuse_unwelcome after insert on ${raw(table)}
    for each row when (new.customer_name = ${raw(`'${refusedName}'`)}) execute function refuse_unwelcome()`)
}

export const repeated: Race = {
  what: 'a create sent 50 times with one Idempotency-Key makes one record, and gives one answer',
  isWide: true,
  async prepare(context) {
    return async (round) => {
      const key = { 'idempotency-key': `round-${round}` }
      const name = `Round ${round}`
      const send = () => context.post('/tickets', { customerName: name }, key)
      const replies = await runConcurrently(times(50, () => send))
      // Those that came while the first was in progress are answered so, and retry.
      const retried = await Promise.all(replies.filter(({ status }) => status === 409).map(send))
      const answers = [...replies, ...retried].filter(({ status }) => status !== 409)
      const texts = new Set(answers.map(({ body }) => JSON.stringify(body)))
      const { tickets } = (await context.get(`/tickets?limit=5`)).body.data
      const records = tickets.filter(({ customerName }: { customerName: string }) => customerName === name)
      return [
        ...expectOnly(['201', '409 IDEMPOTENCY_IN_PROGRESS'], replies),
        ...check(
          answers.some(({ status }) => status === 201),
          'answers',
          answers.length,
        ),
        ...check(texts.size === 1, 'different answers', texts.size),
        ...check(records.length === 1, 'records', records.length),
      ]
    }
  },
}
