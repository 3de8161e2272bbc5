// SSRF-safe fetch of a URL that a caller named: https, public addresses, no redirect, a timeout and a size limit.
import { promises as dns, type LookupAddress } from 'node:dns'
import { request } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import type { SecureContextOptions } from 'node:tls'

const timeoutMs = 5_000
const maxBytes = 10 * 1_024

/** The network as it is; tests put their own in its place. */
export interface Network {
  resolve(host: string, signal: AbortSignal): Promise<readonly LookupAddress[]>
  isPublic(address: string): boolean
  readonly ca?: SecureContextOptions['ca']
}

/** Addresses of this machine, its private networks, tunnels into them, or reserved ranges. */
const blockedRanges = new BlockList()
for (const network of [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24',
  '203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
  '::/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001:db8::/32 2002::/16',
  '2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8',
].flatMap((line) => line.split(' '))) {
  const [address = '', bits] = network.split('/')
  blockedRanges.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** What is no address at all is not public either. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 0 || address.includes('%')) return false
  return !blockedRanges.check(address, version === 6 ? 'ipv6' : 'ipv4')
}

const publicInternet: Network = {
  isPublic: isPublicAddress,
  // Not the system's `lookup`: its threads are few, and a name server that does not answer blocks one for long.
  async resolve(host, signal) {
    const resolver = new dns.Resolver({ timeout: 2_000, tries: 1 })
    signal.addEventListener('abort', () => resolver.cancel(), { once: true })
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return found.flatMap((result, index) =>
      result.status === 'rejected' ? [] : result.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })),
    )
  },
}

/** Like `fetch`, for a GET of one small document. A redirect is an answer like any other, and is not followed. */
export const createSafeFetch =
  (network: Network = publicInternet): typeof fetch =>
  async (input, init) => {
    const url = new URL(String(input))
    if (url.protocol !== 'https:') throw new Error('Documents are fetched over https only')
    const host = url.hostname.replace(/^\[|\]$/g, '')
    // One timeout over everything: DNS, connection and body can all be slowed down by the other side.
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(init?.signal ? [init.signal] : [])])
    // What is judged is what is connected to: the name is not looked up a second time.
    const addresses = isIP(host)
      ? [{ address: host, family: isIP(host) }]
      : await rejectOnAbort(signal, network.resolve(host, signal))
    if (addresses.length === 0 || !addresses.every(({ address }) => network.isPublic(address))) {
      throw new Error('The host has an address that is not public')
    }
    return httpsGet(url, createPinnedLookup(addresses), network.ca, signal)
  }

function rejectOnAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}

const createPinnedLookup =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_host, options, callback) => {
    if (options.all) callback(null, [...addresses])
    else callback(null, addresses[0]!.address, addresses[0]!.family)
  }

function httpsGet(
  url: URL,
  lookup: LookupFunction,
  ca: SecureContextOptions['ca'],
  signal: AbortSignal,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(
      url,
      { method: 'GET', lookup, signal, agent: false, headers: { accept: 'application/json' }, ...(ca && { ca }) },
      async (response) => {
        try {
          const chunks: Buffer[] = []
          let size = 0
          for await (const chunk of response as AsyncIterable<Buffer>) {
            size += chunk.length
            if (size > maxBytes) throw new Error('The document is too large')
            chunks.push(chunk)
          }
          const { statusCode = 500, headers } = response
          const keptHeaders = ['content-type', 'cache-control', 'expires'].flatMap((name): [string, string][] =>
            typeof headers[name] === 'string' ? [[name, headers[name]]] : [],
          )
          resolve(
            new Response(isBodiless(statusCode) ? null : Buffer.concat(chunks), {
              status: statusCode,
              headers: keptHeaders,
            }),
          )
        } catch (error) {
          clientRequest.destroy()
          reject(error)
        }
      },
    )
    clientRequest.on('error', reject)
    clientRequest.end()
  })
}

const isBodiless = (status: number) => [101, 204, 205, 304].includes(status)
