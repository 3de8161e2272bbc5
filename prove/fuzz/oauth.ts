// The authorization server's addresses with generated parameters: whatever comes, JSON, a redirect or a page, and never 5xx.
import fc from 'fast-check'
import { bodyArbitrary, encodeBody } from './bodies.ts'
import { type FuzzOutcome, type FuzzTarget, runCampaign } from './campaign.ts'
import { createSender, type FuzzResponse, formatRequest } from './http-sender.ts'
import {
  authorizations,
  contentTypes,
  metadata,
  oddValues,
  plausibleValues,
  redirect,
  scopes,
  usualParameters,
} from './oauth-parameters.ts'
import type { Violation } from './response-checks.ts'
import type { Shops } from './shops.ts'

interface OAuthRequest {
  readonly method: string
  readonly path: string
  readonly fields: readonly (readonly [string, string])[]
  readonly headers: Readonly<Record<string, string>>
  readonly raw?: Buffer
}

const lanes = 8
export async function fuzzOauth(
  { service }: Shops,
  { seed, requests, log }: { readonly seed: number; readonly requests: number; log(text: string): void },
): Promise<FuzzOutcome> {
  const { send, close } = createSender(service.port, lanes)
  const registerClient = async (method: string): Promise<string> => {
    const body = { client_name: 'Bench', redirect_uris: [redirect], token_endpoint_auth_method: method }
    const response = await fetch(`${service.origin}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return ((await response.json()) as { client_id: string }).client_id
  }
  const clients = [
    await registerClient('none'),
    await registerClient('client_secret_post'),
    'https://app.example/client.json',
  ]
  const values = plausibleValues(clients, service.origin)
  const names = Object.keys(values)

  /** Most of what is usual there, each mostly good, and now and then something more or the same again. */
  const fieldsFor = (path: string) => {
    const one = (name: string, often: number) =>
      fc.oneof(
        { weight: often, arbitrary: fc.constantFrom(...values[name]!).map((value) => [[name, value] as const]) },
        { weight: often, arbitrary: fc.constant([[name, values[name]![0]!] as const]) },
        { weight: 2, arbitrary: fc.constantFrom(...oddValues).map((value) => [[name, value] as const]) },
        {
          weight: 1,
          arbitrary: fc
            .constantFrom(...oddValues)
            .map((value) => [[name, value] as const, [name, values[name]![0]!] as const]),
        },
        { weight: 2, arbitrary: fc.constant([]) },
      )
    const extraFields = fc.array(
      fc.tuple(fc.constantFrom(...names, '__proto__', '', 'x'), fc.constantFrom(...oddValues, ...scopes)),
      { maxLength: 2 },
    )
    return fc
      .tuple(extraFields, ...usualParameters[path]!.map((name) => one(name, 8)))
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
    fc.record<OAuthRequest>({
      method: fc.constantFrom('POST', 'POST', 'POST', 'POST', 'POST', 'POST', 'GET', 'PUT', 'OPTIONS', 'HEAD'),
      path: fc.constant(path),
      fields: fieldsFor(path),
      headers: fc
        .tuple(
          headers,
          fc.constantFrom(contentTypes[0]!, contentTypes[0]!, contentTypes[0]!, contentTypes[0]!, ...contentTypes),
        )
        .map(([some, type]) => ({ ...some, 'content-type': type }) as Record<string, string>),
    })
  const page = fc.record<OAuthRequest>({
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
  const registration = fc.record<OAuthRequest>({
    method: fc.constantFrom('POST', 'POST', 'POST', 'POST', 'GET', 'OPTIONS'),
    path: fc.constantFrom('/register', '/register', '/register', '/register', '/register/x'),
    fields: fc.constant([]),
    headers: fc.constantFrom(
      ...['application/json', 'application/json', 'application/json', ...contentTypes].map((type) => ({
        'content-type': type,
      })),
    ),
    raw: bodyArbitrary(metadata).map((body) => encodeBody(body, () => 'x')),
  })

  const target = (name: string, cases: fc.Arbitrary<OAuthRequest>): FuzzTarget<OAuthRequest> => ({
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
        pathIds: {},
        mayReroute: true,
      }
      return { violations: violationsOf(method, path, await send(request)), reproduction: () => formatRequest(request) }
    },
  })
  const outcome = await runCampaign(
    [
      target('/authorize', page),
      target('/token', form('/token')),
      target('/revoke', form('/revoke')),
      target('/register', registration),
    ] as unknown as FuzzTarget<never>[],
    { seed, lanes, log },
  )
  close()
  return outcome
}

function violationsOf(method: string, path: string, { status, headers, body }: FuzzResponse): Violation[] {
  const text = body.toString()
  const type = String(headers['content-type'] ?? '').split(';')[0]
  const violation = (kind: string): Violation[] => [{ kind, detail: `${status} ${type} ${text.slice(0, 500)}` }]
  if (status === 0) return violation('no answer')
  // A registration cannot be read or changed, and the specification wants exactly that said.
  if (status >= 500 && !(status === 501 && path.startsWith('/register/'))) return violation(`status ${status}`)
  if (method === 'HEAD' || text === '') return []
  if (status >= 300 && status < 400) return headers.location === undefined ? violation('a redirect to nowhere') : []
  if (type === 'text/html') return /^\/(authorize|approve|sign-in)/.test(path) ? [] : violation('a page')
  try {
    const { error, success } = JSON.parse(text)
    return status >= 400 && typeof error !== 'string' && success !== false ? violation('an error without a name') : []
  } catch {
    return violation('neither JSON nor a page')
  }
}
