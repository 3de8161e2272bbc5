// The authorization server's addresses with generated parameters: whatever comes, JSON, a redirect or a page, and never 5xx.
import fc from 'fast-check'
import { bodiesOf, bytesOf } from './bodies.ts'
import { campaign, type Outcome, type Subject } from './campaign.ts'
import type { Fault } from './judgement.ts'
import { authorizations, good, metadata, odd, redirect, scopes, types, usual } from './oauth-parameters.ts'
import { type Answer, sender, shown } from './sending.ts'
import type { Shops } from './shops.ts'

interface Asked {
  readonly method: string
  readonly path: string
  readonly fields: readonly (readonly [string, string])[]
  readonly headers: Readonly<Record<string, string>>
  readonly raw?: Buffer
}

const lanes = 8
export async function fuzzOauth(
  { service }: Shops,
  { seed, requests, say }: { readonly seed: number; readonly requests: number; say(text: string): void },
): Promise<Outcome> {
  const { send, close } = sender(service.port, lanes)
  const registered = async (method: string): Promise<string> => {
    const body = { client_name: 'Bench', redirect_uris: [redirect], token_endpoint_auth_method: method }
    const response = await fetch(`${service.origin}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return ((await response.json()) as { client_id: string }).client_id
  }
  const clients = [await registered('none'), await registered('client_secret_post'), 'https://app.example/client.json']
  const values = good(clients, service.origin)
  const names = Object.keys(values)

  /** Most of what is usual there, each mostly good, and now and then something more or the same again. */
  const fieldsFor = (path: string) => {
    const one = (name: string, often: number) =>
      fc.oneof(
        { weight: often, arbitrary: fc.constantFrom(...values[name]!).map((value) => [[name, value] as const]) },
        { weight: often, arbitrary: fc.constant([[name, values[name]![0]!] as const]) },
        { weight: 2, arbitrary: fc.constantFrom(...odd).map((value) => [[name, value] as const]) },
        {
          weight: 1,
          arbitrary: fc
            .constantFrom(...odd)
            .map((value) => [[name, value] as const, [name, values[name]![0]!] as const]),
        },
        { weight: 2, arbitrary: fc.constant([]) },
      )
    const more = fc.array(
      fc.tuple(fc.constantFrom(...names, '__proto__', '', 'x'), fc.constantFrom(...odd, ...scopes)),
      { maxLength: 2 },
    )
    return fc
      .tuple(more, ...usual[path]!.map((name) => one(name, 8)))
      .map(([extra, ...rest]) => [...rest.flat(), ...extra])
  }
  const headers = fc.record(
    {
      authorization: fc.constantFrom(...authorizations),
      cookie: fc.constantFrom('_session=x', '_interaction=x; _interaction.sig=y', 'a=b'),
      origin: fc.constantFrom('null', 'https://app.example'),
      accept: fc.constantFrom('text/html', 'application/json', '*/*', 'x'),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  const form = (path: string) =>
    fc.record<Asked>({
      method: fc.constantFrom('POST', 'POST', 'POST', 'POST', 'POST', 'POST', 'GET', 'PUT', 'OPTIONS', 'HEAD'),
      path: fc.constant(path),
      fields: fieldsFor(path),
      headers: fc
        .tuple(headers, fc.constantFrom(types[0]!, types[0]!, types[0]!, types[0]!, ...types))
        .map(([some, type]) => ({ ...some, 'content-type': type }) as Record<string, string>),
    })
  const page = fc.record<Asked>({
    method: fc.constantFrom('GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'DELETE'),
    path: fc.constantFrom(
      '/authorize',
      '/authorize',
      '/authorize',
      '/authorize',
      '/authorize/x',
      `/authorize/${'x'.repeat(43)}`,
      '/approve/x',
      '/sign-in',
    ),
    fields: fieldsFor('/authorize'),
    headers: headers as fc.Arbitrary<Record<string, string>>,
  })
  const registration = fc.record<Asked>({
    method: fc.constantFrom('POST', 'POST', 'POST', 'POST', 'GET', 'OPTIONS'),
    path: fc.constantFrom('/register', '/register', '/register', '/register', '/register/x'),
    fields: fc.constant([]),
    headers: fc.constantFrom(
      ...['application/json', 'application/json', 'application/json', ...types].map((type) => ({
        'content-type': type,
      })),
    ),
    raw: bodiesOf(metadata).map((body) => bytesOf(body, () => 'x')),
  })

  const subject = (name: string, cases: fc.Arbitrary<Asked>): Subject<Asked> => ({
    name,
    cases,
    runs: Math.ceil(requests / 4),
    async attempt({ method, path, fields, headers: some, raw }) {
      const query = new URLSearchParams(fields.map(([key, value]): [string, string] => [key, value])).toString()
      const isQuery = name === '/authorize'
      const request = {
        method,
        path: isQuery ? `${path}?${query}` : path,
        headers: some,
        body: isQuery ? undefined : (raw ?? Buffer.from(query)),
        way: {},
        isStraying: true,
      }
      return { faults: faultsOf(method, path, await send(request)), shown: () => shown(request) }
    },
  })
  const outcome = await campaign(
    [
      subject('/authorize', page),
      subject('/token', form('/token')),
      subject('/revoke', form('/revoke')),
      subject('/register', registration),
    ] as unknown as Subject<never>[],
    { seed, lanes, say },
  )
  close()
  return outcome
}

function faultsOf(method: string, path: string, { status, headers, body }: Answer): Fault[] {
  const text = body.toString()
  const type = String(headers['content-type'] ?? '').split(';')[0]
  const fault = (kind: string): Fault[] => [{ kind, told: `${status} ${type} ${text.slice(0, 500)}` }]
  if (status === 0) return fault('no answer')
  // A registration cannot be read or changed, and the specification wants exactly that said.
  if (status >= 500 && !(status === 501 && path.startsWith('/register/'))) return fault(`status ${status}`)
  if (method === 'HEAD' || text === '') return []
  if (status >= 300 && status < 400) return headers.location === undefined ? fault('a redirect to nowhere') : []
  if (type === 'text/html') return /^\/(authorize|approve|sign-in)/.test(path) ? [] : fault('a page')
  try {
    const { error, success } = JSON.parse(text)
    return status >= 400 && typeof error !== 'string' && success !== false ? fault('an error without a name') : []
  } catch {
    return fault('neither JSON nor a page')
  }
}
