// DATABASE_URL as libpq writes it: one PostgreSQL, or a primary and the replicas of which one may take its place.

const form = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)([^?#]*)(?:\?([^#]*))?$/

/**
 * The address of each server, in the order in which they are named: `postgres://user@a:5432,b:5433/database`, or, for
 * sockets, `postgres://user@/database?host=/run/a,/run/b&port=5432,5433`.
 */
export function serverAddresses(url: string): readonly string[] {
  const [, start, authority, path, query] = form.exec(url) ?? []
  if (start === undefined) return [url]
  const parameters = new URLSearchParams(query)
  const named = parameters.get('host')
  if (named === null) {
    const hosts = authority!.split(',')
    if (hosts.length === 1) return [url]
    return hosts.map((host) => `${start}${host}${path}${query === undefined ? '' : `?${query}`}`)
  }
  const [hosts, ports] = [named.split(','), (parameters.get('port') ?? '').split(',')]
  if (hosts.length === 1) return [url]
  if (ports.length !== 1 && ports.length !== hosts.length)
    throw new Error(`names ${hosts.length} hosts and ${ports.length} ports: one port for all of them, or one for each`)
  return hosts.map((host, index) => {
    const own = new URLSearchParams(parameters)
    own.set('host', host)
    const port = ports[index] ?? ports[0]!
    if (port !== '') own.set('port', port)
    return `${start}${authority}${path}?${own}`
  })
}

/** As a setting: it is refused in words before anybody tries to connect. */
export function databaseUrl(value: string): string {
  const addresses = serverAddresses(value)
  // PostgreSQL's form for a unix socket leaves the host out, which a URL with a user may not.
  const parsed = addresses.map((address) => URL.parse(address.replace('@/', '@localhost/')))
  if (!parsed.every((one) => one?.protocol === 'postgres:' || one?.protocol === 'postgresql:'))
    throw new Error('must be a postgres:// address')
  const attributes = parsed[0]!.searchParams.get('target_session_attrs')
  if (attributes !== null && !['read-write', 'primary'].includes(attributes))
    throw new Error('may have target_session_attrs=read-write or primary: the service writes, so no replica will do')
  return value
}
