// Faults in the authorization server: what an app gets without a person's word, or more than that word.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import type { Mutant } from './mutant.ts'

const flow = ['src/oauth/flow.test.ts']
const races = ['src/oauth/concurrency.test.ts']
const safeFetch = ['src/http/safe-fetch.test.ts']
const registration = ['src/oauth/registration.test.ts']
const doors = ['src/oauth/hardening.test.ts']

export const oauth: readonly Mutant[] = [
  {
    control: 'every app proves with PKCE that its code is its own',
    file: 'src/oauth/provider.ts',
    find: 'if (!/^[\\w-]{43}$/.test(String(ctx.oidc.params?.code_challenge))) {',
    replace: 'if (false) {',
    tests: flow,
  },
  {
    control: 'a redirect address is exactly one that was registered',
    file: 'src/oauth/provider.ts',
    find: '    compareClientSecret(',
    replace: '    redirectUriAllowed: () => true,\n    compareClientSecret(',
    tests: flow,
  },
  {
    control: 'a code is redeemed once, however many try at once',
    file: 'src/oauth/adapter.ts',
    find: "if (!(await consumeToken(database, kind, id))) throw new errors.InvalidGrant('it was used already')",
    replace: 'await consumeToken(database, kind, id)',
    tests: races,
  },
  {
    control: 'what is used up is not used again',
    file: 'src/oauth/adapter.ts',
    find: 'and kind = ${kind} and consumed_at is null returning 1`',
    replace: 'and kind = ${kind} returning 1`',
    tests: races,
  },
  {
    control: 'a wrong verifier burns the code',
    file: 'src/oauth/provider.ts',
    find: '    await burnCode(database, ctx as KoaContextWithOIDC)\n',
    replace: '',
    tests: flow,
  },
  {
    control: 'a refresh token is good once',
    file: 'src/oauth/provider.ts',
    find: 'rotateRefreshToken: true,',
    replace: 'rotateRefreshToken: false,',
    tests: flow,
  },
  {
    control: 'a refresh token that is used again later ends everything',
    file: 'src/oauth/adapter.ts',
    find: 'const parallelSeconds = 10',
    replace: 'const parallelSeconds = 1_000_000',
    tests: flow,
  },
  {
    control: 'parallel refreshes end nothing',
    file: 'src/oauth/adapter.ts',
    find: "if (!token || (kind === 'refresh' && token.isParallel)) return undefined",
    replace: 'if (!token) return undefined',
    tests: flow,
  },
  {
    control: 'a token that is issued while its grant is revoked is as dead as the others',
    file: 'src/identity/tokens.ts',
    find: '      and (approval.revoked_at is null or member.id is null)`)',
    replace: '`)',
    tests: ['src/rest/tokens.test.ts'],
  },
  {
    control: 'a consent is believed only from its own page',
    file: 'src/oauth/consent.ts',
    find: 'const form = browser.verifiedForm(request)',
    replace: 'const form = request.body as URLSearchParams',
    tests: flow,
  },
  {
    control: 'a consent needs both factors',
    file: 'src/oauth/consent.ts',
    find: 'if (!session?.hasSecondFactor) return undefined',
    replace: 'if (!session) return undefined',
    tests: flow,
  },
  {
    control: 'an app is granted no more than it asked for',
    file: 'src/oauth/consent.ts',
    find: 'const allowed = consentRequest.scopes.filter((scope) => ticked.has(scope))',
    replace: 'const allowed = [...ticked] as Scope[]',
    tests: flow,
  },
  {
    control: 'somebody whose role went while they decided grants nothing',
    file: 'src/identity/grants.ts',
    find: 'if (admins.length === 0) return undefined',
    replace: '',
    tests: doors,
  },
  {
    control: 'an approval sent twice is one',
    file: 'src/oauth/adapter.ts',
    find: 'if (granted) return granted.id',
    replace: '',
    tests: races,
  },
  {
    control: 'no token outlives what it was issued for',
    file: 'src/oauth/provider.ts',
    find: 'return ends === undefined ? most : Math.max(',
    replace: 'return ends === undefined || ends > 0 ? most : Math.max(',
    tests: flow,
  },
  {
    control: 'a token for any other resource is refused',
    file: 'src/oauth/provider.ts',
    find: 'if (asked !== resource) throw new errors.InvalidTarget()',
    replace: '',
    tests: flow,
  },
  {
    control: 'an app with a secret has to know it',
    file: 'src/oauth/provider.ts',
    find: 'return matchesStoredSecret(given, this.clientSecret)',
    replace: 'return given.length > 0',
    tests: flow,
  },
  {
    control: 'a redirect over http leads to the same device only',
    file: 'src/identity/redirect-uris.ts',
    find: "return isLoopbackHost(url.hostname) ? undefined : 'may use http on a loopback host only'",
    replace: 'return undefined',
    tests: registration,
  },
  {
    control: 'an app cannot claim javascript:, data: and their like',
    file: 'src/identity/redirect-uris.ts',
    find: 'const isReserved = reservedSchemes.has(url.protocol) || ',
    replace: 'const isReserved = ',
    tests: registration,
  },
  {
    control: 'an app that registered itself is asked for each time',
    file: 'src/oauth/consent.ts',
    find: "source !== 'dynamic' && (",
    replace: '(',
    tests: flow,
  },
  {
    control: 'registrations are counted by address',
    file: 'src/oauth/endpoints.ts',
    find: "app.post('/register', { onRequest: limitBy(limits.register) }, ",
    replace: "app.post('/register', {}, ",
    tests: registration,
  },
  {
    control: 'text that no database takes is refused',
    file: 'src/oauth/endpoints.ts',
    find: 'if (![...parameters].flat().every(isStorableText)) throw',
    replace: 'if (false) throw',
    tests: doors,
  },
  {
    control: 'a document is fetched from public addresses only',
    file: 'src/http/safe-fetch.ts',
    find: '!addresses.every(({ address }) => network.isPublic(address))) {',
    replace: 'addresses.length < 0) {',
    tests: safeFetch,
  },
  {
    control: 'private networks are not public',
    file: 'src/http/safe-fetch.ts',
    find: "'0.0.0.0/8 10.0.0.0/8 ",
    replace: "'0.0.0.0/8 ",
    tests: safeFetch,
  },
  {
    control: 'a name that nobody resolves is given up',
    file: 'src/http/safe-fetch.ts',
    find: 'await rejectOnAbort(signal, network.resolve(host, signal))',
    replace: 'await network.resolve(host, signal)',
    tests: safeFetch,
    isTimeout: true,
  },
]
