// Keys: which there are, and the switch that turns single keys off for this browser (WCAG 2.1.4).
import { type Html, html } from '../http/html.ts'
import { pageHead } from './frame.ts'
import type { DeskRouter } from './router.ts'

const keyMap: readonly (readonly [keys: readonly string[], words: string])[] = [
  [['Ctrl K', '/'], 'Search, and commands'],
  [['G T', 'G M'], 'Go to Today, to My day'],
  [['G B', 'G C', 'G U'], 'Go to the board, the calendar, customers'],
  [['G Q', 'G I', 'G A'], 'Go to quotes, to invoices, to agreements'],
  [['G S', 'G R'], 'Go to stock, to reports'],
  [['N'], 'New job'],
  [['←', '→', '↑', '↓'], 'Walk over the cards of the board; H J K L do the same'],
  [['Enter'], 'Open the card'],
  [['M'], 'Move the card, then 1 to 9 for the status'],
  [['Z'], 'Undo what was just done'],
  [['Esc'], 'Put down what you carry, close what is open'],
]

const keyList = (keys: readonly string[]): Html[] => keys.map((key) => html`<kbd>${key}</kbd> `)

export function addKeyRoutes(router: DeskRouter): void {
  router.get('/keys', [], async (request) =>
    request.render({
      title: 'Keys',
      place: 'account',
      body: html`${pageHead('Keys')}
<div class="stack narrow"><section class="card"><table><thead><tr><th scope="col">Key</th><th scope="col">What it does</th></tr></thead><tbody>${keyMap.map(
        ([keys, words]) => html`<tr><td class="num">${keyList(keys)}</td><td>${words}</td></tr>`,
      )}</tbody></table></section>
<form class="card pad row" method="post" action="${request.href('/keys')}">${request.csrfField}<span class="grow">${
        request.usesKeys
          ? 'Single keys are on in this browser. They do nothing while you type.'
          : 'Single keys are off in this browser. Ctrl K still opens the search.'
      }</span><button class="btn" name="keys" value="${request.usesKeys ? 'off' : 'on'}">Turn them ${request.usesKeys ? 'off' : 'on'}</button></form></div>`,
    }),
  )
  router.post('/keys', [], async (request) => {
    request.setUsesKeys(request.form.get('keys') !== 'off')
    return request.redirect('/keys', 'saved')
  })
}
