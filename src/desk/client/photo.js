// Lets a phone take a picture for a form, made small enough to be kept in it; without this script an address will do.

const longest = 300_000
const widest = 1_280

/** Pages that follow each other without being loaded anew have fields of their own. */
const started = new WeakSet()
const startAll = () => {
  for (const box of document.querySelectorAll('[data-photo]')) if (!started.has(box)) start(box)
}
startAll()
document.addEventListener('turbo:load', startAll)

function start(box) {
  started.add(box)
  const field = box.querySelector('input[type="text"]')
  const label = document.createElement('label')
  const picker = document.createElement('input')
  const note = document.createElement('p')
  picker.type = 'file'
  picker.accept = 'image/*'
  picker.id = `${field.id}-file`
  label.htmlFor = picker.id
  label.textContent = 'Take or choose a picture'
  note.className = 'soft small'
  note.setAttribute('role', 'status')
  box.append(label, picker, note)

  picker.addEventListener('change', async () => {
    const [file] = picker.files
    if (!file) return
    try {
      field.value = await small(file)
      note.textContent = 'The picture is ready. Save the answers to keep it.'
    } catch {
      note.textContent = 'The picture cannot be used; try another.'
    }
  })
}

async function small(file) {
  const picture = await createImageBitmap(file)
  for (let width = Math.min(widest, picture.width), quality = 0.8; width >= 200; width = Math.round(width * 0.75)) {
    const canvas = document.createElement('canvas')
    canvas.width = width
    canvas.height = Math.max(1, Math.round((picture.height * width) / picture.width))
    canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height)
    const text = canvas.toDataURL('image/jpeg', quality)
    if (text.length <= longest) return text
    quality = Math.max(0.5, quality - 0.1)
  }
  throw new Error('too large')
}
