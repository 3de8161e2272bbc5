// Faults in files for the bookkeeper: something booked twice or on a wrong account, settings that are not asked for, files that are lost.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import type { Mutant } from './mutant.ts'

const books = ['src/domain/books/books.test.ts']
const exports = ['src/resources/exports/exports.test.ts']
const brought = ['src/resources/exports/brought.test.ts']
const commands = ['src/cli/money.test.ts']
const desk = ['src/desk/exports.test.ts']

export const bookFaults: readonly Mutant[] = [
  {
    control: 'a file for the bookkeeper is bounded by the length of its lines',
    file: 'src/resources/exports/books.ts',
    find: 'filter (where characters <= ${maxLineCharacters}::int)',
    replace: 'filter (where characters >= ${0}::int)',
    tests: ['src/resources/exports/exports.test.ts'],
    expectedFailure: 'long together',
  },
  {
    control: 'names of taxes that are gone stay when the books are set up anew',
    file: 'src/desk/settings-accounting.ts',
    find: 'const names = new Map(Object.entries(before.taxNames ?? {}))',
    replace: 'const names = new Map<string, string>()',
    tests: desk,
  },
  {
    control: 'how the books are kept is not saved over what somebody else saved',
    file: 'src/desk/settings-accounting.ts',
    find: "version: form.get('version') || undefined,",
    replace: '',
    tests: desk,
  },
  {
    control: 'the tax of a discount is taken off in the books',
    file: 'src/domain/books/booked.ts',
    find: 'const due = dues.reduce((sum, one) => sum + one, 0n) - group.due',
    replace: 'const due = 0n',
    tests: books,
  },
  {
    control: 'a discount on parts is booked on the account of parts',
    file: 'src/domain/books/booked.ts',
    find: "kind === 'inventory' ? kind : 'custom'",
    replace: "'custom' as const",
    tests: books,
  },
  {
    control: 'the tax is booked beside what was sold',
    file: 'src/domain/books/files.ts',
    find: 'entry(taxAccount, -some.reduce(',
    replace: 'entry(taxAccount, 0n * some.reduce(',
    tests: books,
  },
  {
    control: 'text in a file for DATEV is no formula',
    file: 'src/domain/books/datev.ts',
    find: "(/^[=+\\-@]/.test(text) ? `'${text}` : text)",
    replace: 'text',
    tests: books,
  },
  {
    control: 'what was given out is left out of the next file',
    file: 'src/resources/exports/book-changes.ts',
    find: 'not record.booked_elsewhere and not exists (',
    replace: 'true or not exists (',
    tests: exports,
  },
  {
    control: 'an invoice that was brought is in the books already',
    file: 'src/resources/invoices/add-invoice.ts',
    find: "booked_elsewhere: values.brought !== undefined && status === 'sent',",
    replace: 'booked_elsewhere: false,',
    tests: brought,
  },
  {
    control: 'a draft that was brought is in no books yet',
    file: 'src/resources/invoices/add-invoice.ts',
    find: "values.brought !== undefined && status === 'sent',",
    replace: 'values.brought !== undefined,',
    tests: brought,
  },
  {
    control: 'a payment that was brought is in the books already',
    file: 'src/resources/imports/write-record.ts',
    find: '{ booked_elsewhere: true },',
    replace: '{},',
    tests: brought,
  },
  {
    control: 'at the desk an export without records is no file to book',
    file: 'src/desk/exports-view.ts',
    find: 'return one.count === 0\n',
    replace: 'return one.count < 0\n',
    tests: desk,
  },
  {
    control: 'on the command line no file is written of nothing',
    file: 'src/cli/money.ts',
    find: 'const hasRecords = record.count > 0',
    replace: 'const hasRecords = true',
    tests: commands,
  },
  {
    control: 'a file that is there is not written over',
    file: 'src/cli/money.ts',
    find: "open(path, 'wx', 0o600)",
    replace: "open(path, 'w', 0o600)",
    tests: commands,
  },
  {
    control: 'nothing counts as given out that could not be written',
    file: 'src/cli/money.ts',
    find: '  const handle = await openNew(path)\n  let isWritten = false\n',
    replace:
      '  const early = await make()\n  const handle = await openNew(path)\n  make = async () => early\n  let isWritten = false\n',
    tests: commands,
  },
  {
    control: 'files for the bookkeeper are made one at a time',
    file: 'src/resources/exports/exports.ts',
    find: '  await ctx.query(lockOrganisation(ctx))\n',
    replace: '',
    tests: exports,
    expectedFailure: 'waits for a file that is being made',
  },
  {
    control: 'a record is in one file',
    file: 'migrations/0027-what-became-of-booked-records.sql',
    find: 'create unique index concurrently exported_records_held',
    replace: 'create index concurrently exported_records_held',
    tests: exports,
    expectedFailure: 'waits for a file that is being made',
  },
  {
    control: 'drafts and void invoices are not booked',
    file: 'src/resources/exports/books.ts',
    find: "record.org_id = ${orgId} and record.status = 'sent' and record.issued_at",
    replace: 'record.org_id = ${orgId} and record.issued_at',
    tests: exports,
  },
  {
    control: 'a file of payments needs the scope of payments',
    file: 'src/resources/exports/exports.ts',
    find: "if (file.kind === 'payments') ctx.require('payments:read')",
    replace: '',
    tests: exports,
  },
  {
    control: 'a file for DATEV stays within a fiscal year',
    file: 'src/resources/exports/books.ts',
    find: "format === 'datev' && fiscalYearOf(from, yearStart)",
    replace: "format === 'csv' && fiscalYearOf(from, yearStart)",
    tests: exports,
  },
  {
    control: 'DATEV is given keys for all rates but the one that the account knows',
    file: 'src/domain/books/datev-settings.ts',
    find: 'new Set(rates.values()).size > 1',
    replace: 'new Set(rates.values()).size > 9',
    tests: books,
  },
  {
    control: 'what costs nothing needs no key',
    file: 'src/domain/books/datev-settings.ts',
    find: '.filter(({ quantity, unitPrice }) => quantity * unitPrice !== 0)',
    replace: '',
    tests: books,
  },
  {
    control: 'the name of a tax is no key of DATEV',
    file: 'src/domain/books/datev-settings.ts',
    find: "return /^\\d{1,4}$/.test(name) ? name : ''",
    replace: "return /^\\d{1,4}$/.test(name) ? name : ((tax as { name?: string } | null)?.name ?? '')",
    tests: books,
  },
  {
    control: 'the account of customers has as many digits in DATEV, or one more',
    file: 'src/resources/organisation.ts',
    find: 'if (problem) throw badRequest(`accounting',
    replace: 'if (false) throw badRequest(`accounting',
    tests: exports,
    expectedFailure: 'what is wrong with the period',
  },
  {
    control: 'accounts of DATEV that were stored before and do not fit are named',
    file: 'src/domain/books/datev-settings.ts',
    find: " || (field === 'debtorAccount' && debtorAccountProblem(datev) !== undefined)",
    replace: '',
    tests: books,
  },
  {
    control: 'settings that a format needs are asked for',
    file: 'src/resources/exports/books.ts',
    find: 'if (missing.length > 0) throw exportIncomplete({ missing: [...missing] })',
    replace: '',
    tests: exports,
  },
]
