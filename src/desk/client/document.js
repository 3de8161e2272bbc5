// The page of a quote or an invoice: lines come and go with a way back, refusals stand beside their field.
import './mail-preview.js'
import { toast } from './toast.js'
import * as Turbo from './turbo.js'

const formOf = () => document.querySelector('form[data-document]')

/** Drafts are saved at once; of what the customer has it is only noted that something waits for the button. */
function changed(form) {
  form.dataset.dirty = ''
  if ('autosave' in form.dataset) form.requestSubmit()
}

/** What was chosen in the catalogue becomes a row, as the server writes it. */
document.addEventListener('picked', async ({ target, detail }) => {
  const form = target.closest('form[data-document]')
  if (!form) return
  const [input, source] = target.querySelectorAll('input')
  input.value = ''
  source.value = ''
  const keys = [...form.querySelectorAll('[data-row]')].map((row) => Number(row.dataset.row))
  const query = new URLSearchParams({ source: detail.value, q: detail.label, key: Math.max(0, ...keys) + 1 })
  const response = await fetch(`${form.dataset.rows}?${query}`).catch(() => undefined)
  if (!response?.ok || response.redirected) return toast('It could not be added. Try again.', { isRefusal: true })
  const rows = document.getElementById('rows')
  rows.insertAdjacentHTML('beforeend', await response.text())
  const quantity = rows.lastElementChild.querySelector('[name=quantity]')
  quantity.focus()
  quantity.select()
  changed(form)
})

document.addEventListener('click', ({ target }) => {
  const opener = target.closest('[data-dialog]')
  const form = formOf()
  // What was just typed goes along with what is sent.
  if (opener && form && 'dirty' in form.dataset && 'autosave' in form.dataset) form.requestSubmit()
  const copy = target.closest('[data-copy]')
  if (copy) {
    const field = document.getElementById(copy.dataset.copy)
    field.select()
    navigator.clipboard
      ?.writeText(field.value)
      .then(() => toast('The address is copied'))
      .catch(() => toast('Copy it with Ctrl C', { isRefusal: true }))
  }
})

/** The next page shows what was just typed: it is saved before. Where that is refused, one stays. */
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-after-save]')
  const form = formOf()
  if (!link || !form || !('dirty' in form.dataset) || !('autosave' in form.dataset)) return
  event.preventDefault()
  const listening = new AbortController()
  const { signal } = listening
  form.addEventListener('refused', () => listening.abort(), { signal })
  form.addEventListener(
    'saved',
    () => {
      if ('dirty' in form.dataset) return // more is on its way
      listening.abort()
      Turbo.visit(link.href)
    },
    { signal },
  )
  form.requestSubmit()
})

document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-row] button[name=remove]')
  if (!button) return
  event.preventDefault()
  const form = button.form
  const row = button.closest('[data-row]')
  const next = row.nextElementSibling
  const rows = row.parentElement
  const name = row.querySelector('[name=name], [name=lineName]').value || 'The line'
  row.remove()
  changed(form)
  const run = () => {
    rows.insertBefore(row, next?.isConnected ? next : null)
    changed(form)
  }
  toast(`${name} is removed`, { act: 'Undo', run })
})

function clearWrong(form) {
  for (const field of form.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid')
  for (const words of form.querySelectorAll('[data-wrong]')) words.textContent = ''
}
document.addEventListener('saved', ({ target }) => {
  if (target.matches('form[data-document]')) clearWrong(target)
})
/** Beside the field, where there is one. */
document.addEventListener('refused', ({ target, detail }) => {
  if (!target.matches('form[data-document]')) return
  clearWrong(target)
  const { key, field } = detail.data ?? {}
  const place = document.getElementById(`w-${key ?? field}`)
  if (!place) return
  place.textContent = detail.error
  const scope = key ? place.closest('[data-row]') : target
  const input = scope.querySelector(`[name="${field}"], [name="${field}.value"]`)
  input?.setAttribute('aria-invalid', 'true')
  input?.setAttribute('aria-describedby', place.id)
})

/** What waits for its button is not left by accident. */
const waits = () => document.querySelector('form[data-document][data-dirty]:not([data-autosave])')
document.addEventListener('turbo:before-visit', (event) => {
  if (event.detail.url === location.href) return // the page is fetched anew, and keeps what was typed
  if (waits() && !confirm('Your changes are not saved. Leave them?')) event.preventDefault()
})
addEventListener('beforeunload', (event) => {
  if (waits()) event.preventDefault()
})
document.addEventListener('submit', ({ target }) => {
  if (target.matches('form[data-document]')) delete target.dataset.dirty
})
