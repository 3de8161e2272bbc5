// Lets a reader sign with finger, pen or mouse; without this script the form is complete all the same.

const longest = 400_000

/** Pages that follow each other without being loaded anew have pads of their own. */
const started = new WeakSet()
const startAll = () => {
  for (const pad of document.querySelectorAll('[data-signature]')) if (!started.has(pad)) start(pad)
}
startAll()
document.addEventListener('turbo:load', startAll)

function start(pad) {
  started.add(pad)
  const canvas = pad.querySelector('canvas')
  const field = pad.querySelector('input[name="signature"]')
  const clear = pad.querySelector('button')
  const brush = canvas.getContext('2d')
  let last = null
  let isEmpty = true
  pad.hidden = false

  // The picture has the size of its box, once: a changed size would wipe it.
  const fit = () => {
    const { width, height } = canvas.getBoundingClientRect()
    const density = Math.min(window.devicePixelRatio || 1, 2)
    canvas.width = Math.round(width * density)
    canvas.height = Math.round(height * density)
    brush.lineWidth = 2.2 * density
    brush.lineCap = 'round'
    brush.lineJoin = 'round'
    // Always ink on white: the box stays white in the dark, too.
    brush.strokeStyle = '#18212c'
  }
  // A box that is folded away has no size yet.
  const folded = canvas.closest('details:not([open])')
  if (folded) folded.addEventListener('toggle', fit, { once: true })
  else fit()

  const place = (event) => {
    const box = canvas.getBoundingClientRect()
    return {
      x: ((event.clientX - box.left) / box.width) * canvas.width,
      y: ((event.clientY - box.top) / box.height) * canvas.height,
    }
  }

  const draw = (from, to) => {
    brush.beginPath()
    brush.moveTo(from.x, from.y)
    brush.lineTo(to.x + 0.01, to.y)
    brush.stroke()
    isEmpty = false
  }

  const keep = () => {
    const picture = isEmpty ? '' : canvas.toDataURL('image/png')
    field.value = picture.length <= longest ? picture : ''
    clear.hidden = isEmpty
  }

  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return
    canvas.setPointerCapture(event.pointerId)
    last = place(event)
    draw(last, last)
  })
  canvas.addEventListener('pointermove', (event) => {
    if (!last) return
    for (const step of event.getCoalescedEvents?.() ?? [event]) {
      const next = place(step)
      draw(last, next)
      last = next
    }
  })
  for (const end of ['pointerup', 'pointercancel'])
    canvas.addEventListener(end, () => {
      if (last) keep()
      last = null
    })
  clear.addEventListener('click', () => {
    brush.clearRect(0, 0, canvas.width, canvas.height)
    isEmpty = true
    keep()
  })
}
