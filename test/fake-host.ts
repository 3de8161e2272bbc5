// A host on the internet, as far as a test can have one: https with a certificate of its own, under any name.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { isPublicAddress, type Network } from '../src/http/safe-fetch.ts'

/** For `test(name, { skip: noStranger }, …)`: without openssl there is no certificate. */
export const noOpenssl =
  spawnSync('openssl', ['version']).error !== undefined && process.env.CI !== 'true' && 'openssl is not on the PATH'

export interface FakeHost {
  readonly port: number
  /** A network in which the names of the host resolve to it, and no other name resolves. */
  readonly network: Network
  /** How often somebody connected. */
  connections(): number
}

/** Serves under these names. Its one private address counts as public here, since no test can have a public one. */
export async function startFakeHost(names: readonly string[], answer: RequestListener): Promise<FakeHost> {
  const { key, cert } = certificateFor(names)
  const server = createServer({ key, cert }, answer)
  let connections = 0
  server.on('connection', () => {
    connections++
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    port: (server.address() as { port: number }).port,
    connections: () => connections,
    network: {
      ca: cert,
      async resolve(host) {
        if (!names.includes(host)) throw new Error(`no such host ${host}`)
        return [{ address: '127.0.0.1', family: 4 }]
      },
      isPublic: (address) => address === '127.0.0.1' || isPublicAddress(address),
    },
  }
}

function certificateFor(names: readonly string[]): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'jobwright-certificate-'))
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = names.map((name) => `DNS:${name}`).join(',')
    const args =
      `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=${names[0]}`.split(' ')
    execFileSync('openssl', [...args, '-addext', `subjectAltName=${subject}`, '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    })
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
