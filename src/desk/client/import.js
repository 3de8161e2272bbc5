// Moving in: files are dropped anywhere on the page, and the page of an import that is at work looks again by itself.
import * as Turbo from './turbo.js'

const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes('Files')

/** Around the field for files, which works without it: what is dropped is chosen besides what was chosen before. */
customElements.define(
  'desk-drop',
  class extends HTMLElement {
    connectedCallback() {
      const input = this.querySelector('input')
      const chosen = this.querySelector('[data-chosen]')
      this.querySelector('[data-hint]').hidden = false
      this.listening = new AbortController()
      const listen = (target, type, listener) =>
        target.addEventListener(type, listener, { signal: this.listening.signal })
      const name = () =>
        chosen.replaceChildren(
          ...[...input.files].map((file) => Object.assign(document.createElement('li'), { textContent: file.name })),
        )
      listen(input, 'change', name)
      listen(document, 'dragover', (event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        this.classList.add('over')
      })
      listen(document, 'dragleave', ({ relatedTarget }) => {
        if (!relatedTarget) this.classList.remove('over') // out of the window
      })
      listen(document, 'drop', (event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        this.classList.remove('over')
        const all = new DataTransfer()
        for (const file of [...input.files, ...event.dataTransfer.files]) all.items.add(file)
        input.files = all.files
        name()
      })
    }

    disconnectedCallback() {
      this.listening?.abort()
    }
  },
)

const lookAgainMs = 2_000
let timer
function watch() {
  clearTimeout(timer)
  timer = setTimeout(() => {
    if (!document.querySelector('[data-watch]')) return
    if (document.hidden) watch()
    else Turbo.visit(location.href, { action: 'replace' })
  }, lookAgainMs)
}
document.addEventListener('turbo:load', watch)
watch()
