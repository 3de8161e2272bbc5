// Where an app may send people back to: the rules for redirect addresses, whoever names them.

/** The hosts of this device, as RFC 8252 allows them in redirect addresses of apps that run on it. */
const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

export const isLoopbackHost = (hostname: string): boolean => loopbackHosts.has(hostname)

const maxUris = 10
const maxUriLength = 2_000

/** Schemes that a browser or the system gives a meaning of its own: an app cannot claim them. */
const reservedSchemes = new Set(
  // browsers and what they show by themselves
  (
    'about blob brave chrome chrome-extension chrome-search chrome-untrusted content data devtools edge extension ' +
    'feed filesystem firefox googlechrome googlechromes intent jar javascript livescript mhtml microsoft-edge ' +
    'moz-extension opera resource safari-web-extension vbscript view-source vivaldi wyciwyg x-safari-http x-safari-https ' +
    // files, shells and what starts programs
    'afp apt cmd file help hcp jnlp jnlps knownfolder ldap ldaps nfs onenote onenote-cmd powershell res search ' +
    'search-ms sftp shell shortcuts smb ssh steam telnet terminal tn3270 vnc windowsdefender workflow x-apple.systempreferences ' +
    'x-man-page zoommtg zoomus ' +
    // stores
    'amzn apple-store itms itms-app itms-apps itms-appss itms-books itms-services macappstore macappstores market ' +
    'snap store ' +
    // mail, telephones and messages
    'callto facetime facetime-audio im imap imessage irc ircs mailto message mms pop rtsp sip sips skype sms smsto tel ' +
    'telprompt tg webcal webcals whatsapp xmpp ' +
    // other protocols
    'ftp ftps geo git gopher magnet maps news nntp rdp rsync svn tftp urn ws wss'
  )
    .split(' ')
    .map((scheme) => `${scheme}:`),
)

/** What is wrong with an app's redirect addresses, as a sentence; undefined if nothing is. */
export function redirectUrisProblem(uris: unknown): string | undefined {
  if (!Array.isArray(uris) || uris.length < 1 || uris.length > maxUris)
    return `redirect_uris must name 1 to ${maxUris} addresses`
  for (const uri of uris) {
    const problem = redirectUriProblem(uri)
    if (problem) return `redirect_uris ${problem}`
  }
  return undefined
}

function redirectUriProblem(uri: unknown): string | undefined {
  const isText = typeof uri === 'string' && uri.length <= maxUriLength && uri.isWellFormed()
  const url = isText && !/[\s\\\p{Cc}\p{Cf}]/u.test(uri) ? URL.parse(uri) : null
  if (!url) return 'must be absolute addresses'
  if ((uri as string).includes('#')) return 'must not have a fragment'
  if (url.username || url.password) return 'must not hold a user name or a password'
  if (/^https?:$/.test(url.protocol)) {
    if (!/^https?:\/\//i.test(uri as string)) return 'must write http and https with //'
    if (!isHost(url.hostname)) return 'must name a host of letters, digits, dots and hyphens'
  }
  if (url.protocol === 'https:') return undefined
  if (url.protocol === 'http:') return isLoopbackHost(url.hostname) ? undefined : 'may use http on a loopback host only'
  const isReserved = reservedSchemes.has(url.protocol) || /^(ms-.*|.):$/.test(url.protocol) // one letter is a drive
  return isReserved ? `must not use the reserved scheme ${url.protocol}` : undefined
}

/**
 * Whether an app that registered `registered` may be asked to lead back to `asked`. An app on a device listens on whatever
 * port is free when it asks, so on a loopback host any port will do (RFC 8252, 7.3); nothing else may differ.
 */
export const isRegisteredRedirect = (registered: readonly string[], asked: string): boolean =>
  registered.some((uri) => withoutLoopbackPort(uri) === withoutLoopbackPort(asked))

/** The address as it is written, because a parsed one hides differences. A port that is none stays, and matches nothing. */
const withoutLoopbackPort = (uri: string): string =>
  URL.canParse(uri) ? uri.replace(/^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):\d+(?=[/?]|$)/, '$1') : uri

/** An address that belongs to whoever holds the host's certificate; a scheme or a port of a device is anybody's. */
export function isOwnedHost(uri: string): boolean {
  const url = URL.parse(uri)
  return url?.protocol === 'https:' && !isLoopbackHost(url.hostname.replace(/\.$/, ''))
}

/** A host that a policy in a header can name, or an IPv6 address, which it does not have to. */
const isHost = (hostname: string) => /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(hostname)

export const hostsOf = (uris: readonly string[]): string[] => uris.map((uri) => URL.parse(uri)?.hostname ?? '')
