// Picking things up with mouse, pen or finger. One module for the board and the calendar; nothing is ordered by hand
// here, so a place to drop on is all that matters. Positions are set through CSSOM, which a strict CSP allows.
const farPx = 5
const longPressMs = 280
const marginPx = 40
const scrollPx = 14

const distance = (begin, event) => Math.hypot(event.clientX - begin.clientX, event.clientY - begin.clientY)

/**
 * `item` selects what can be picked up; `drop(element, target, { x, grabX })` gets the `[data-drop]` it was let go over.
 * `stretch` (`follow`, `done`) serves the `.edge` of an item, `make` (`follow`, `done`) an empty place of a `.track`. Nothing
 * is refreshed between `hold` and `release`. Answers what ends it all.
 */
export function draggable(root, { item, drop, stretch, make, hold, release }) {
  /** What the pointer is at, until it is let go: how it follows, ends and is given up. */
  let gesture
  const listeners = new AbortController()
  const listen = (target, type, listener, options) =>
    target.addEventListener(type, listener, { signal: listeners.signal, ...options })

  function begin(next, pointerId) {
    gesture = next
    root.setPointerCapture(pointerId)
    hold()
  }
  function finish(how, event) {
    const { [how]: act, isWaiting } = gesture
    gesture = undefined
    act?.(event)
    if (!isWaiting) release()
  }

  /** Not before it has moved, or with a finger not before it has stayed: a finger that moves at once scrolls. */
  function waiting(element, pressed) {
    const isTouch = pressed.pointerType === 'touch'
    const lift = (event) => begin(carrying(element, pressed, event), pressed.pointerId)
    const timer = isTouch && setTimeout(() => lift(pressed), longPressMs)
    const stop = () => clearTimeout(timer)
    return {
      isWaiting: true,
      end: stop,
      cancel: stop,
      follow(event) {
        if (distance(pressed, event) < farPx) return
        if (isTouch) finish('cancel')
        else lift(event)
      },
    }
  }

  function carrying(element, pressed, event) {
    const box = element.getBoundingClientRect()
    const [grabX, grabY] = [pressed.clientX - box.left, pressed.clientY - box.top]
    const ghost = liftedCopy(element, box)
    let target
    const over = (next) => {
      target?.classList.remove('over')
      next?.classList.add('over')
      target = next
    }
    const follow = ({ clientX, clientY }) => {
      ghost.style.transform = `translate(${clientX - grabX}px, ${clientY - grabY}px)`
      over(targetAt(root, clientX, clientY))
      scrollNear(root, clientX)
    }
    const putDown = () => {
      ghost.remove()
      element.classList.remove('lifted')
      document.documentElement.style.userSelect = ''
    }
    element.classList.add('lifted')
    document.documentElement.style.userSelect = 'none'
    navigator.vibrate?.(8)
    follow(event)
    return {
      follow,
      cancel() {
        over()
        putDown()
      },
      end({ clientX }) {
        const found = target
        over()
        putDown()
        swallowClick()
        if (found) drop(element, found, { x: clientX, grabX })
      },
    }
  }

  function stretching(element) {
    const track = element.closest('.track')
    const before = element.className
    const putBack = () => {
      element.className = before
    }
    let result
    return {
      follow({ clientX }) {
        result = stretch.follow(element, track, clientX)
      },
      end() {
        swallowClick()
        if (result !== undefined) stretch.done(element, result, putBack)
      },
      cancel: putBack,
    }
  }

  function making(track, pressed) {
    const ghost = document.createElement('li')
    let result
    return {
      follow(event) {
        if (result === undefined && distance(pressed, event) < farPx) return
        track.append(ghost)
        result = make.follow(track, pressed.clientX, event.clientX, ghost)
      },
      end() {
        if (result !== undefined) make.done(track, result, ghost)
      },
      cancel: () => ghost.remove(),
    }
  }

  listen(root, 'pointerdown', (event) => {
    if (event.button !== 0 || gesture) return
    const { target, pointerType, pointerId } = event
    const element = target.closest(item)
    if (element && stretch && target.closest('.edge')) {
      event.preventDefault()
      begin(stretching(element), pointerId)
    } else if (element && !target.closest('.btn')) {
      gesture = waiting(element, event)
    } else if (make && target.matches('.track') && pointerType !== 'touch') {
      begin(making(target, event), pointerId)
    }
  })
  listen(root, 'pointermove', (event) => gesture?.follow(event))
  listen(root, 'pointerup', (event) => gesture && finish('end', event))
  listen(root, 'pointercancel', () => gesture && finish('cancel'))
  listen(root, 'dragstart', (event) => event.preventDefault())
  listen(root, 'contextmenu', (event) => gesture && event.preventDefault())
  listen(root, 'touchmove', (event) => gesture && !gesture.isWaiting && event.preventDefault(), { passive: false })
  listen(document, 'keydown', ({ key }) => key === 'Escape' && gesture && finish('cancel'))
  return () => {
    if (gesture) finish('cancel')
    listeners.abort()
  }
}

function liftedCopy(element, { width, height }) {
  const ghost = element.cloneNode(true)
  ghost.removeAttribute('id')
  ghost.classList.add('drag')
  ghost.style.width = `${width}px`
  ghost.style.height = `${height}px`
  document.body.append(ghost)
  return ghost
}

function targetAt(root, x, y) {
  const target = document.elementFromPoint(x, y)?.closest('[data-drop]')
  return target && root.contains(target) ? target : undefined
}

/** What is carried to the edge of a wide board brings more of it into sight. */
function scrollNear(root, x) {
  const { left, right } = root.getBoundingClientRect()
  if (x > Math.min(right, innerWidth) - marginPx) root.scrollBy(scrollPx, 0)
  else if (x < left + marginPx) root.scrollBy(-scrollPx, 0)
}

/** To let go is no click on the link that was carried, also in browsers that do not send it to whoever captured the pointer. */
function swallowClick() {
  const swallow = (click) => {
    click.preventDefault()
    click.stopPropagation()
  }
  addEventListener('click', swallow, { capture: true, once: true, signal: AbortSignal.timeout(60) })
}
