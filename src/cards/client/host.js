// A card and the host that shows it: JSON-RPC by messages between windows, as MCP Apps (SEP-1865, 2026-01-26) has it. A card asks
// for nothing but its place: what it shows is the tool's answer, and it holds no credential.
import { createClock } from '../../desk/formatting.ts'

/** @param {(data: object, clock: object) => { toString(): string }} render */
export function showCard(render) {
  const place = document.getElementById('card')
  let context = {}
  let result

  const send = (message) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*')

  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || data?.jsonrpc !== '2.0') return
    if (data.method === undefined) {
      if (data.id === 1 && data.result) begin(data.result)
    } else if (data.id === undefined) notified(data.method, data.params ?? {})
    else if (data.method === 'ping' || data.method === 'ui/resource-teardown') send({ id: data.id, result: {} })
    else send({ id: data.id, error: { code: -32601, message: 'A card answers nothing else' } })
  })

  function begin({ hostContext = {} }) {
    context = hostContext
    send({ method: 'ui/notifications/initialized', params: {} })
    draw()
  }

  function notified(method, params) {
    if (method === 'ui/notifications/tool-result') result = params
    else if (method === 'ui/notifications/host-context-changed') context = { ...context, ...params }
    else if (method === 'ui/notifications/tool-cancelled') result = { isError: true, content: [] }
    else return
    draw()
  }

  function draw() {
    if (context.theme === 'light' || context.theme === 'dark') document.documentElement.dataset.theme = context.theme
    const answer = result && !result.isError && (result.structuredContent ?? parsed(result.content?.[0]?.text))
    place.hidden = !answer
    if (answer) place.innerHTML = render(answer, clockOf(context.timeZone)).toString()
  }

  /** Some hosts keep what is structured for themselves; the text says the same. */
  function parsed(text) {
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  }

  function clockOf(timeZone) {
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone
    try {
      return createClock(timeZone ?? own, new Date())
    } catch {
      return createClock(own, new Date())
    }
  }

  new ResizeObserver(() => {
    const { width, height } = document.body.getBoundingClientRect()
    send({
      method: 'ui/notifications/size-changed',
      params: { width: Math.ceil(width), height: Math.ceil(height) },
    })
  }).observe(document.body)
  send({
    id: 1,
    method: 'ui/initialize',
    params: {
      protocolVersion: '2026-01-26',
      appInfo: { name: 'jobwright', version: '0.1.0' },
      appCapabilities: { availableDisplayModes: ['inline'] },
    },
  })
}
