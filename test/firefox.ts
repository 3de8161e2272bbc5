// Firefox as Debian ships it, for tests of pages: driven by WebDriver BiDi, which it speaks by itself. Where it is not installed
// its tests are skipped.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const path = spawnSync('which', ['firefox-esr'], { encoding: 'utf8' }).stdout.trim()
export const noFirefox = path === '' && 'firefox-esr is not on the PATH'

// biome-ignore lint/suspicious/noExplicitAny: answers of a protocol that is not declared here
type Any = any

export interface FirefoxPage {
  open(url: string): Promise<void>
  /** The value of an expression in the page, which may be a promise of one. */
  evaluate(expression: string): Promise<Any>
  /** Until the expression is true. */
  until(expression: string): Promise<void>
  /** Presses the mouse at the middle of one element, and lets go over another, as straight across as can be. */
  drag(from: string, to: string): Promise<void>
  click(selector: string): Promise<void>
  press(key: string): Promise<void>
  type(selector: string, text: string): Promise<void>
}

export interface Firefox extends AsyncDisposable {
  /** A page with a cookie, at a size. What its policy refused is in `globalThis.refused`. */
  openPage(
    cookie: { name: string; value: string; domain: string },
    size: { width: number; height: number },
  ): Promise<FirefoxPage>
}

const patienceMs = 40_000
const settledMs = 300

export async function startFirefox(): Promise<Firefox> {
  const profile = await mkdtemp(join(tmpdir(), 'jobwright-firefox-'))
  const program = spawn(path, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'], {
    env: { ...process.env, HOME: profile },
  })
  const address = await addressOf(program)
  const socket = new WebSocket(`${address}/session`)
  await once(socket, 'open')
  const waiting = new Map<number, PromiseWithResolvers<Any>>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error, message } = JSON.parse(String(data))
    if (error) waiting.get(id)?.reject(new Error(`${error}: ${message}`))
    else waiting.get(id)?.resolve(result)
  })
  let last = 0
  const send = (method: string, params: object): Promise<Any> => {
    const answer = Promise.withResolvers<Any>()
    waiting.set(++last, answer)
    socket.send(JSON.stringify({ id: last, method, params }))
    return answer.promise
  }
  await send('session.new', { capabilities: {} })
  await send('script.addPreloadScript', {
    functionDeclaration: `() => {
      globalThis.refused = []
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        refused.push(violatedDirective + ' ' + blockedURI))
    }`,
  })
  return {
    async openPage({ name, value, domain }, viewport) {
      const { userContext } = await send('browser.createUserContext', {})
      const { context } = await send('browsingContext.create', { type: 'tab', userContext })
      await send('browsingContext.setViewport', { context, viewport })
      await send('storage.setCookie', {
        cookie: { name, value: { type: 'string', value }, domain, path: '/', httpOnly: true },
        partition: { type: 'storageKey', userContext },
      })
      return createPage(send, context)
    },
    async [Symbol.asyncDispose]() {
      socket.close()
      program.kill()
      await once(program, 'exit')
      await rm(profile, { recursive: true, force: true })
    },
  }
}

function createPage(send: (method: string, params: object) => Promise<Any>, context: string): FirefoxPage {
  const evaluate = async (expression: string): Promise<Any> => {
    const answer = await send('script.evaluate', {
      expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value) ?? 'null')`,
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
  const middleOf = async (selector: string): Promise<{ x: number; y: number }> => {
    await until(`document.querySelector(${JSON.stringify(selector)}) !== null`)
    for (let before = await placeOf(selector); ; ) {
      await delay(settledMs)
      const now = await placeOf(selector)
      if (now.x === before.x && now.y === before.y) return now
      before = now
    }
  }
  const placeOf = async (selector: string): Promise<{ x: number; y: number }> => {
    const text = JSON.stringify(selector)
    return evaluate(`(() => {
      const element = document.querySelector(${text})
      element.scrollIntoView({ block: 'center', inline: 'center' })
      const { x, y, width, height } = element.getBoundingClientRect()
      return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) }
    })()`)
  }
  const act = (source: object) => send('input.performActions', { context, actions: [source] })
  const pointer = (actions: object[]) => act({ type: 'pointer', id: 'mouse', actions })
  const move = (to: { x: number; y: number }, duration = 0) => ({ type: 'pointerMove', ...to, duration })
  const keys = (text: string) =>
    act({
      type: 'key',
      id: 'keys',
      actions: [...text].flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]),
    })
  const down = { type: 'pointerDown', button: 0 }
  const up = { type: 'pointerUp', button: 0 }
  return {
    evaluate,
    until,
    async open(url) {
      await send('browsingContext.navigate', { context, url, wait: 'complete' })
    },
    async drag(from, to) {
      const start = await middleOf(from)
      const end = await evaluate(`(() => {
        const { x, y, width, height } = document.querySelector(${JSON.stringify(to)}).getBoundingClientRect()
        return { x: Math.round(x + width / 2), y: Math.round(Math.min(Math.max(${start.y}, y + 5), y + height - 5)) }
      })()`)
      const between = { x: Math.round((start.x + end.x) / 2), y: Math.round((start.y + end.y) / 2) }
      await pointer([move(start), down, move(between, 100), move(end, 100), up])
    },
    async click(selector) {
      await pointer([move(await middleOf(selector)), down, up])
    },
    async press(key) {
      await keys(key)
    },
    async type(selector, text) {
      const element = `document.querySelector(${JSON.stringify(selector)})`
      await until(`${element} !== null`)
      await evaluate(`(${element}.focus(), ${element}.select?.(), null)`)
      await keys(text)
    },
  }
}

/** As it says itself once it listens. */
async function addressOf(program: ChildProcess): Promise<string> {
  let text = ''
  for await (const part of program.stderr!) {
    text += part
    const found = /WebDriver BiDi listening on (ws:\S+)/.exec(text)
    if (found) {
      program.stderr!.resume()
      return found[1]!
    }
  }
  throw new Error(`Firefox ended: ${text}`)
}
