// A real mail server on loopback that keeps what it is given, and can be slow, dead or refusing.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

export interface Received {
  readonly recipients: readonly string[]
  readonly raw: string
  readonly mail: Email
}

export interface MailServer extends AsyncDisposable {
  readonly url: string
  readonly received: readonly Received[]
  /** How it treats the next mails: takes them, refuses them for good or for now, or takes them and never answers. */
  behaviour: 'takes' | 'refuses' | 'busy' | 'hangs'
  /** Mails that it takes are answered once this has resolved. */
  answersAfter: Promise<void> | undefined
  /** Resolves when a mail has arrived whole, whatever becomes of it. */
  arrival(): Promise<void>
}

/** One that closes by itself when the tests of the file are over. */
export async function mailServer(): Promise<MailServer> {
  const server = await startMailServer()
  after(() => server[Symbol.asyncDispose]())
  return server
}

export async function startMailServer(port = 0): Promise<MailServer> {
  const received: Received[] = []
  let arrived = Promise.withResolvers<void>()
  const server = new SMTPServer({
    authOptional: true,
    closeTimeout: 100, // connections that were left hanging are dropped
    disabledCommands: ['STARTTLS'],
    onData(stream, session, reply) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks).toString('utf8')
        arrived.resolve()
        arrived = Promise.withResolvers<void>()
        if (self.behaviour === 'hangs') return
        if (self.behaviour === 'refuses')
          return reply(Object.assign(new Error('No such user here'), { responseCode: 550 }))
        if (self.behaviour === 'busy') return reply(Object.assign(new Error('Try again later'), { responseCode: 451 }))
        received.push({
          recipients: session.envelope.rcptTo.map(({ address }) => address),
          raw,
          mail: await PostalMime.parse(raw),
        })
        await self.answersAfter
        reply()
      })
    },
  })
  server.on('error', () => {}) // a client that goes away is what some tests are about
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  const self: MailServer = {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    received,
    behaviour: 'takes',
    answersAfter: undefined,
    arrival: () => arrived.promise,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
  return self
}
