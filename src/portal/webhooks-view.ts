// The pages of webhooks: the list, one with its log, how it is made and changed, and its secret, shown once.

import { badge, definitionList, fromNow, secretBlock, timeTag } from '../desk/office-parts.ts'
import { type Html, html } from '../http/html.ts'
import { errorAlert } from '../http/layout.ts'
import type { Webhook } from '../resources/webhooks/actions.ts'
import type { PortalRequest, View } from './router.ts'
import { type DeliveryList, deliveryLog } from './webhook-deliveries-view.ts'
import { patternSentence, typeGroups } from './webhook-types.ts'

export const overlaps = [
  { hours: 24, words: 'In a day' },
  { hours: 72, words: 'In three days' },
  { hours: 1, words: 'In an hour' },
  { hours: 0, words: 'At once' },
] as const

const pausedWords = {
  manual: 'Somebody paused it.',
  gone: 'The receiver answered 410: it wants nothing any more.',
  failing: 'The receiver failed for five days.',
  maker_revoked: 'The key or the app that made it has ended.',
} as const

const statusBadge = ({ isPaused, failingSince }: Webhook): Html =>
  badge(isPaused ? ['Paused', 'idle'] : failingSince === null ? ['Works', 'good'] : ['Fails', 'bad'])

const makerWords = ({ createdBy: { kind, name } }: Webhook): string =>
  ({ key: `the key ${name}`, app: `the app ${name}`, member: name, operator: 'the command line' })[kind]

const momentWords = (moment: string | null, timeZone: string, otherwise: string): Html | string =>
  moment === null ? otherwise : html`${fromNow(new Date(moment))} (${timeTag(new Date(moment), timeZone)})`

const webhookFacts = ({ timeZone }: PortalRequest, webhook: Webhook): Html =>
  definitionList([
    ['Is told', webhook.types.map(patternSentence).join('; ')],
    ['Made by', makerWords(webhook)],
    ['Last delivered', momentWords(webhook.lastDeliveredAt, timeZone, 'never')],
    ...(webhook.failingSince === null
      ? []
      : [['Fails since', momentWords(webhook.failingSince, timeZone, '')] as const]),
    ...(webhook.pausedReason === null ? [] : [['Paused', pausedWords[webhook.pausedReason]] as const]),
  ])

export const webhookListPage = (request: PortalRequest, webhooks: readonly Webhook[]): View => ({
  title: 'Webhooks',
  section: 'webhooks',
  body: html`<h1>Webhooks</h1>
<p>A webhook tells another program what changes in ${request.orgName}, moments after it did, signed.</p>
<div class="buttons"><a class="button" href="${request.href('/webhooks/new')}">Make a webhook</a></div>
${
  webhooks.length === 0
    ? html`<p class="empty">There is no webhook yet. Make one for the first program that should hear of your jobs.</p>`
    : html`<ul class="records">${webhooks.map(
        (webhook) => html`<li>
<h2><a href="${request.href(`/webhooks/${webhook.id}`)}">${webhook.url}</a> ${statusBadge(webhook)}</h2>
${webhook.description !== null && html`<p>${webhook.description}</p>`}
${webhookFacts(request, webhook)}
</li>`,
      )}</ul>`
}`,
})

const checkedIf = (is: boolean): Html | false => is && html` checked`

/** To make one, or to change the one that is given. */
export function newWebhookPage(
  request: PortalRequest,
  { webhook, wrong }: { readonly webhook?: Webhook; readonly wrong?: string } = {},
): View {
  const { form } = request
  const isSent = form.has('csrf')
  const types = isSent ? (form.get('what') === 'chosen' ? form.getAll('type') : ['*']) : (webhook?.types ?? ['*'])
  const isEverything = types.includes('*')
  const chosen = new Set(types)
  const title = webhook ? 'Change the webhook' : 'Make a webhook'
  return {
    title,
    section: 'webhooks',
    status: wrong === undefined ? 200 : 400,
    body: html`<h1>${title}</h1>
${errorAlert(wrong)}
<form method="post" action="${request.href(webhook ? `/webhooks/${webhook.id}/change` : '/webhooks')}">
${request.csrfField}
<label for="url">Address</label>
<input id="url" name="url" type="url" required maxlength="2000" value="${form.get('url') ?? webhook?.url ?? ''}" aria-describedby="url-hint">
<p class="hint" id="url-hint">Where the program listens, such as https://shop.example/hooks. It gets a POST for each event.</p>
<label for="description">What it is for (optional)</label>
<input id="description" name="description" maxlength="500" value="${form.get('description') ?? webhook?.description ?? ''}">
<fieldset>
<legend>What it is told</legend>
<label class="choice"><input type="radio" name="what" value="everything"${checkedIf(isEverything)}>
<span>Everything <small>Also what is added to Jobwright later.</small></span></label>
<label class="choice"><input type="radio" name="what" value="chosen"${checkedIf(!isEverything)}>
<span>Only what I tick below</span></label>
<details${!isEverything && html` open`}><summary>Choose one by one</summary>
${typeGroups.map(
  ({ title: group, types: own }) => html`<div class="group" role="group" aria-label="${group}">
<p><strong>${group}</strong></p>
${own.map(
  (type) => html`<label class="choice"><input type="checkbox" name="type" value="${type}"${checkedIf(chosen.has(type))}>
<span>${patternSentence(type)}</span></label>`,
)}
</div>`,
)}
</details>
</fieldset>
<div class="buttons"><button>${webhook ? 'Save' : 'Make the webhook'}</button><a class="button second" href="${request.href(webhook ? `/webhooks/${webhook.id}` : '/webhooks')}">Cancel</a></div>
</form>`,
  }
}

export const webhookSecretPage = (
  request: PortalRequest,
  webhook: { readonly id: string; readonly url: string; readonly secret: string },
  overlapHours?: number,
): View => {
  const title = overlapHours === undefined ? 'The webhook is made' : 'The webhook has a new secret'
  return {
    title,
    section: 'webhooks',
    body: html`<h1>${title}</h1>
<p>${webhook.url}</p>
${secretBlock('The secret', webhook.secret)}
<p>With it the program checks that a message comes from here, by the signature in its headers.</p>
${
  overlapHours !== undefined &&
  html`<p>${
    overlapHours === 0
      ? 'The secret before no longer signs: put this one in its place now.'
      : `The secret before signs as well for ${overlapHours === 1 ? 'another hour' : `another ${overlapHours} hours`}: put this one in its place until then.`
  }</p>`
}
<div class="buttons"><a class="button" href="${request.href(`/webhooks/${webhook.id}`)}">I have copied it</a></div>`,
  }
}

export const webhookPage = (
  request: PortalRequest,
  webhook: Webhook,
  deliveries: DeliveryList,
  wrong?: string,
): View => {
  const action = (path: string) => request.href(`/webhooks/${webhook.id}/${path}`)
  return {
    title: 'Webhook',
    section: 'webhooks',
    status: wrong === undefined ? 200 : 400,
    body: html`<p class="back"><a href="${request.href('/webhooks')}">All webhooks</a></p>
<h1>${webhook.url} ${statusBadge(webhook)}</h1>
${errorAlert(wrong)}
${webhook.description !== null && html`<p>${webhook.description}</p>`}
${webhookFacts(request, webhook)}
<div class="buttons">
<form method="post" action="${action('test')}">${request.csrfField}<button class="second">Send a test</button></form>
<form method="post" action="${action(webhook.isPaused ? 'resume' : 'pause')}">${request.csrfField}<button class="second">${webhook.isPaused ? 'Resume' : 'Pause'}</button></form>
<a class="button second" href="${action('change')}">Change…</a>
<a class="button danger" href="${action('delete')}">Delete…</a>
</div>
<section>
<h2>What was sent</h2>
${deliveryLog(request, webhook, deliveries)}
</section>
<section>
<h2>Replay</h2>
<p>Sends past events again: what was given up, or a range of positions, such as what happened while it was paused.</p>
<form method="post" action="${action('replay')}">${request.csrfField}
<fieldset>
<legend>Which</legend>
<label class="choice"><input type="radio" name="which" value="failed" checked><span>Those that were given up</span></label>
<label class="choice"><input type="radio" name="which" value="positions"><span>From one position to another</span></label>
</fieldset>
<label for="from">First position</label>
<input id="from" name="from" inputmode="numeric" pattern="[0-9]*" maxlength="15">
<label for="to">Last position</label>
<input id="to" name="to" inputmode="numeric" pattern="[0-9]*" maxlength="15">
<div class="buttons"><button class="second">Replay</button></div></form>
</section>
<section>
<h2>Rotate the secret</h2>
<p>A new secret, for example because somebody saw it who should not have. Until the one before stops, both sign.</p>
<form method="post" action="${action('rotate')}">${request.csrfField}
<label for="overlap">The secret before stops</label>
<select id="overlap" name="overlap">${overlaps.map(({ hours, words }) => html`<option value="${hours}">${words}</option>`)}</select>
<div class="buttons"><button class="second">Rotate the secret</button></div></form>
</section>`,
  }
}

export const deleteWebhookPage = (request: PortalRequest, webhook: Webhook): View => ({
  title: 'Delete the webhook?',
  section: 'webhooks',
  body: html`<h1>Delete the webhook?</h1>
<p>${webhook.url}</p>
<p>Nothing is sent there any more, and its log is deleted. What happened stays: another webhook can be made to hear of it.</p>
<form method="post" action="${request.href(`/webhooks/${webhook.id}/delete`)}">${request.csrfField}
<div class="buttons"><button class="danger">Delete for good</button><a class="button second" href="${request.href(`/webhooks/${webhook.id}`)}">Keep it</a></div>
</form>`,
})
