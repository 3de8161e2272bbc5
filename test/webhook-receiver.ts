// A program that listens to a webhook, for tests: it keeps what it is sent, and answers as it is told to.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

export interface ReceivedMessage {
  readonly headers: IncomingHttpHeaders
  readonly method: string
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever arrives
  readonly event: any
}

type Answer = (message: ReceivedMessage, response: ServerResponse) => void

export interface WebhookReceiver {
  readonly url: string
  readonly received: ReceivedMessage[]
  /** How the next messages are answered; unless it is told otherwise with 204. */
  answer: Answer
  /** Resolves when so many have arrived. */
  waitFor(count: number): Promise<void>
  close(): Promise<void>
}

export const takes: Answer = (_, response) => void response.writeHead(204).end()
export const answers =
  (status: number, text = '', headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response.writeHead(status, headers).end(text)

/** One that closes by itself when the tests of the file are over. */
export async function startWebhookReceiver(port = 0): Promise<WebhookReceiver> {
  const received: ReceivedMessage[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part) => {
      text += part
    })
    request.on('end', () => {
      const message = { headers: request.headers, method: request.method!, text, event: JSON.parse(text) }
      received.push(message)
      receiver.answer(message, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    answer: takes,
    async waitFor(count) {
      await until(() => received.length >= count)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  after(() => receiver.close())
  return receiver
}

const patienceMs = 60_000

/** Fails only when something never happens. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('It never happened')
    await delay(10)
  }
}
