// For whom a new agreement is: the customer is found first, as one types or by a plain form.
import { html } from '../http/html.ts'
import { pageHead, type View } from './frame.ts'
import type { FoundCustomer } from './new-job-view.ts'
import type { DeskRequest } from './router.ts'

interface Choice {
  readonly words: string
  readonly found: readonly FoundCustomer[]
}

export function chooseCustomerView({ href }: DeskRequest, { words, found }: Choice): View {
  const title = 'New agreement'
  const address = (id: string) => href(`/recurring/new?customer=${id}`)
  return {
    title,
    place: 'recurring',
    body: html`${pageHead(title, { crumbs: [[href('/recurring'), 'Agreements']] })}
<form class="card pad stack narrow new-job" action="${href('/recurring/new')}"><div class="field"><label for="n-q">For whom? Name, phone or email</label><desk-pick class="pick-here" src="${href('/jobs/new/customers')}"><input name="q" id="n-q" role="combobox" aria-expanded="false" aria-autocomplete="list" aria-controls="customers" autocomplete="off" maxlength="200" value="${words}"><input type="hidden" name="customer"><div class="options" id="customers" role="listbox" aria-label="Customers"></div></desk-pick></div>
${words !== '' && found.length === 0 && html`<p class="danger" role="alert">Nobody found. Make the customer first, under Customers.</p>`}${found.length > 0 && html`<ul class="list">${found.map(({ id, name, phone, email }) => html`<li><a href="${address(id)}"><span class="grow cut">${name}</span><span class="soft small cut">${[phone, email].filter(Boolean).join(' · ')}</span></a></li>`)}</ul>`}
<div class="row"><button class="btn main">Find</button><a class="btn quiet" href="${href('/recurring')}">Cancel</a></div></form>`,
  }
}
