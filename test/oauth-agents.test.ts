// Agents that get their access by themselves: both generations of the SDK, and the authorization mode of the suite.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import {
  auth,
  Client,
  extractWWWAuthenticateParams,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import {
  UnauthorizedError as EarlierUnauthorized,
  auth as earlierAuth,
  extractWWWAuthenticateParams as earlierParameters,
} from 'mcp-sdk-1/client/auth.js'
import { Client as EarlierClient } from 'mcp-sdk-1/client/index.js'
import { StreamableHTTPClientTransport as EarlierTransport } from 'mcp-sdk-1/client/streamableHttp.js'
import { type Generation, generations } from './agent.ts'
import { register } from './oauth-app.ts'
import { freePort } from './programs.ts'
import { startTestService } from './test-service.ts'
import { type Person, person, signInOn, Visitor } from './visitor.ts'

const port = await freePort()
const here = await startTestService({ PORT: port })
const address = new URL(`${here.config.authUrl}/mcp`)

/** Where the browser ends up when somebody signs in and allows what is requested. */
async function approveInBrowser(link: URL | string, who: Person): Promise<URL> {
  const visitor = new Visitor(here.config.authUrl)
  let page = await visitor.open(String(link))
  if (page.url.includes('/sign-in')) page = await signInOn(visitor, here, page, who)
  page = await visitor.submit(page, '/approve/', { decision: 'allow' })
  return new URL(page.url)
}

/** A client that keeps what it is given, and has a person to send to the browser. */
function createProvider(who: Person) {
  // biome-ignore lint/suspicious/noExplicitAny: what a client keeps is its own affair
  const kept: any = {}
  const provider = {
    redirectUrl: 'http://127.0.0.1:4999/callback',
    clientMetadata: {
      client_name: 'Bench agent',
      redirect_uris: ['http://127.0.0.1:4999/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    clientInformation: () => kept.client,
    saveClientInformation(client: unknown) {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens(tokens: unknown) {
      kept.tokens = tokens
    },
    codeVerifier: () => kept.verifier,
    saveCodeVerifier(verifier: string) {
      kept.verifier = verifier
    },
    async redirectToAuthorization(link: URL) {
      kept.asked = link
      kept.back = await approveInBrowser(link, who)
    },
  }
  return { kept, provider: provider as never }
}

// biome-ignore lint/suspicious/noExplicitAny: the two generations differ in types only
type SdkParts = { client: any; transport: any; Refused: any; stepUp: any }
const sdkClients: Readonly<Record<Generation, (provider: never) => SdkParts>> = {
  '2.x': (authProvider) => ({
    client: new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } }),
    transport: () => new StreamableHTTPClientTransport(address, { authProvider }),
    Refused: UnauthorizedError,
    stepUp: (challenge: Response, grantedScope: string) => {
      const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(challenge)
      const options = {
        serverUrl: address,
        scope: `${grantedScope} ${scope}`,
        resourceMetadataUrl: resourceMetadataUrl!,
      }
      return auth(authProvider, { ...options, forceReauthorization: true })
    },
  }),
  '1.32': (authProvider) => ({
    client: new EarlierClient({ name: 'agent', version: '1' }),
    transport: () => new EarlierTransport(address, { authProvider }),
    Refused: EarlierUnauthorized,
    stepUp: (challenge: Response, grantedScope: string) => {
      const { scope, resourceMetadataUrl } = earlierParameters(challenge)
      return earlierAuth(authProvider, {
        serverUrl: address,
        scope: `${grantedScope} ${scope}`,
        resourceMetadataUrl: resourceMetadataUrl!,
      })
    },
  }),
}

for (const generation of generations) {
  test(`a client of SDK ${generation} finds the way from a refusal to a token, and works with it, and asks for more when it needs more`, async (t) => {
    const { orgId } = await here.organisation()
    const { kept, provider } = createProvider(await person(here, orgId))
    const { client, transport, Refused, stepUp } = sdkClients[generation](provider)
    const first = transport()
    await assert.rejects(client.connect(first), Refused)
    assert.equal(kept.asked.searchParams.get('resource'), address.href)
    assert.equal(kept.back.searchParams.get('iss'), here.config.authUrl)
    // The newer one wants the whole answer, to check who it is from.
    await first.finishAuth(generation === '2.x' ? kept.back.searchParams : kept.back.searchParams.get('code'))
    await client.connect(transport())
    t.after(() => client.close())

    const { structuredContent } = await client.callTool({ name: 'create_customer', arguments: { firstName: 'Amara' } })
    assert.match(structuredContent.id, /^cus_/)
    const deletion = {
      name: 'write_operation',
      arguments: { operation: 'delete_customer', arguments: { customerId: structuredContent.id } },
    }
    const refused = await client.callTool(deletion)
    assert.equal(refused.isError, true, 'deleting was not asked for')
    const [challenge] = refused._meta['mcp/www_authenticate']
    assert.match(challenge, /insufficient_scope.*customers:delete/)

    // What a host does with the challenge: the SDK reads it and leads back to the browser.
    const grantedScope = kept.tokens.scope
    if (generation === '1.32') kept.tokens = undefined // it would refresh what it has, which gives no more
    assert.equal(
      await stepUp(new Response(null, { headers: { 'www-authenticate': challenge } }), grantedScope),
      'REDIRECT',
    )
    const again = transport()
    await again.finishAuth(generation === '2.x' ? kept.back.searchParams : kept.back.searchParams.get('code'))
    const stepped = sdkClients[generation](provider)
    await stepped.client.connect(stepped.transport())
    t.after(() => stepped.client.close())
    assert.equal((await stepped.client.callTool(deletion)).isError ?? false, false)
  })
}

const suite = 'node_modules/@modelcontextprotocol/conformance/dist/index.js'
const skip = !existsSync(suite) && 'the conformance suite is not installed'

test('the authorization mode of the conformance suite passes', { skip, timeout: 60_000 }, async (t) => {
  const { orgId } = await here.organisation()
  const who = await person(here, orgId)
  const callback = await freePort()
  const { client } = await register(here, { redirect_uris: [`http://127.0.0.1:${callback}/callback`] })
  const options = [
    '--url',
    here.config.authUrl,
    '--client-id',
    client.client_id,
    '--resource',
    address.href,
    '-p',
    callback,
  ]
  const child = spawn(process.execPath, [suite, 'authorization', ...options])
  t.after(() => child.kill())
  let output = ''
  let isAllowed = false
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', async (text) => {
      output += text
      const [link] = /http:\S+\/authorize\?\S+/.exec(output) ?? []
      if (!link || isAllowed) return
      isAllowed = true
      await fetch(await approveInBrowser(link, who))
    })
  }
  const code = await new Promise((resolve) => child.on('close', resolve))
  assert.equal(code, 0, output)
  assert.ok(isAllowed, output)
  assert.doesNotMatch(output, /FAILURE|WARNING/)
  t.diagnostic(/Total: .*/.exec(output)?.[0] ?? output.slice(-300))
})

const bridge = 'node_modules/mcp-remote/dist/proxy.js'

test('mcp-remote, which desktop programs connect through, gets its access and works', {
  skip: !existsSync(bridge) && 'mcp-remote is not installed',
  timeout: 60_000,
}, async (t) => {
  const shop = await here.organisation()
  const who = await person(here, shop.orgId)
  const home = await mkdtemp(join(tmpdir(), 'jobwright-mcp-remote-'))
  t.after(() => rm(home, { recursive: true, force: true }))
  const child = spawn(process.execPath, [bridge, address.href, await freePort(), '--host', '127.0.0.1'], {
    env: { PATH: '', HOME: home, MCP_REMOTE_CONFIG_DIR: home }, // no browser is found there
  })
  t.after(() => child.kill())
  let output = ''
  let isAllowed = false
  child.stderr.on('data', async (text) => {
    output += text
    const [link] = /http:\S+\/authorize\?\S+/.exec(output) ?? []
    if (!link || isAllowed) return
    isAllowed = true
    await fetch(await approveInBrowser(link, who))
  })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'desktop', version: '1' }
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })
  assert.match((await answers.next()).value!, /"name":"jobwright"/)
  send({ method: 'notifications/initialized' })
  send({ id: 2, method: 'tools/call', params: { name: 'create_customer', arguments: { firstName: 'Ola' } } })
  const { result } = JSON.parse((await answers.next()).value!)
  assert.equal((await shop.get(`/customers/${result.structuredContent.id}`)).body.data.firstName, 'Ola')
})
