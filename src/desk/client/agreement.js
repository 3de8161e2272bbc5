// The form of an agreement: what the rule says and the next ten visits follow what is chosen; the server reckons.
const pauseMs = 250
let timer
let turn = 0

async function renew(form) {
  const mine = ++turn
  const fields = [...new FormData(form)].filter(([name]) => !/^(csrf|version|was\.|line|key$)/.test(name))
  const response = await fetch(`${form.dataset.preview}?${new URLSearchParams(fields)}`).catch(() => undefined)
  const place = document.getElementById('preview')
  if (!response?.ok || response.redirected || mine !== turn || !place) return
  place.innerHTML = await response.text() // as our server rendered it
}

document.addEventListener('input', ({ target }) => {
  const form = target.closest('form[data-preview]')
  if (!form || !target.closest('#rule')) return
  clearTimeout(timer)
  timer = setTimeout(renew, pauseMs, form)
})
/** The button is for those without scripts; with them it is the same as choosing. */
document.addEventListener('click', (event) => {
  const form = event.target.closest('button[name=show]')?.form
  if (!form?.matches('[data-preview]')) return
  event.preventDefault()
  renew(form)
})
