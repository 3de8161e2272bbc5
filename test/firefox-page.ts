// A page in Firefox, for tests: what is looked at there, and what a mouse, a finger and keys do.
import { setTimeout as delay } from 'node:timers/promises'

// biome-ignore lint/suspicious/noExplicitAny: answers of a protocol that is not declared here
type Any = any
export type Send = (method: string, params: object) => Promise<Any>

/** A browser of its own, with as many tabs as are opened in it. */
export interface FirefoxWindow {
  readonly userContext: string
  readonly viewport: { readonly width: number; readonly height: number }
  /** The addresses that were answered so far, in any tab of any window. */
  readonly answered: readonly string[]
}

interface Point {
  readonly x: number
  readonly y: number
}
/** The middle of an element, or a point of the window. */
type Place = string | Point

export interface FirefoxPage {
  open(url: string): Promise<void>
  /** Another tab of the same browser, which is in front from then on. */
  openTab(): Promise<FirefoxPage>
  /** Brings the tab to the front: those behind it are hidden. */
  show(): Promise<void>
  close(): Promise<void>
  /** Until an address that matches was answered. */
  untilAnswered(address: RegExp): Promise<void>
  /** The value of an expression in the page, which may be a promise of one. */
  evaluate(expression: string): Promise<Any>
  /** Until the expression is true. */
  until(expression: string): Promise<void>
  /** Presses the mouse at one place, and lets go over another: over an element as straight across as can be. */
  drag(from: Place, to: Place): Promise<void>
  /** The same with a finger, which moves at once, or stays until the expression is true. */
  swipe(from: Place, to: Place, stayUntil?: string): Promise<void>
  click(selector: string): Promise<void>
  press(key: string): Promise<void>
  type(selector: string, text: string): Promise<void>
}

const patienceMs = 40_000
const settledMs = 300
const down = { type: 'pointerDown', button: 0 }
const up = { type: 'pointerUp', button: 0 }

export async function createFirefoxPage(send: Send, window: FirefoxWindow): Promise<FirefoxPage> {
  const { userContext, viewport, answered } = window
  const { context } = await send('browsingContext.create', { type: 'tab', userContext })
  await send('browsingContext.setViewport', { context, viewport })
  const evaluate = async (expression: string): Promise<Any> => {
    const answer = await send('script.evaluate', {
      // Where scripts are turned off, promises are never kept.
      expression: `((value) => {
        const write = (value) => JSON.stringify(value) ?? 'null'
        return value instanceof Promise ? value.then(write) : write(value)
      })(${expression})`,
      target: { context },
      awaitPromise: true,
    })
    if (answer.type === 'exception') throw new Error(`${expression}: ${answer.exceptionDetails.text}`)
    return JSON.parse(answer.result.value)
  }
  const until = async (expression: string): Promise<void> => {
    for (const end = performance.now() + patienceMs; performance.now() < end; await delay(50))
      if (await evaluate(expression).catch(() => false)) return
    throw new Error(`It was not true in time: ${expression}`)
  }
  /** Once it stays where it is: a refresh may still be moving it. */
  const middleOf = async (selector: string): Promise<Point> => {
    await until(`document.querySelector(${JSON.stringify(selector)}) !== null`)
    for (let before = await placeOf(selector); ; ) {
      await delay(settledMs)
      const now = await placeOf(selector)
      if (now.x === before.x && now.y === before.y) return now
      before = now
    }
  }
  const placeOf = (selector: string): Promise<Point> =>
    evaluate(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)})
      element.scrollIntoView({ block: 'center', inline: 'center' })
      const { x, y, width, height } = element.getBoundingClientRect()
      return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) }
    })()`)
  const acrossFrom = ({ y: start }: Point, selector: string): Promise<Point> =>
    evaluate(`(() => {
      const { x, y, width, height } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect()
      return { x: Math.round(x + width / 2), y: Math.round(Math.min(Math.max(${start}, y + 5), y + height - 5)) }
    })()`)
  const act = (source: object) => send('input.performActions', { context, actions: [source] })
  const move = ({ x, y }: Point, duration = 0) => ({ type: 'pointerMove', x, y, duration })
  const point = (pointerType: 'mouse' | 'touch', actions: object[]) =>
    act({ type: 'pointer', id: pointerType, parameters: { pointerType }, actions })
  const wayFrom = async (from: Place, to: Place): Promise<[start: Point, between: Point, end: Point]> => {
    const start = typeof from === 'string' ? await middleOf(from) : from
    const end = typeof to === 'string' ? await acrossFrom(start, to) : to
    return [start, { x: Math.round((start.x + end.x) / 2), y: Math.round((start.y + end.y) / 2) }, end]
  }
  const keys = (text: string) =>
    act({
      type: 'key',
      id: 'keys',
      actions: [...text].flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]),
    })
  return {
    evaluate,
    until,
    async open(url) {
      await send('browsingContext.navigate', { context, url, wait: 'complete' })
    },
    async untilAnswered(address) {
      for (const end = performance.now() + patienceMs; performance.now() < end; await delay(50))
        if (answered.some((one) => address.test(one))) return
      throw new Error(`It was not answered in time: ${address}`)
    },
    openTab: () => createFirefoxPage(send, window),
    async show() {
      await send('browsingContext.activate', { context })
    },
    async close() {
      await send('browsingContext.close', { context })
    },
    async drag(from, to) {
      const [start, between, end] = await wayFrom(from, to)
      await point('mouse', [move(start), down, move(between, 100), move(end, 100), up])
    },
    async swipe(from, to, stayUntil) {
      const [start, between, end] = await wayFrom(from, to)
      const moves = [move(between), move(end), up]
      if (stayUntil === undefined) return void (await point('touch', [move(start), down, ...moves]))
      await point('touch', [move(start), down])
      await until(stayUntil)
      await point('touch', moves)
    },
    async click(selector) {
      await point('mouse', [move(await middleOf(selector)), down, up])
    },
    press: keys,
    async type(selector, text) {
      const element = `document.querySelector(${JSON.stringify(selector)})`
      await until(`${element} !== null`)
      await evaluate(`(${element}.focus(), ${element}.select?.(), null)`)
      await keys(text)
    },
  }
}
