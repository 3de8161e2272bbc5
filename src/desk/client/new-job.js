// A new job: whoever was found is shown with their devices, and what was typed elsewhere stays.
import { deskPath } from './act.js'

document.addEventListener('picked', async ({ target, detail }) => {
  if (!target.matches('desk-pick[data-customer]')) return
  const part = document.querySelector('#customer-part')
  if (detail.value === '') return startNew(part, detail.label)
  const address = `${deskPath()}/jobs/new?part=customer&customer=${encodeURIComponent(detail.value)}`
  const response = await fetch(address, { headers: { accept: 'text/html' } })
  if (!response.ok || response.redirected) return
  part.innerHTML = await response.text() // as our server rendered it
  document.querySelector('#n-serviceRequired').focus()
})

/** The words that were looked for are a name, an address or a number. */
function startNew(part, text) {
  part.querySelector('#new-customer').open = true
  const field = /@/.test(text) ? 'email' : /^[\d\s+()/.-]+$/.test(text) ? 'phone' : 'firstName'
  const [first, ...rest] = field === 'firstName' ? text.split(/\s+/) : [text]
  part.querySelector(`[name=${field}]`).value = first
  if (rest.length > 0) part.querySelector('[name=lastName]').value = rest.join(' ')
  part.querySelector('[name=q]').value = ''
  part.querySelector('[name=firstName]').focus()
}

/** Back to looking for somebody, without losing the rest. */
document.addEventListener('click', async (event) => {
  const button = event.target.closest('#customer-part [name=other]')
  if (!button) return
  event.preventDefault()
  const response = await fetch(`${deskPath()}/jobs/new?part=customer`, { headers: { accept: 'text/html' } })
  if (!response.ok || response.redirected) return button.form.requestSubmit(button)
  document.querySelector('#customer-part').innerHTML = await response.text()
  document.querySelector('#n-q').focus()
})
