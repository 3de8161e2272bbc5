// The mail as it will be sent, while its words are typed.
const pauseMs = 300
let timer
let turn = 0

async function show(form) {
  const mine = ++turn
  const body = new URLSearchParams(new FormData(form))
  body.set('look', 'part')
  const response = await fetch(form.action, { method: 'POST', body }).catch(() => undefined)
  if (!response?.ok || response.redirected) return // what is shown stays; sending judges anew
  const markup = await response.text()
  const place = document.getElementById(form.dataset.mail)
  if (mine === turn && place) place.innerHTML = markup
}

document.addEventListener('input', ({ target }) => {
  const form = target.closest('form[data-mail]')
  if (!form) return
  clearTimeout(timer)
  timer = setTimeout(show, pauseMs, form)
})
