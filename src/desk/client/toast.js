// Says things without being in the way: what was done, with a way back; what was refused, and why.
const place = () => document.querySelector('#toasts')
let takeBack

/** `act` is the button's words: with `href` it leads there, with `run` it does that, also by the key Z. */
export function toast(text, { isRefusal = false, act, href, run } = {}) {
  const message = document.createElement('div')
  message.className = isRefusal ? 'toast bad' : 'toast'
  if (isRefusal) message.setAttribute('role', 'alert')
  const words = document.createElement('span')
  words.className = 'grow'
  words.textContent = text
  message.append(words)
  const end = () => {
    message.remove()
    if (takeBack === undo) takeBack = undefined
  }
  const undo =
    run &&
    (() => {
      end()
      run()
    })
  if (act) {
    const button = document.createElement(href ? 'a' : 'button')
    button.className = 'btn'
    button.textContent = act
    if (href) button.href = href
    button.addEventListener('click', undo ?? end)
    message.append(button)
  }
  place().replaceChildren(message)
  takeBack = isRefusal ? undefined : undo
  const shownMs = isRefusal ? 9_000 : 6_000
  // Whoever is at it needs it for longer.
  const leave = () => setTimeout(() => (message.matches(':hover, :focus-within') ? leave() : end()), shownMs)
  leave()
}

/** Whether there was something to take back. */
export function undoLast() {
  const undo = takeBack
  takeBack = undefined
  undo?.()
  return undo !== undefined
}

let timer
/** Beside the title of the page. */
export function showSaved(text = 'Saved') {
  const output = document.querySelector('#saved')
  if (!output) return
  output.textContent = text
  output.classList.toggle('on', text !== '')
  clearTimeout(timer)
  if (text === 'Saved') timer = setTimeout(() => output.classList.remove('on'), 1_600)
}
