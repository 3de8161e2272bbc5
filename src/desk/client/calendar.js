// The calendar: visits are moved, made longer and made by hand; what the server renders is what counts.
import { deskPath, send } from './act.js'
import { draggable } from './drag.js'
import { hold, release } from './live.js'
import { toast } from './toast.js'

const visitPath = (id, act) => `${deskPath()}/calendar/${id}/${act}`
const twoDigits = (number) => String(number).padStart(2, '0')
/** 37 quarters after midnight are 09:15; after the last one it is midnight again. */
const timeOf = (quarter) => `${twoDigits(Math.floor(quarter / 4) % 24)}:${twoDigits((quarter % 4) * 15)}`

/** Quarters of the day that a lane shows: the first, how many, and which one is at a place on the screen. */
function rulerOf(track) {
  const { left, width } = track.getBoundingClientRect()
  const first = Number(track.dataset.first)
  const quarters = Number(track.dataset.quarters)
  const within = (quarter) => Math.max(0, Math.min(quarters - 1, quarter))
  return {
    first,
    at: (x) => within(Math.floor(((x - left) / width) * quarters)),
    near: (x) => within(Math.round(((x - left) / width) * quarters)),
  }
}

/** Sends an act while the element is dimmed. The page is rendered anew afterwards, or as it was with the reason. */
async function act(element, path, fields, { done, undone = () => {} }) {
  element.classList.add('waiting')
  hold()
  const said = await send(path, fields)
  element.classList.remove('waiting')
  if (said.ok) {
    done(said)
  } else {
    undone()
    element.classList.add('shake')
    element.addEventListener('animationend', () => element.classList.remove('shake'), { once: true })
    element.querySelector('a')?.focus()
    toast(said.error, { isRefusal: true })
  }
  release({ refresh: true })
  return said
}

/** The reverse operation, which may be refused like any other. */
async function takeBack(path, fields) {
  hold()
  const said = await send(path, fields)
  toast(said.ok ? 'Taken back' : said.error, { isRefusal: !said.ok })
  release({ refresh: true })
}

function change(card, fields, undone) {
  const path = visitPath(card.dataset.visit, 'move')
  return act(card, path, fields, {
    undone,
    done: ({ words, was, isChanged }) =>
      isChanged && toast(`Now ${words}`, { act: 'Undo', run: () => takeBack(path, was) }),
  })
}

const planned = ({ id, words, was, mayUndo }) =>
  toast(`Planned for ${words}`, mayUndo ? { act: 'Undo', run: () => takeBack(visitPath(id, 'unplan'), was) } : {})

/** On a lane the left edge says the time; on a day of the week a visit keeps its own. */
function drop(element, target, { x, grabX }) {
  const { day, drop: who } = target.dataset
  const ruler = target.matches('.track') && rulerOf(target)
  const fields = { day, who, ...(ruler && { time: timeOf(ruler.first + ruler.near(x - grabX)) }) }
  if (element.dataset.visit) return change(element, fields)
  // What is to be planned has no width of its own: the pointer says the time.
  const time = ruler && { time: timeOf(ruler.first + ruler.at(x)) }
  return act(element, `${deskPath()}/calendar`, { ...fields, ...time, job: element.dataset.plan }, { done: planned })
}

const stretch = {
  follow(card, track, x) {
    const start = Number(/\bc(\d+)/.exec(card.className)[1])
    const span = Math.max(1, rulerOf(track).at(x) - start + 1)
    card.className = card.className.replace(/\bw\d+/, `w${span}`)
    return rulerOf(track).first + start + span
  },
  done(card, end, putBack) {
    return change(card, { until: timeOf(end) }, putBack)
  },
}

const make = {
  follow(track, x, otherX, ghost) {
    const ruler = rulerOf(track)
    const [from, to] = [ruler.at(Math.min(x, otherX)), ruler.at(Math.max(x, otherX)) + 1]
    ghost.className = `visit making c${from} w${to - from}`
    return { from: ruler.first + from, to: ruler.first + to }
  },
  done(track, { from, to }, ghost) {
    const dialog = document.querySelector('#maker')
    const form = dialog.querySelector('form')
    const { day, drop: who } = track.dataset
    for (const [name, value] of Object.entries({ day, time: timeOf(from), until: timeOf(to), who }))
      form.elements[name].value = value
    form.querySelector('[data-reason]').textContent = ''
    dialog.showModal()
    dialog.addEventListener('close', () => ghost.remove(), { once: true })
    form.elements.title.focus()
  },
}

/** What was typed stays in the dialog, with the reason, until the service takes it. */
async function makeVisit(event) {
  const form = event.target.closest('#maker form')
  if (!form) return
  event.preventDefault()
  event.stopImmediatePropagation()
  hold()
  const said = await send(form.action, new FormData(form))
  if (said.ok) {
    form.reset()
    form.elements.once.value += '+' // the same words from here on are another visit
    form.closest('dialog').close()
    planned(said)
  } else {
    form.querySelector('[data-reason]').textContent = said.error
  }
  release({ refresh: said.ok })
}
document.addEventListener('submit', makeVisit, true)

customElements.define(
  'desk-calendar',
  class extends HTMLElement {
    connectedCallback() {
      const isMaking = document.querySelector('#maker') !== null
      this.end = draggable(this, { item: '[data-movable]', hold, release, drop, stretch, make: isMaking && make })
    }

    disconnectedCallback() {
      this.end?.()
    }
  },
)
