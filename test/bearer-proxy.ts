// A way in for programs that cannot send a credential: adds one, and may call things by our names for them.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

interface ProxyOptions {
  target(): string
  secret(): string
  /** The same message in other words. */
  rewrite?(body: string): string
}

/** Its address once it listens; it ends with the tests of the file. */
export async function startBearerProxy({ target, secret, rewrite = (body) => body }: ProxyOptions): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const body = Buffer.from(rewrite(Buffer.concat(chunks).toString()))
    const headers: Record<string, unknown> = { authorization: `Bearer ${secret()}`, ...incoming.headers }
    if (headers['mcp-name'] !== undefined) headers['mcp-name'] = rewrite(`"${headers['mcp-name']}"`).slice(1, -1)
    delete headers['transfer-encoding']
    if (incoming.method === 'POST') headers['content-length'] = body.length
    const forward = request(
      target() + incoming.url,
      { method: incoming.method!, headers: headers as Record<string, string> },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(outgoing)
      },
    )
    forward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => forward.destroy())
    forward.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
