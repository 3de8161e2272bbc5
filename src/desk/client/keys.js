// Keys: G then a letter goes to a place, N makes a job, arrows walk over cards, Z takes back. A switch turns them off.

import { openPalette } from './listbox.js'
import { undoLast } from './toast.js'
import * as Turbo from './turbo.js'

const leadMs = 1_200
const places = {
  t: 'today',
  m: 'my-day',
  b: 'board',
  c: 'calendar',
  u: 'customers',
  q: 'quotes',
  i: 'invoices',
  a: 'recurring',
  s: 'stock',
  r: 'reports',
}
const steps = {
  ArrowDown: [0, 1],
  j: [0, 1],
  ArrowUp: [0, -1],
  k: [0, -1],
  ArrowRight: [1, 0],
  l: [1, 0],
  ArrowLeft: [-1, 0],
  h: [-1, 0],
}
let ledAt = Number.NEGATIVE_INFINITY // not 0: a page's clock begins there

document.addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event
  if ((ctrlKey || metaKey) && key === 'k') {
    event.preventDefault()
    return openPalette()
  }
  // Single keys do nothing while somebody types, and nothing for those who turned them off.
  if (ctrlKey || metaKey || altKey || target.closest?.('input, textarea, select, dialog[open]')) return
  if (!('keys' in document.body.dataset)) return
  if (performance.now() - ledAt < leadMs) {
    ledAt = Number.NEGATIVE_INFINITY
    const place = places[key]
    const link = place && document.querySelector(`.rail a[href$="/${place}"]`)
    if (!link) return
    event.preventDefault()
    return Turbo.visit(link.href)
  }
  if (key === 'g') {
    ledAt = performance.now()
  } else if (key === '/') {
    event.preventDefault()
    openPalette()
  } else if (key === 'z') {
    undoLast()
  } else if (key === 'n') {
    Turbo.visit(`${document.body.dataset.desk}/jobs/new`)
  } else if (steps[key]) {
    walk(event, steps[key])
  }
})

/** Over the cards of the board: within a column, or to the next one that has any. */
function walk(event, [across, down]) {
  const columns = [...document.querySelectorAll('.column')].map((column) =>
    [...column.querySelectorAll('.job')].filter((card) => card.offsetParent),
  )
  if (!columns.some(({ length }) => length > 0)) return
  event.preventDefault()
  const card = document.activeElement?.closest('.job')
  let x = columns.findIndex((column) => column.includes(card))
  let y = columns[x]?.indexOf(card) ?? 0
  if (x < 0) {
    x = columns.findIndex(({ length }) => length > 0)
  } else if (down !== 0) {
    y += down
  } else {
    do x += across
    while (columns[x]?.length === 0)
  }
  const column = columns[x]
  column?.[Math.max(0, Math.min(y, column.length - 1))]?.querySelector('a')?.focus()
}
