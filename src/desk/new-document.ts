// A quote or an invoice without a job: for whom it is, then its page.
import { html } from '../http/html.ts'
import type { DocumentKind } from './document-marks.ts'
import { pageHead, type View } from './frame.ts'
import { icon } from './icons.ts'
import { searchCustomers } from './new-job.ts'
import type { FoundCustomer } from './new-job-view.ts'
import type { DeskRequest, DeskRouter } from './router.ts'

export function addNewDocumentRoutes(router: DeskRouter): void {
  for (const [kind, operation] of [
    ['quote', 'createQuote'],
    ['invoice', 'createInvoice'],
  ] as const) {
    router.get(`/${kind}s/new`, [`${kind}s:write`, 'customers:read'], async (request) =>
      request.render(newDocumentView(request, kind)),
    )

    router.post(`/${kind}s/new`, [`${kind}s:write`, 'customers:read'], async (request) => {
      const { form } = request
      const given = (name: string) => (form.get(name) ?? '').trim()
      const [customerId, looked] = [given('customerId'), given('q')]
      // A name that was typed is looked up first, so that what somebody is owed by one customer stands with that customer.
      const found = customerId === '' && !form.has('nameOnly') ? await searchCustomers(request, looked) : []
      if (found.length > 0) return request.render(newDocumentView(request, kind, { found }))
      const performed = await request.perform<{ id: string }>({
        operation,
        body: customerId === '' ? { customerName: looked } : { customerId },
        subject: (data: Record<string, string>) => `${kind} ${data[`${kind}Number`]}`,
      })
      return request.answer(performed, {
        to: performed.isDone ? `/${kind}s/${performed.data.id}` : `/${kind}s/new`,
        refused: ({ status }) =>
          request.render(newDocumentView(request, kind, { status, wrong: 'Write for whom it is.' })),
      })
    })
  }
}

interface NewDocument {
  /** Those whom the words may mean. */
  readonly found?: readonly FoundCustomer[]
  readonly wrong?: string
  readonly status?: number
}

function newDocumentView(
  { href, csrfField, onceField, form }: DeskRequest,
  kind: DocumentKind,
  { found = [], wrong, status = 200 }: NewDocument = {},
): View {
  const looked = form.get('q') ?? ''
  const choices =
    found.length > 0 &&
    html`<p class="soft">Which one is meant?</p>${found.map(({ id, name, phone, email }) => html`<button class="btn wide" name="customerId" value="${id}"><span class="grow cut">${name}</span><span class="soft small cut">${[phone, email].filter(Boolean).join(' · ')}</span></button>`)}<button class="btn wide" name="nameOnly" value="yes">Somebody else: only the name “${looked}”</button>`
  const picker = html`<desk-pick class="pick-here" src="${href('/jobs/new/customers')}"><input name="q" id="n-q" role="combobox" aria-expanded="false" aria-autocomplete="list" aria-controls="customers" autocomplete="off" maxlength="200" value="${looked}"${wrong && html` aria-invalid="true" aria-describedby="wrong"`}><input type="hidden" name="customerId"><div class="options" id="customers" role="listbox" aria-label="Customers"></div></desk-pick>`
  const title = `New ${kind}`
  return {
    title,
    place: `${kind}s`,
    status,
    body: html`${pageHead(title, { crumbs: [[href(`/${kind}s`), kind === 'quote' ? 'Quotes' : 'Invoices']] })}
<form class="card pad stack narrow new-job" method="post" action="${href(`/${kind}s/new`)}">${csrfField}${onceField}${
      choices
        ? html`<input type="hidden" name="q" value="${looked}">${choices}`
        : html`<div class="field"><label for="n-q">For whom? Name, phone or email</label>${picker}${wrong && html`<small class="danger" id="wrong" role="alert">${wrong}</small>`}</div><div class="row"><button class="btn main">${icon('plus')}Make the ${kind}</button></div>`
    }</form>`,
  }
}
