// Where an app may send people back to: the rules for redirect addresses, whoever names them.

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])
const most = 10
const longest = 2_000

/** Schemes that a browser or the system gives a meaning of its own: an app cannot claim them. */
const reserved = new Set(
  (
    'about blob chrome chrome-extension content data facetime feed file filesystem ftp ftps gopher imap intent irc ' +
    'itms-services jar javascript ldap livescript magnet mailto market mhtml moz-extension nfs news nntp res rtsp ' +
    'search-ms sftp sip sips smb sms ssh steam tel telnet urn vbscript view-source vnc webcal ws wss xmpp'
  )
    .split(' ')
    .map((scheme) => `${scheme}:`),
)

/** What is wrong with an app's redirect addresses, as a sentence; undefined if nothing is. */
export function faultInRedirects(uris: unknown): string | undefined {
  if (!Array.isArray(uris) || uris.length < 1 || uris.length > most)
    return `redirect_uris must name 1 to ${most} addresses`
  for (const uri of uris) {
    const fault = faultIn(uri)
    if (fault) return `redirect_uris ${fault}`
  }
  return undefined
}

function faultIn(uri: unknown): string | undefined {
  const isText = typeof uri === 'string' && uri.length <= longest && uri.isWellFormed()
  const url = isText && !/[\s\\\p{Cc}\p{Cf}]/u.test(uri) ? URL.parse(uri) : null
  if (!url) return 'must be absolute addresses'
  if ((uri as string).includes('#')) return 'must not have a fragment'
  if (url.username || url.password) return 'must not hold a user name or a password'
  if (/^https?:$/.test(url.protocol)) {
    if (!/^https?:\/\//i.test(uri as string)) return 'must write http and https with //'
    if (!isHost(url.hostname)) return 'must name a host of letters, digits, dots and hyphens'
  }
  if (url.protocol === 'https:') return undefined
  if (url.protocol === 'http:') return loopback.has(url.hostname) ? undefined : 'may use http on a loopback host only'
  const isReserved = reserved.has(url.protocol) || /^(ms-.*|.):$/.test(url.protocol) // one letter is a drive
  return isReserved ? `must not use the reserved scheme ${url.protocol}` : undefined
}

/** An address that belongs to whoever holds the host's certificate; a scheme or a port of a device is anybody's. */
export function isSomebodysHost(uri: string): boolean {
  const url = URL.parse(uri)
  return url?.protocol === 'https:' && !loopback.has(url.hostname.replace(/\.$/, ''))
}

/** A host that a policy in a header can name, or an IPv6 address, which it does not have to. */
const isHost = (hostname: string) => /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(hostname)

export const hostsOf = (uris: readonly string[]): string[] => uris.map((uri) => URL.parse(uri)?.hostname ?? '')
