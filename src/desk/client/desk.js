// What the desk does beyond HTML, on every page. Every form works without it.
import * as Turbo from './turbo.js'
import './keys.js'
import './save.js'
import './board.js'
import './calendar.js'
import './job.js'
import './new-job.js'
import './photo.js'
import './signature.js'
import './stock.js'
import { openPalette } from './listbox.js'
import { startLive } from './live.js'

Turbo.config.drive.progressBarDelay = 300
startLive()

document.addEventListener('click', (event) => {
  const { target } = event
  if (target.closest('[data-palette]')) {
    event.preventDefault()
    openPalette()
  }
  if (target.closest('[data-print]')) print()
  const opener = target.closest('[data-dialog]')
  if (opener) {
    event.preventDefault()
    document.getElementById(opener.dataset.dialog)?.showModal()
  }
  // On the backdrop, or with a button that is none of the form's: Enter in a field must not be the same as Cancel.
  if (target.matches('dialog') || target.closest('[data-close]')) target.closest('dialog').close()
})
