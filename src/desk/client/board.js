// The board: a card goes at once, and comes back with the reason if the service refuses.
import { deskPath, send } from './act.js'
import { draggable } from './drag.js'
import { hold, release } from './live.js'
import { toast } from './toast.js'

async function move(card, status, { isUndo = false } = {}) {
  const { job, number, status: before } = card.dataset
  if (status === before) return
  const home = card.parentElement
  const next = card.nextElementSibling
  const column = [...document.querySelectorAll('.column')].find(({ dataset }) => dataset.drop === status)
  column?.querySelector('ol').prepend(card)
  card.classList.add('waiting')
  hold()
  const said = await send(`${deskPath()}/jobs/${job}/status`, { status })
  card.classList.remove('waiting')
  if (said.ok) {
    card.dataset.status = status
    const undo = { act: 'Undo', run: () => move(document.getElementById(card.id) ?? card, before, { isUndo: true }) }
    toast(`#${number} is now ${status}`, isUndo ? {} : undo)
  } else {
    home.insertBefore(card, next)
    card.classList.add('shake')
    card.addEventListener('animationend', () => card.classList.remove('shake'), { once: true })
    card.querySelector('a').focus()
    const isGated = said.code === 'FORM_GATE_TRANSITION'
    toast(said.error, {
      isRefusal: true,
      ...(isGated && { act: 'Open the form', href: said.data?.formPath ?? card.querySelector('a').href }),
    })
  }
  release({ refresh: true })
}

function openMover(card) {
  const dialog = document.querySelector('#mover')
  dialog.querySelector('[data-name]').textContent = `#${card.dataset.number}`
  dialog.showModal()
  dialog.onkeydown = (event) => {
    const button = dialog.querySelectorAll('[name=status]')[Number(event.key) - 1]
    if (!button) return
    event.preventDefault()
    button.click()
  }
  dialog.querySelector('form').onsubmit = (event) => {
    if (event.submitter?.name !== 'status') return
    event.preventDefault()
    dialog.close()
    move(card, event.submitter.value)
  }
}

document.addEventListener('keydown', (event) => {
  const card = document.activeElement?.closest?.('.job')
  if (event.key !== 'm' || !card || event.ctrlKey || event.metaKey || event.altKey) return
  if (!('keys' in document.body.dataset) || event.target.closest('input, textarea, select, dialog[open]')) return
  event.preventDefault()
  openMover(card)
})

customElements.define(
  'desk-board',
  class extends HTMLElement {
    connectedCallback() {
      this.end = draggable(this, {
        item: '.job[data-movable]',
        hold,
        release,
        drop: (card, target) => move(card, target.dataset.drop),
      })
    }

    disconnectedCallback() {
      this.end?.()
    }
  },
)
