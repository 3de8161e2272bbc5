// Firefox as Debian ships it, for tests of pages: driven by WebDriver BiDi, which it speaks by itself. Where it is not installed
// its tests are skipped.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFirefoxPage, type FirefoxPage, type Send } from './firefox-page.ts'

const path = spawnSync('which', ['firefox-esr'], { encoding: 'utf8' }).stdout.trim()
export const noFirefox = path === '' && 'firefox-esr is not on the PATH'

export interface Firefox extends AsyncDisposable {
  /** A page with a cookie, at a size, of a browser of its own. What its policy refused is in `globalThis.refused`. */
  openPage(
    cookie: { name: string; value: string; domain: string },
    size: { width: number; height: number },
  ): Promise<FirefoxPage>
}

/** A machine without a touch screen has fingers all the same. */
const everywhere = { 'dom.w3c_touch_events.enabled': 1 }

export async function startFirefox(preferences: Readonly<Record<string, unknown>> = {}): Promise<Firefox> {
  const profile = await mkdtemp(join(tmpdir(), 'jobwright-firefox-'))
  const lines = Object.entries({ ...everywhere, ...preferences }).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  )
  await writeFile(join(profile, 'user.js'), lines.join(''))
  const program = spawn(path, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'], {
    env: { ...process.env, HOME: profile },
  })
  const socket = new WebSocket(`${await addressOf(program)}/session`)
  await once(socket, 'open')
  const send = createSend(socket)
  const answered: string[] = []
  socket.addEventListener('message', ({ data }) => {
    const { method, params } = JSON.parse(String(data))
    if (method === 'network.responseStarted') answered.push(params.request.url)
  })
  await send('session.new', { capabilities: {} })
  await send('session.subscribe', { events: ['network.responseStarted'] })
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
      await send('storage.setCookie', {
        cookie: { name, value: { type: 'string', value }, domain, path: '/', httpOnly: true },
        partition: { type: 'storageKey', userContext },
      })
      return createFirefoxPage(send, { userContext, viewport, answered })
    },
    async [Symbol.asyncDispose]() {
      socket.close()
      program.kill()
      await once(program, 'exit')
      await rm(profile, { recursive: true, force: true })
    },
  }
}

function createSend(socket: WebSocket): Send {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error, message } = JSON.parse(String(data))
    if (error) waiting.get(id)?.reject(new Error(`${error}: ${message}`))
    else waiting.get(id)?.resolve(result)
    waiting.delete(id)
  })
  let last = 0
  return (method, params) => {
    const answer = Promise.withResolvers<unknown>()
    waiting.set(++last, answer)
    socket.send(JSON.stringify({ id: last, method, params }))
    return answer.promise
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
