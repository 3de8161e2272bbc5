// A list under a field, filled by the server as one types: the palette, the catalogue, customers.
import * as Turbo from './turbo.js'

/** `load` answers the options' markup, as our server rendered it; `choose` gets the one that was taken. */
export function listbox(input, box, load, choose) {
  let at = -1
  let turn = 0
  const options = () => [...box.querySelectorAll('[role=option]')]
  const mark = (index) => {
    const all = options()
    at = all.length > 0 ? (index + all.length) % all.length : -1
    for (const [place, option] of all.entries()) option.setAttribute('aria-selected', String(place === at))
    if (at < 0) return input.removeAttribute('aria-activedescendant')
    input.setAttribute('aria-activedescendant', all[at].id)
    all[at].scrollIntoView({ block: 'nearest' })
  }
  const fill = async () => {
    const mine = ++turn
    const markup = await load(input.value.trim()).catch(() => '')
    if (mine !== turn) return
    box.innerHTML = markup
    input.setAttribute('aria-expanded', String(markup !== ''))
    mark(0)
  }
  input.addEventListener('input', fill)
  input.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      mark(at + step)
    } else if (event.key === 'Enter' && options()[at]) {
      event.preventDefault()
      choose(options()[at])
    }
  })
  box.addEventListener('mousedown', (event) => {
    const option = event.target.closest('[role=option]')
    if (!option) return
    event.preventDefault()
    choose(option)
  })
  return fill
}

const fetchText = async (address) => {
  const response = await fetch(address, { headers: { accept: 'text/html' } })
  return response.ok && !response.redirected ? response.text() : ''
}

/**
 * `<desk-pick src="…"><input type="text"><input type="hidden" name="…"><div role="listbox"></div></desk-pick>`: what is
 * taken goes into the hidden field, and its form is sent. Without scripts the text itself is sent.
 */
customElements.define(
  'desk-pick',
  class extends HTMLElement {
    connectedCallback() {
      const [input, value] = this.querySelectorAll('input')
      const box = this.querySelector('[role=listbox]')
      const clear = () => {
        box.replaceChildren()
        input.setAttribute('aria-expanded', 'false')
      }
      const load = (text) =>
        text ? fetchText(`${this.getAttribute('src')}?q=${encodeURIComponent(text)}`) : Promise.resolve('')
      listbox(input, box, load, (option) => {
        value.value = option.dataset.value
        input.value = option.dataset.label
        clear()
        this.dispatchEvent(new CustomEvent('picked', { bubbles: true, detail: option.dataset }))
        if (!this.hasAttribute('stay')) this.closest('form').requestSubmit()
      })
      input.addEventListener('blur', () => setTimeout(clear, 120))
      input.addEventListener('keydown', (event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        clear()
      })
    }
  },
)

let fillPalette

export function openPalette() {
  const dialog = document.querySelector('#palette')
  const input = dialog.querySelector('input')
  fillPalette ??= listbox(
    input,
    dialog.querySelector('#found'),
    (text) => fetchText(`${document.body.dataset.desk}/search?part=1&q=${encodeURIComponent(text)}`),
    (option) => {
      dialog.close()
      Turbo.visit(option.dataset.href)
    },
  )
  if (!dialog.open) dialog.showModal()
  input.value = ''
  fillPalette()
}
