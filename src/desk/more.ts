// What does not fit on a phone's tabs: every place the member has, and the way out.
import { html } from '../http/html.ts'
import { pageHead } from './frame.ts'
import { icon } from './icons.ts'
import { placePath, placesFor } from './places.ts'
import type { DeskRouter } from './router.ts'

export function addMoreRoutes(router: DeskRouter): void {
  router.get('/more', [], async (request) =>
    request.render({
      title: 'More',
      place: 'more',
      body: html`${pageHead('More')}
<div class="card"><ul class="list">${placesFor(request.may, request).map(
        (place) =>
          html`<li><a href="${placePath(place, request.orgId)}">${icon(place.icon)}<span class="grow">${place.words}</span></a></li>`,
      )}
<li><a href="${request.href('/keys')}">${icon('more')}<span class="grow">Keys</span></a></li>
<li><a href="${request.href('/account')}">${icon('person')}<span class="grow">Your account</span></a></li></ul></div>
<form class="row" method="post" action="/sign-out">${request.csrfField}<button class="btn">Sign out</button><span class="soft cut">${request.email}</span></form>`,
    }),
  )
  // Until it has a page here.
  router.get('/account', [], async (request) => request.leave(`/portal/${request.orgId}/account`))
}
