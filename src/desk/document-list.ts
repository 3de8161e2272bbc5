// The lists of quotes and of invoices: by what each is at the moment, with counts and sums, newest first.
import { raw, type Sql, sql } from '../db/database.ts'
import { connectionOf, matchingRows, searchForWords } from '../operations/text-search.ts'
import type { DocumentList } from '../resources/billing/list.ts'
import { invoiceList } from '../resources/invoices/record.ts'
import { quoteList } from '../resources/quotes/record.ts'
import { documentListView, type ListedDocument, type StateSums } from './document-list-view.ts'
import { type DocumentKind, openStates } from './document-marks.ts'
import { newestFirst, pageOfRows } from './list-page.ts'
import type { DeskRequest, DeskRouter } from './router.ts'

const perPage = 50

const lists: Readonly<Record<DocumentKind, DocumentList>> = { quote: quoteList, invoice: invoiceList }

export function addDocumentListRoutes(router: DeskRouter): void {
  for (const kind of ['quote', 'invoice'] as const) {
    router.get(`/${kind}s`, [`${kind}s:read`], async (request) => {
      const { orgId, database, query } = request
      const search = (query.q ?? '').trim().slice(0, 100)
      const state = query.state !== undefined && Object.hasOwn(lists[kind].states, query.state) ? query.state : ''
      const connection = connectionOf(searchOf(kind, search))
      const [documents, sums] = await Promise.all([
        database.read<ListedDocument>(orgId, selectDocuments(request, kind, state, search), connection),
        database.read<StateSums>(orgId, selectSums(request, kind, search), connection),
      ])
      const shown = documents.slice(0, perPage)
      const next = documents.length > perPage ? shown.at(-1)!.id : undefined
      return request.render(
        documentListView(request, {
          kind,
          state,
          search,
          documents: shown,
          sums,
          next,
          isChoosing: isChoosing(request, kind),
        }),
      )
    })
  }
}

/** Only customers of invoices are reminded. */
const isChoosing = ({ query, may }: DeskRequest, kind: DocumentKind): boolean =>
  kind === 'invoice' && query.choose !== undefined && may('invoices:write')

const searchOf = (kind: DocumentKind, typed: string) => (typed === '' ? undefined : searchForWords(`${kind}s`, typed))

function selectDocuments({ orgId, query }: DeskRequest, kind: DocumentKind, state: string, typed: string): Sql {
  const name = raw(`${kind}s`)
  const where = state === '' ? undefined : raw(lists[kind].states[state]!)
  const { after } = query
  const own =
    kind === 'quote'
      ? sql`valid_until as until, false as "isPaid", 0::float8 as "amountPaid", total::float8 as balance,
          (${raw(quoteList.states.expired!)}) as "isLate", created_at as at`
      : sql`due_at as until, paid as "isPaid", amount_paid::float8 as "amountPaid", balance::float8 as balance,
          (${raw(invoiceList.states.overdue!)}) as "isLate", issued_at as at`
  return sql`
    select id, ${raw(`${kind}_number`)} as number, customer_name as customer, title, status, currency,
      total::float8 as total, sent_at as "sentAt", viewed_at as "viewedAt", ${own}
    from ${pageOfRows({ table: `${kind}s`, orgId, search: searchOf(kind, typed), where, after, order: newestFirst, limit: perPage + 1 })}
    order by ${name}.created_at desc, ${name}.id desc`
}

/** For each currency how many are in each state, and what they come to: of invoices that are open what is still owed. */
function selectSums({ orgId }: DeskRequest, kind: DocumentKind, typed: string): Sql {
  const name = raw(`${kind}s`)
  const states = Object.entries(lists[kind].states).map(([state, condition]) => {
    const worth = raw(kind === 'invoice' && openStates.includes(state) ? 'balance' : 'total')
    return sql`, count(*) filter (where ${raw(condition)})::int as ${raw(`"${state}"`)},
      coalesce(sum(${worth}) filter (where ${raw(condition)}), 0)::float8 as ${raw(`"${state}Sum"`)}`
  })
  // Drafts and void invoices ask nobody for anything.
  const isAsked = kind === 'invoice' ? sql`filter (where status = 'sent')` : sql``
  const columns = states.reduce((some, one) => sql`${some}${one}`)
  return sql`
    select currency, count(*)::int as "all", coalesce(sum(total) ${isAsked}, 0)::float8 as "allSum"${columns}
    from ${matchingRows({ table: `${kind}s`, tenant: sql`${name}.org_id = ${orgId}`, search: searchOf(kind, typed) })}
    group by currency order by count(*) desc`
}
