// Where an app may send people back to: the rules for redirect addresses, whoever names them.

const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])
const most = 10
const longest = 2_000

/** Schemes that a browser or the system gives a meaning of its own: an app cannot claim them. */
const reserved = new Set(
  (
    'about blob chrome chrome-extension content data facetime feed file filesystem ftp ftps gopher imap intent irc ' +
    'jar javascript ldap magnet mailto market moz-extension ms-settings nfs news nntp rtsp sftp sip sips smb sms ssh ' +
    'steam tel telnet urn vbscript view-source vnc ws wss xmpp'
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
  const url = typeof uri === 'string' && uri.length <= longest && !/[\s\\\p{Cc}]/u.test(uri) ? URL.parse(uri) : null
  if (!url) return 'must be absolute addresses'
  if ((uri as string).includes('#')) return 'must not have a fragment'
  if (url.username || url.password) return 'must not hold a user name or a password'
  if (url.protocol === 'https:') return undefined
  if (url.protocol === 'http:') return loopback.has(url.hostname) ? undefined : 'may use http on a loopback host only'
  return reserved.has(url.protocol) ? `must not use the reserved scheme ${url.protocol}` : undefined
}

export const hostsOf = (uris: readonly string[]): string[] => uris.map((uri) => URL.parse(uri)?.hostname ?? '')
