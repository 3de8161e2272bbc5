// Addresses, networks and hosts: which belong to which, and which are this machine itself.
import { BlockList, isIP, isIPv6 } from 'node:net'

/** Node matches addresses against networks itself; this only fills its list. */
export function createBlockList(cidrs: readonly string[]): BlockList {
  const blockList = new BlockList()
  for (const entry of cidrs) {
    const [address, bits] = entry.split('/') as [string, string]
    blockList.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
  return blockList
}

const loopback = createBlockList(['127.0.0.0/8', '::1/128'])

/** Whether a host is this machine itself, whose traffic never reaches a network. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1')
  return name === 'localhost' || (isIP(name) !== 0 && loopback.check(name, isIP(name) === 6 ? 'ipv6' : 'ipv4'))
}

/** Whether its traffic can be read on the network. */
export function isInsecureOrigin(origin: string): boolean {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'http:' && !isLoopback(hostname)
}

/** Whether a host is one of these or lies below one. A dot at its end, which changes nothing, does not hide it. */
export function isWithinHosts(hosts: readonly string[], name: string): boolean {
  const [host, ...listed] = [name, ...hosts].map((one) => one.toLowerCase().replace(/\.$/, ''))
  return listed.some((one) => host === one || host!.endsWith(`.${one}`))
}

/** One household or office has a whole IPv6 /64: limits for single addresses there would limit nobody. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const left = head.split(':').filter(Boolean)
  const right = (tail ?? '').split(':').filter(Boolean)
  const groups = tail === undefined ? left : [...left, ...Array(8 - left.length - right.length).fill('0'), ...right]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
