// How the books are kept: the accounts that files for the bookkeeper name, and what the accounting program calls each tax.
import type { AccountingSettings } from '../resources/accounting-settings.ts'
import type { Refusal } from './perform.ts'
import { inWords } from './refusal-words.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { needsOf } from './settings.ts'
import {
  accountingFields,
  accountingLabels,
  accountingPage,
  type NamedTax,
  untaxed,
} from './settings-accounting-view.ts'

interface Books {
  readonly accounting: AccountingSettings
  readonly version: string | undefined
  readonly taxes: readonly NamedTax[]
}

export function addAccountingSettings(router: DeskRouter): void {
  const needs = needsOf('accounting')
  router.get('/settings/accounting', needs, async (request) => {
    const books = await loadBooks(request)
    const typed = new URLSearchParams(fieldTexts(books.accounting))
    return request.render(accountingPage(request, { ...books, typed }))
  })
  router.post('/settings/accounting', needs, async (request) => {
    const { form } = request
    const books = await loadBooks(request)
    // They are sent as a whole, so whoever has not seen the newest is refused.
    const performed = await request.perform({
      operation: 'updateOrganisation',
      body: { accounting: typedAccounting(form, books.accounting) },
      version: form.get('version') || undefined,
      subject: 'how the books are kept',
    })
    return request.answer(performed, {
      to: '/settings/accounting',
      done: 'saved',
      refused: ({ status, message }: Refusal) => {
        const isStale = status === 412
        const problem = isStale
          ? {
              field: undefined,
              words:
                'Somebody changed the organisation meanwhile. What you typed is kept: look it over and save again.',
            }
          : inWords(message, accountingLabels)
        const version = isStale ? books.version : (form.get('version') ?? undefined)
        return request.render(accountingPage(request, { ...books, version, typed: form, status, problem }))
      },
    })
  })
}

async function loadBooks(request: DeskRequest): Promise<Books> {
  const [{ data, version }, { taxRates }] = await Promise.all([
    request.readRecord<{ accounting: AccountingSettings | null }>('getOrganisation', {}),
    request.read<{ taxRates: readonly NamedTax[] }>('listTaxRates'),
  ])
  return { accounting: data.accounting ?? {}, version, taxes: [...taxRates, untaxed] }
}

const taxField = (id: string): string => `tax.${id}`

function fieldTexts({ taxNames, datev, ...plain }: AccountingSettings): Record<string, string> {
  const values: Readonly<Record<string, string | null | undefined>> = { ...plain, ...datev }
  const named = Object.entries(taxNames ?? {}).map(([id, name]) => [taxField(id), name])
  return Object.fromEntries([...accountingFields.map(({ name }) => [name, values[name] ?? '']), ...named])
}

/** What is empty is none. Names of taxes that are gone stay: old invoices have them. */
function typedAccounting(form: URLSearchParams, before: AccountingSettings): Readonly<Record<string, unknown>> {
  const given = (isDatev: boolean) => {
    const filled = accountingFields
      .filter((field) => (field.isDatev ?? false) === isDatev)
      .map(({ name }) => [name, form.get(name)?.trim() ?? ''] as const)
      .filter(([, value]) => value !== '')
    return Object.fromEntries(filled)
  }
  const names = new Map(Object.entries(before.taxNames ?? {}))
  for (const [field, value] of form) {
    const id = /^tax\.(.+)$/.exec(field)?.[1]
    if (id === undefined) continue
    if (value.trim() === '') names.delete(id)
    else names.set(id, value.trim())
  }
  const datev = given(true)
  return {
    ...given(false),
    ...(names.size > 0 && { taxNames: Object.fromEntries(names) }),
    ...(Object.keys(datev).length > 0 && { datev }),
  }
}
