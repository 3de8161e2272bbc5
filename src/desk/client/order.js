// Lists that people put in order: what is dragged goes where it is let go; the service is told the whole order.
import { send } from './act.js'
import { draggable } from './drag.js'
import { hold, release } from './live.js'
import { toast } from './toast.js'

customElements.define(
  'desk-order',
  class extends HTMLElement {
    connectedCallback() {
      this.end = draggable(this, {
        item: '[data-id]',
        hold,
        release,
        drop: (entry, target) => this.place(entry, target),
      })
    }

    disconnectedCallback() {
      this.end?.()
    }

    async place(entry, target) {
      if (entry === target) return
      const entries = [...this.querySelectorAll('[data-id]')]
      const isDown = entries.indexOf(entry) < entries.indexOf(target)
      const next = entry.nextElementSibling
      target[isDown ? 'after' : 'before'](entry)
      const order = [...this.querySelectorAll('[data-id]')].map(({ dataset }) => dataset.id).join(' ')
      const said = await send(this.dataset.path, { order, seen: this.dataset.seen })
      if (!said.ok) {
        entry.parentElement.insertBefore(entry, next)
        return toast(said.error, { isRefusal: true })
      }
      this.dataset.seen = order
      for (const field of this.querySelectorAll('[name=seen]')) field.value = order
      for (const [index, form] of [...this.querySelectorAll('form.order')].entries()) {
        form.elements.up.disabled = index === 0
        form.elements.down.disabled = index === entries.length - 1
      }
      toast(said.words)
    }
  },
)
