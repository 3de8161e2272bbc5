// Saves a form as one types: after a pause, on leaving a field, and on leaving the page.

import { send } from './act.js'
import { showSaved, toast } from './toast.js'
import * as Turbo from './turbo.js'

const pauseMs = 450
const timers = new WeakMap()
const running = new WeakMap()

/** One after the other: what a later one was made from is what the one before it has saved. */
function save(form, submitter) {
  clearTimeout(timers.get(form))
  timers.delete(form)
  const turn = (running.get(form) ?? Promise.resolve()).then(() =>
    saveOnce(form, submitter, () => running.get(form) === turn),
  )
  running.set(form, turn)
  return turn
}

async function saveOnce(form, submitter, isLast) {
  showSaved('Saving…')
  const sent = new FormData(form, submitter)
  const said = await send(form.action, sent)
  if (!said.ok) {
    showSaved('')
    // Sent as a plain form it leads to the page that shows both.
    const look = { act: 'Look at both', run: () => HTMLFormElement.prototype.submit.call(form) }
    toast(said.error, { isRefusal: true, ...(said.code === 'PRECONDITION_FAILED' && look) })
    form.dispatchEvent(new CustomEvent('refused', { bubbles: true, detail: said }))
    return
  }
  if (said.version && form.elements.version) form.elements.version.value = said.version
  for (const [name, value] of sent) {
    const was = form.elements[`was.${name}`]
    if (was) was.value = value
  }
  if (isLast() && !timers.has(form)) delete form.dataset.dirty // or what was typed since is on its way
  showSaved()
  if ((submitter?.name && !said.undo) || said.reload) Turbo.visit(location.href, { action: 'replace' })
  form.dispatchEvent(new CustomEvent('saved', { bubbles: true, detail: said }))
}

document.addEventListener('input', ({ target }) => {
  const form = target.closest('form[data-autosave]')
  if (!form || target.closest('desk-pick')) return
  clearTimeout(timers.get(form))
  timers.set(form, setTimeout(save, pauseMs, form))
})
document.addEventListener(
  'submit',
  (event) => {
    const form = event.target.closest('form[data-autosave]')
    if (!form) return
    event.preventDefault()
    event.stopImmediatePropagation()
    save(form, event.submitter)
  },
  true,
)
/** A choice that acts at once: `<select data-submit>`. */
document.addEventListener('change', ({ target }) => {
  if (target.matches('[data-submit]')) target.form.requestSubmit()
})

/** Whoever leaves within the pause loses nothing. */
function saveAll() {
  for (const form of document.querySelectorAll('form[data-autosave]')) if (timers.has(form)) save(form)
}
document.addEventListener('turbo:before-visit', saveAll)
addEventListener('pagehide', () => {
  for (const form of document.querySelectorAll('form[data-autosave]'))
    if (timers.has(form)) navigator.sendBeacon(form.action, new URLSearchParams(new FormData(form)))
})
