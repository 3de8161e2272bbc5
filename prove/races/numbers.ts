// Races about numbers that count up, and about requests that are repeated.
import { expect, onlySome, type Race, type Reply, times, together } from './ring.ts'

/** Of sixteen, four are refused after their number was taken: it must be given to somebody else. */
export const gapless: Race = {
  what: 'numbers of jobs, quotes and invoices are unique and without gaps, also where requests are rolled back',
  async begin(ring) {
    const seen = { tickets: new Set<number>(), quotes: new Set<number>(), invoices: new Set<number>() }
    const kinds = Object.keys(seen) as (keyof typeof seen)[]
    const numberIn = ({ body: { data } }: Reply) =>
      Number(data.ticketNumber ?? /\d+$/.exec(data.quoteNumber ?? data.invoiceNumber)![0])
    const bad = {
      tickets: { stationId: 'sta_none' },
      quotes: { customerId: 'cus_none' },
      invoices: { customerId: 'cus_none' },
    }
    return async (round) => {
      const kind = kinds[round % kinds.length]!
      const good = { customerName: 'Amara' }
      const replies = await together(
        times(16, (n) => () => ring.post(`/${kind}`, n % 4 === 3 ? { ...good, ...bad[kind] } : good)),
      )
      const made = replies.filter(({ status }) => status === 201)
      const before = seen[kind].size
      for (const reply of made) seen[kind].add(numberIn(reply))
      const highest = Math.max(...seen[kind])
      return [
        ...expect(made.length === 12, `${kind} made`, made.length),
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

export const repeated: Race = {
  what: 'a create sent 50 times with one Idempotency-Key makes one record, and gives one answer',
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
