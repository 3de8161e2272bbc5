// Races about quotes, invoices, payments and tax rates.
import { sql } from '../../src/db/database.ts'
import { check, expectOnly, expectOutcomes, type Race, runConcurrently, times } from './context.ts'

const oneLine = { customerName: 'Amara', lineItems: [{ name: 'Valve', unitPrice: 120, quantity: 1 }] }

export const convertsOnce: Race = {
  what: 'a quote converts once',
  async prepare(context) {
    return async () => {
      const { id } = await context.create('/quotes', oneLine)
      const replies = await runConcurrently(times(16, () => () => context.post(`/quotes/${id}/convert`)))
      const rows = await context.fleet.database.query(
        sql`select from invoices where org_id = ${context.shop.orgId} and quote_id = ${id}`,
      )
      return [
        ...expectOutcomes({ '201': 1, '409 QUOTE_ALREADY_INVOICED': 15 }, replies),
        ...check(rows.length === 1, 'invoices of the quote', rows.length),
      ]
    }
  },
}

export const paymentsAgree: Race = {
  what: 'payments and the flags of their invoice agree',
  async prepare(context) {
    return async () => {
      const deposit = { type: 'percent', value: 30 }
      const { id } = await context.create('/invoices', { ...oneLine, deposit, status: 'sent' })
      const pay = (amount: number) => context.post('/payments', { invoiceId: id, amount, paymentMethod: 'cash' })
      const paymentIds = await Promise.all(times(6, async () => (await pay(15)).body.data.id as string))
      const replies = await runConcurrently([
        ...paymentIds.slice(0, 3).map((payment) => () => context.delete(`/payments/${payment}`)),
        ...paymentIds.slice(2).map((payment, n) => () => context.put(`/payments/${payment}`, { amount: 20 + n })),
        ...times(3, (n) => () => context.put(`/invoices/${id}`, { discount: { type: 'fixed', value: n } })),
        ...times(4, () => () => pay(12.5)),
        ...times(2, () => () => pay(-7)),
      ])
      const { data: invoice } = (await context.get(`/invoices/${id}`)).body
      const { payments } = (await context.get(`/payments?invoiceId=${id}&limit=100`)).body.data
      const cents = payments.reduce((sum: number, { amount }: { amount: number }) => sum + Math.round(amount * 100), 0)
      const paid = cents / 100
      const wanted = [
        paid,
        Math.round((invoice.total - paid) * 100) / 100,
        paid >= invoice.depositAmount,
        paid >= invoice.total,
        invoice.total - paid > 0,
      ]
      const found = [invoice.amountPaid, invoice.balance, invoice.depositPaid, invoice.paid, invoice.hasBalance]
      return [
        ...expectOnly(['200', '201', '404'], replies),
        ...check(JSON.stringify(found) === JSON.stringify(wanted), 'sum, balance and flags', { found, wanted }),
        ...check((invoice.paidAt !== null) === invoice.paid, 'when it was paid', invoice.paidAt),
      ]
    }
  },
}

export const oneDefaultRate: Race = {
  what: 'exactly one tax rate is the default',
  async prepare(context) {
    const ids: string[] = []
    for (const n of times(8, (n) => n))
      ids.push((await context.create('/tax-rates', { name: `Rate ${n}`, rate: n })).id)
    return async () => {
      const replies = await runConcurrently(
        times(16, (n) => () => context.put(`/tax-rates/${ids[n % 8]}`, { defaultEnabled: true })),
      )
      const { taxRates } = (await context.get('/tax-rates')).body.data
      const defaults = taxRates.filter(({ defaultEnabled }: { defaultEnabled: boolean }) => defaultEnabled)
      return [...expectOutcomes({ '200': 16 }, replies), ...check(defaults.length === 1, 'defaults', defaults.length)]
    }
  },
}

export const answeredOnce: Race = {
  what: 'a shared quote is accepted or declined, not both, and what was answered is not changed',
  async prepare(context) {
    return async (round) => {
      const { id } = await context.create('/quotes', { ...oneLine, status: 'sent' })
      const { token } = (await context.post(`/quotes/${id}/share-link`)).body.data
      // Each round comes from another address, as customers do.
      const forwarded = { 'x-forwarded-for': `10.0.${Math.floor(round / 250)}.${round % 250}` }
      const page = await fetch(`${context.origin()}/s/${token}`, { headers: forwarded })
      const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(await page.text()) ?? []
      const answer = async (fields: Record<string, string>) => {
        const body = new URLSearchParams({ csrf, ...fields })
        const address = `${context.origin()}/s/${token}`
        const { status } = await fetch(address, { method: 'POST', body, headers: forwarded, redirect: 'manual' })
        return { kind: fields.answer!, status, total: 0 }
      }
      const edit = async (n: number) => {
        const unitPrice = 200 + n
        const { status } = await context.put(`/quotes/${id}`, {
          lineItems: [{ name: 'Valve', unitPrice, quantity: 1 }],
        })
        return { kind: 'edit', status, total: unitPrice }
      }
      const replies = await runConcurrently([
        ...times(6, (n) => () => answer({ answer: 'accept', name: `Amara ${n}` })),
        ...times(6, () => () => answer({ answer: 'decline', reason: 'Too dear' })),
        ...times(4, (n) => () => edit(n)),
      ])
      const { data: quote } = (await context.get(`/quotes/${id}`)).body
      const acceptedReplies = (kind: string) =>
        replies.filter((reply) => reply.kind === kind && [200, 303].includes(reply.status))
      const winner = quote.status === 'accepted' ? 'accept' : 'decline'
      const statuses = replies.map(({ kind, status }) => `${kind} ${status}`)
      const possible = ['accept 303', 'accept 409', 'decline 303', 'decline 409', 'edit 200', 'edit 400']
      const late = await context.put(`/quotes/${id}`, { lineItems: [{ name: 'Valve', unitPrice: 999, quantity: 1 }] })
      return [
        ...check(
          statuses.every((one) => possible.includes(one)),
          'answers',
          statuses,
        ),
        ...check(['accepted', 'declined'].includes(quote.status), 'status', quote.status),
        ...check(acceptedReplies(winner).length === 6, 'answers taken that agree', statuses),
        ...check(
          acceptedReplies(winner === 'accept' ? 'decline' : 'accept').length === 0,
          'answers taken that do not',
          statuses,
        ),
        ...check(
          [120, ...acceptedReplies('edit').map(({ total }) => total)].includes(quote.total),
          'total',
          quote.total,
        ),
        ...check(late.status === 400, 'a change after the answer', late.status),
      ]
    }
  },
}
