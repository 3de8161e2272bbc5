// Keeps pages live: one stream for the whole browser, and a refresh that never takes away what somebody is at.
import * as Turbo from './turbo.js'

/** HTTP/1.1 has six connections: one tab listens, and tells the others. */
const channel = new BroadcastChannel('jobwright-desk')
/** How long a change of our own is expected to come back as news. */
const ownMs = 5_000
const own = new Map()
let busy = 0
let isBehind = false

/** The page shows it already. */
export function noteOwn(id) {
  own.set(id, performance.now())
}

/** Between these two nothing is refreshed: something is in somebody's hand, or on its way. */
export function hold() {
  busy++
}
export function release({ refresh = false } = {}) {
  busy--
  isBehind ||= refresh
  catchUp()
}

function isOwn({ id, parent, actor }) {
  const now = performance.now()
  for (const [known, at] of own) if (now - at > ownMs) own.delete(known)
  return actor === document.body.dataset.member && (own.has(id) || own.has(parent))
}

/** A page names what it shows (`data-live="tickets quotes"`). */
const livePart = () => document.querySelector('[data-live]')

function concerns({ resource }) {
  const topics = livePart()?.dataset.live.split(' ') ?? []
  return topics.includes(resource) || topics.includes(resource.split('/')[0])
}

/** Without `changes` anything may have changed. */
function hear({ desk, changes }) {
  if (desk !== document.body.dataset.desk) return
  if (changes && !changes.some((change) => concerns(change) && !isOwn(change))) return
  isBehind = true
  catchUp()
}

/** What comes together is one refresh. Whether it may be is looked at when it comes to it: a form may be on its way by then. */
function catchUp() {
  clearTimeout(waiting)
  if (isBehind) waiting = setTimeout(refresh, togetherMs)
}
const togetherMs = 150
let waiting

function refresh() {
  // Turbo drops a refresh that comes during a visit: it is kept for afterwards.
  if (!isBehind || busy > 0 || document.hidden || Turbo.session.navigator.currentVisit) return
  isBehind = false
  // A page that names nothing may be the answer to a form, with a secret that is shown once.
  if (livePart()) Turbo.session.debouncedRefresh(location.href)
}

channel.onmessage = ({ data }) => hear(data)
document.addEventListener('visibilitychange', catchUp)
document.addEventListener('turbo:load', () => setTimeout(catchUp))

function listen({ wasDown = false } = {}) {
  return new Promise((ended) => {
    const desk = document.body.dataset.desk
    const source = new EventSource(`${desk}/live`)
    const tell = (news) => {
      channel.postMessage(news)
      hear(news)
    }
    source.onmessage = ({ data }) => tell({ desk, changes: JSON.parse(data) })
    source.onerror = () => {
      wasDown = true
      document.documentElement.dataset.offline = ''
    }
    source.onopen = () => {
      delete document.documentElement.dataset.offline
      if (wasDown) tell({ desk }) // whatever happened meanwhile
      wasDown = false
    }
    addEventListener(
      'pagehide',
      () => {
        source.close()
        ended()
      },
      { once: true },
    )
  })
}

/** Without https there are no locks: then each tab listens for itself. */
export function startLive() {
  if (!navigator.locks) return void listen()
  const name = `jobwright-live ${document.body.dataset.desk}`
  // Whoever waited takes over from a tab that was closed: what happened in between was told to nobody.
  const takeOver = () => listen({ wasDown: true })
  navigator.locks.request(name, { ifAvailable: true }, (lock) => {
    if (lock) return listen()
    navigator.locks.request(name, takeOver)
  })
}

addEventListener('offline', () => {
  document.documentElement.dataset.offline = ''
})
addEventListener('online', () => {
  delete document.documentElement.dataset.offline
})

/** Once what was answered is shown; where nothing is to be shown, a little later. */
function afterNextRender(go) {
  const once = () => {
    clearTimeout(timer)
    document.removeEventListener('turbo:render', once)
    go()
  }
  const timer = setTimeout(once, answerShownMs)
  document.addEventListener('turbo:render', once)
}
const answerShownMs = 2_000

const isAt = 'form[data-dirty], form:focus-within, dialog[open], .lifted, .waiting'
/** A form that was sent: its answer holds what was typed and what was wrong with it, and takes its place. */
let answered
document.addEventListener('turbo:before-morph-element', (event) => {
  if (event.target !== answered && event.target.matches?.(isAt)) event.preventDefault()
})
document.addEventListener('turbo:render', () => {
  answered = undefined
})
document.addEventListener('turbo:before-morph-attribute', (event) => {
  if (event.detail.attributeName === 'open') event.preventDefault()
})
document.addEventListener('input', ({ target }) => {
  const form = target.closest('form')
  if (form) form.dataset.dirty = ''
})
// A refresh while a form is on its way would take the place of what it leads to.
document.addEventListener('turbo:submit-start', hold)
document.addEventListener('turbo:submit-end', ({ target, detail }) => {
  afterNextRender(release)
  if (!detail.fetchResponse) return // no connection: what was typed stays
  answered = target
  delete target.dataset.dirty
})
