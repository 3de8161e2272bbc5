// Faults in what things come to: rounding, tax, discounts, numbers, payments, stock.
import type { Mutant } from './mutant.ts'

const totals = ['src/domain/totals.test.ts']
const payments = ['src/resources/payments.test.ts']
const quotes = ['src/resources/quotes/quotes.test.ts']
const lines = ['src/resources/tickets/lines.test.ts']

export const money: readonly Mutant[] = [
  {
    control: 'half a penny is rounded away from zero',
    file: 'src/domain/money.ts',
    find: 'if (twice < divisor) return quotient',
    replace: 'if (twice <= divisor) return quotient',
    tests: ['src/domain/money.test.ts'],
  },
  {
    control: 'an inclusive tax is a part of its price',
    file: 'src/domain/totals.ts',
    find: 'divideRounded(amount * rate, hundredPercent + rate)',
    replace: 'divideRounded(amount * rate, hundredPercent)',
    tests: totals,
  },
  {
    control: 'tax is rounded once for each rate, so a name of its own is a row of its own',
    file: 'src/domain/totals.ts',
    find: 'JSON.stringify([tax.rate, tax.isInclusive, tax.name])',
    replace: 'JSON.stringify([tax.rate, tax.isInclusive])',
    tests: totals,
  },
  {
    control: 'a discount is not more than what it is taken from',
    file: 'src/domain/totals.ts',
    find: 'return fixed < baseAmount ? fixed : baseAmount',
    replace: 'return fixed',
    tests: totals,
  },
  {
    control: 'a discount is split to the last penny',
    file: 'src/domain/totals.ts',
    find: 'for (const index of byRemainder.slice(0, Number(remainder))) shares[index]! += 1n',
    replace: '',
    tests: totals,
  },
  {
    control: 'a line that names no tax has the default rate',
    file: 'src/resources/tickets/line-facts.ts',
    find: 'is null then default_enabled',
    replace: 'is null then false',
    tests: lines,
  },
  {
    control: 'there is one default rate',
    file: 'src/resources/tax-rates.ts',
    find: 'if (body.defaultEnabled) await clearDefault(ctx)\n',
    replace: '\n',
    tests: ['src/resources/tax-rates.test.ts'],
  },
  {
    control: 'a payment has the decimal places of its currency',
    file: 'src/resources/payments.ts',
    find: 'if (toScaled(amount, decimals) === undefined) throw',
    replace: 'if (false) throw',
    tests: payments,
  },
  {
    control: 'a quote is invoiced as long as any invoice of it exists',
    file: 'migrations/0014-many-machines.sql',
    find: '      order by created_at desc, id desc limit 1);',
    replace: '      order by created_at desc, id desc limit 0);',
    tests: quotes,
  },
  {
    control: 'a quote that loses an invoice waits for a conversion under way',
    file: 'migrations/0014-many-machines.sql',
    find: '    perform from quotes where org_id = released.org_id and id = released.quote_id for update;\n',
    replace: '',
    tests: quotes,
  },
  {
    control: 'a conversion is refused by the invoices there are',
    file: 'src/resources/quotes/convert.ts',
    find: "if (!force && (quote.status === 'invoiced' || (await ctx.query(selectHasInvoice(ctx, quoteId))))) {",
    replace: "if (!force && quote.status === 'invoiced') {",
    tests: quotes,
  },
  {
    control: 'a void invoice takes no payments',
    file: 'src/resources/payments.ts',
    find: "if (invoice.status === 'void') throw badRequest('A void invoice takes no payments')",
    replace: '',
    tests: ['src/resources/invoices/invoices.test.ts'],
  },
  {
    control: 'a payment that another system keeps is not changed here',
    file: 'src/resources/payments.ts',
    find: 'if (before.isManaged) throw paymentAccountingManaged()',
    replace: '',
    tests: payments,
  },
  {
    control: 'the database keeps what an invoice comes to at every change',
    file: 'migrations/0003-money.sql',
    find: 'create trigger settle before insert or update on invoices',
    replace: 'create trigger settle before insert on invoices',
    tests: payments,
  },
  {
    control: 'a deleted payment is no longer counted',
    file: 'migrations/0003-money.sql',
    find: 'create trigger money_went after delete on payments referencing old table as gone\n  for each statement execute function count_money();',
    replace: '',
    tests: payments,
  },
  {
    control: 'a payment from outside is taken over once',
    file: 'migrations/0003-money.sql',
    find: 'create unique index payments_external_id_unique',
    replace: 'create index payments_external_id_unique',
    tests: ['src/worker/mail.test.ts'],
    expectedFailure: 'managed elsewhere, once',
  },
  {
    control: 'whoever writes an invoice holds it',
    file: 'src/resources/invoices/reminders.ts',
    find: '      await ctx.query(invoices.lock(ctx, invoiceId))\n',
    replace: '',
    tests: ['src/resources/invoices/invoices.test.ts'],
  },
  {
    control: 'a number that is taken is counted on',
    file: 'migrations/0014-many-machines.sql',
    find: 'next_ticket_number = next_ticket_number + 1 where org_id = organisation\n    returning next_ticket_number - 1',
    replace:
      'next_ticket_number = next_ticket_number + 0 where org_id = organisation\n    returning next_ticket_number',
    tests: ['src/resources/tickets/tickets.test.ts'],
    expectedFailure: 'sixteen at once',
  },
  {
    control: 'a number that an earlier prefix spelt is passed over',
    file: 'migrations/0014-many-machines.sql',
    find: 'exit when not exists (select from quotes where org_id = organisation and quote_number = taken);',
    replace: 'exit;',
    tests: quotes,
  },
  {
    control: 'a quote is invoiced once',
    file: 'src/resources/quotes/convert.ts',
    find: '      throw quoteAlreadyInvoiced()\n',
    replace: '',
    tests: quotes,
  },
  {
    control: 'a quote is held while it is invoiced or answered',
    file: 'src/resources/quotes/record.ts',
    find: '  await ctx.query(quotes.lock(ctx, quoteId))\n',
    replace: '',
    tests: quotes,
  },
  {
    control: 'the currency stays once there are documents in it',
    file: 'src/resources/organisation.ts',
    find: 'if (await ctx.query(selectHasOtherCurrency(ctx, currency))) {',
    replace: 'if (false) {',
    tests: quotes,
  },
  {
    control: 'parts of a deleted job go back to the shelf',
    file: 'migrations/0002-jobs.sql',
    find: 'create trigger stock_returned after delete on inventory_lines referencing old table as gone\n  for each statement execute function move_stock();',
    replace: '',
    tests: lines,
  },
]
