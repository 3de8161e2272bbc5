// A quantity is corrected in its row, without leaving the list, and with a way back.
import { send } from './act.js'
import { toast } from './toast.js'

document.addEventListener(
  'submit',
  async (event) => {
    const form = event.target.closest('form[data-correct]')
    if (!form) return
    event.preventDefault()
    event.stopImmediatePropagation()
    const said = await send(form.action, new FormData(form))
    if (!said.ok) return toast(said.error, { isRefusal: true })
    const details = form.closest('details')
    form.reset()
    form.elements.once.value += '+' // the same words from here on are another correction
    delete form.dataset.dirty
    details.open = false
    details.querySelector('summary').focus()
    form.dispatchEvent(new CustomEvent('saved', { bubbles: true, detail: said }))
  },
  true,
)
