// SSRF-safe requests to an address that a caller named: public over https, or a network that the operator named; no redirect
// is followed, and time and size are limited.
import { promises as dns, type LookupAddress } from 'node:dns'
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { type BlockList, isIP, type LookupFunction } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import { createBlockList } from '../config/networks.ts'

/** The network as it is; tests put their own in its place. */
export interface Network {
  resolve(host: string, signal: AbortSignal): Promise<readonly LookupAddress[]>
  isPublic(address: string): boolean
  readonly ca?: SecureContextOptions['ca']
}

export interface SafeRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  readonly maxBytes: number
  /** A longer answer is refused, or no more of it is read: then its status counts, however it goes on. */
  readonly longAnswer: 'refuse' | 'cut'
}

export interface SafeAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Where requests may go. */
export interface Destinations {
  /** What is wrong with an address, as far as that shows before its name is looked up: it follows the name of the field. */
  problem(address: string): string | undefined
  /** A redirect is an answer like any other. */
  request(address: string, request: SafeRequest): Promise<SafeAnswer>
}

/** Addresses of this machine, its private networks, tunnels into them, or reserved ranges. */
const blockedRanges = createBlockList(
  [
    '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
    '192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24',
    '203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
    '::/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001:db8::/32 2002::/16',
    '2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8',
  ].flatMap((line) => line.split(' ')),
)

const isWithin = (ranges: BlockList, address: string) => ranges.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** What is no address at all is not public either. */
export const isPublicAddress = (address: string): boolean =>
  isIP(address) !== 0 && !address.includes('%') && !isWithin(blockedRanges, address)

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

/** The public internet over https, and named networks with or without TLS, at any port. */
export function createDestinations(
  namedNetworks: readonly string[] = [],
  network: Network = publicInternet,
): Destinations {
  const namedRanges = createBlockList(namedNetworks)
  const isNamed = ({ address }: LookupAddress) => isWithin(namedRanges, address)

  /** What is wrong with a destination whose addresses are known. */
  function refusal(url: URL, addresses: readonly LookupAddress[]): string | undefined {
    if (addresses.length === 0) return 'has a name that does not resolve'
    if (addresses.every(isNamed)) return undefined
    if (url.protocol !== 'https:') return 'must be https'
    if (!addresses.every((one) => isNamed(one) || network.isPublic(one.address)))
      return 'must not lead to an address that is not public, unless the operator names its network'
    return isUsualPort(url) ? undefined : 'must have port 443 or one from 1024 on'
  }

  return {
    problem(address) {
      const url = URL.parse(address)
      if (!url) return 'must be an address such as https://example.com/hooks'
      const wrong = formProblem(url)
      if (wrong) return wrong
      const known = knownAddresses(hostOf(url))
      if (known) return refusal(url, known)
      // Whether a name leads to a named network shows when it is looked up.
      if (namedNetworks.length > 0) return undefined
      if (url.protocol !== 'https:') return 'must be https'
      return isUsualPort(url) ? undefined : 'must have port 443 or one from 1024 on'
    },

    async request(address, options) {
      const url = new URL(address)
      const host = hostOf(url)
      // One timeout over everything: DNS, connection and body can all be slowed down by the other side.
      const timeout = AbortSignal.timeout(options.timeoutMs)
      const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout
      // What is judged is what is connected to: the name is not looked up a second time.
      const addresses = knownAddresses(host) ?? (await rejectOnAbort(signal, network.resolve(host, signal)))
      const wrong = formProblem(url) ?? refusal(url, addresses)
      if (wrong) throw new Error(`The address ${wrong}`)
      return send(url, { ...options, signal }, { lookup: createPinnedLookup(addresses), ca: network.ca })
    },
  }
}

function formProblem(url: URL): string | undefined {
  if (!/^https?:$/.test(url.protocol)) return 'must be https'
  return url.username || url.password ? 'must not hold a user name or a password' : undefined
}

const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** An address is its own; and `localhost` is this machine, whatever a name server says. */
function knownAddresses(host: string): readonly LookupAddress[] | undefined {
  if (isIP(host)) return [{ address: host, family: isIP(host) }]
  return /^(.+\.)?localhost$/.test(host) ? [{ address: '127.0.0.1', family: 4 }] : undefined
}

/** Below 1024 are the ports of mail, SSH and others that have nothing to do with this. */
const isUsualPort = ({ port }: URL) => port === '' || Number(port) >= 1_024

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

function send(
  url: URL,
  { method, headers, body, signal, maxBytes, longAnswer }: SafeRequest,
  { lookup, ca }: { lookup: LookupFunction; ca: SecureContextOptions['ca'] },
): Promise<SafeAnswer> {
  return new Promise((resolve, reject) => {
    const start = url.protocol === 'https:' ? httpsRequest : httpRequest
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    let isAnswered = false
    const clientRequest = start(
      url,
      { method, lookup, signal, agent: false, headers: { ...headers, ...length }, ...(ca && { ca }) },
      async (response) => {
        isAnswered = true
        try {
          const answer = await readBody(response, maxBytes, longAnswer)
          resolve({ status: response.statusCode ?? 500, headers: response.headers, body: answer })
        } catch (error) {
          reject(error)
        } finally {
          clientRequest.destroy()
        }
      },
    )
    // What breaks after the answer has begun shows where its body is read.
    clientRequest.on('error', (error) => !isAnswered && reject(signal?.aborted ? signal.reason : error))
    clientRequest.end(body)
  })
}

async function readBody(
  response: IncomingMessage,
  maxBytes: number,
  longAnswer: SafeRequest['longAnswer'],
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > maxBytes) throw new Error('The answer is too large')
    }
  } catch (error) {
    if (longAnswer === 'refuse') throw error
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}

const maxDocumentBytes = 10 * 1_024

/** Like `fetch`, for a GET of one small document. */
export const createSafeFetch = (network?: Network): typeof fetch => {
  const destinations = createDestinations([], network)
  return async (input, init) => {
    const { status, headers, body } = await destinations.request(String(input), {
      method: 'GET',
      headers: { accept: 'application/json' },
      timeoutMs: 5_000,
      signal: init?.signal ?? undefined,
      maxBytes: maxDocumentBytes,
      longAnswer: 'refuse',
    })
    const keptHeaders = ['content-type', 'cache-control', 'expires'].flatMap((name): [string, string][] =>
      typeof headers[name] === 'string' ? [[name, headers[name]]] : [],
    )
    return new Response(isBodiless(status) ? null : new Uint8Array(body), { status, headers: keptHeaders })
  }
}

const isBodiless = (status: number) => [101, 204, 205, 304].includes(status)
