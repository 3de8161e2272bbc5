// The page of a job: choices act at once and can be taken back, totals come with what is saved, lines are added in a row.
import { send } from './act.js'
import { hold, release } from './live.js'
import { toast } from './toast.js'

const labelOf = (field) => (field.tagName === 'SELECT' ? field.selectedOptions[0]?.textContent : field.value)
const names = {
  assignedTechnician: 'Technician',
  stationId: 'Place',
  priority: 'Priority',
  visit: 'Visit',
  status: 'Status',
}

/** What the form held when it came from the server. */
const initial = (form) =>
  [...form.elements].map((field) => [
    field,
    field.tagName === 'SELECT'
      ? [...field.options].find(({ defaultSelected }) => defaultSelected)?.value
      : field.type === 'checkbox'
        ? field.defaultChecked
        : field.defaultValue,
  ])

/** `{ name: value }` as it would be sent. */
const fieldsOf = (form) => Object.fromEntries(new FormData(form))

function statusOf(root) {
  return root.querySelector('select[name=status] option[selected]')?.value
}

let last = Promise.resolve()
/** One choice after the other; `back` is what takes it back. */
function choose(form, fields, back, words) {
  last = last.then(() => chooseOnce(form, fields, back, words))
}

/** What was chosen is what the next choice is made from, also before the page is renewed. */
function keep(form, name, fields) {
  const was = form.elements[`was.${name}`]
  if (was && name in fields) was.value = fields[name]
  for (const select of document.querySelectorAll(`select[name="${name}"]`))
    for (const option of select.options) option.defaultSelected = option.value === fields[name]
}

async function chooseOnce(form, fields, back, words) {
  hold()
  const said = await send(form.action, fields)
  if (said.ok) {
    keep(form, form.dataset.quick, fields)
    toast(
      words,
      back ? { act: 'Undo', run: () => choose(form, { ...back, version: '' }, undefined, 'Taken back') } : {},
    )
  } else {
    const isGated = said.code === 'FORM_GATE_TRANSITION'
    const isStale = said.code === 'PRECONDITION_FAILED'
    toast(said.error, {
      isRefusal: true,
      ...(isGated && said.data?.formPath && { act: 'Open the form', href: said.data.formPath }),
      ...(isStale && { act: 'Look at both', run: () => HTMLFormElement.prototype.submit.call(form) }),
    })
    if (!isStale) for (const [field, value] of initial(form)) putBack(field, value)
  }
  document.activeElement?.blur?.() // so that the form is renewed with the page
  delete form.dataset.dirty
  release({ refresh: said.ok })
}

function putBack(field, value) {
  if (field.type === 'checkbox') field.checked = value
  else if (value !== undefined && field.type !== 'hidden') field.value = value
}

document.addEventListener(
  'submit',
  (event) => {
    const form = event.target.closest('form[data-quick]')
    if (!form) return
    event.preventDefault()
    event.stopImmediatePropagation()
    const name = form.dataset.quick
    const fields = fieldsOf(form)
    const before = name === 'status' ? statusOf(document) : fields[`was.${name}`]
    const now = form.elements[name]
    const words =
      name === 'visit'
        ? 'The visit is saved'
        : `${names[name]}: ${name === 'status' && now.type === 'hidden' ? now.value : labelOf(now)}`
    form.closest('details')?.removeAttribute('open')
    choose(form, fields, before === undefined ? undefined : { [name]: before }, words)
  },
  true,
)

/** A line is taken, and the next one can be typed at once. */
document.addEventListener(
  'submit',
  async (event) => {
    const form = event.target.closest('form[data-add]')
    if (!form) return
    event.preventDefault()
    event.stopImmediatePropagation()
    const fields = fieldsOf(form)
    if (!fields.q.trim()) return
    if (!fields.source) fields.source = 'text'
    hold()
    const said = await send(form.action, fields)
    if (said.ok) {
      form.reset()
      form.elements.source.value = ''
      delete form.dataset.dirty
    } else toast(said.error, { isRefusal: true })
    release({ refresh: said.ok })
  },
  true,
)

/** What came with the answer: sums, and the way back. */
document.addEventListener('saved', ({ target, detail }) => {
  for (const [id, markup] of Object.entries(detail.parts ?? {})) {
    const place = document.getElementById(id)
    if (place) place.innerHTML = markup
  }
  if (detail.isGone) target.closest('li')?.remove()
  if (detail.undo) {
    const { path, fields } = detail.undo
    const run = async () => {
      hold()
      const said = await send(path, fields)
      toast(said.ok ? 'Taken back' : said.error, { isRefusal: !said.ok })
      release({ refresh: true })
    }
    toast(detail.said, { act: 'Undo', run })
  }
})
