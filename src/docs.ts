// The API reference, for people at /docs and for programs at /api/v1/openapi.json: open to all, and asking nobody outside.
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { OpenApi } from './api/openapi.ts'
import { basePath } from './api/rest.ts'

interface Asset {
  readonly type: string
  readonly body: Buffer
  readonly packed: Buffer
  /** Changes with the body. */
  readonly version: string
}

const documentPath = `${basePath}/openapi.json`

const caching = {
  /** Asked for again each time, and sent again only when it changed. */
  revalidated: 'no-cache',
  /** The address carries the version. */
  forEver: 'public, max-age=31536000, immutable',
}

/** A plugin: mount it without a prefix. */
export async function docs(app: FastifyInstance, { document }: { readonly document: OpenApi }): Promise<void> {
  const description = await asset('application/json; charset=utf-8', JSON.stringify(document))
  const icon = await asset('image/svg+xml', wrench)
  const viewer = lazily(async () => asset('text/javascript; charset=utf-8', await viewerScript()))
  const page = lazily(async () => asset('text/html; charset=utf-8', pageOf((await viewer()).version, icon.version)))

  app.get('/', async (_request, reply) => reply.redirect('/docs'))
  app.get(documentPath, async (request, reply) => {
    reply.header('access-control-allow-origin', '*')
    return send(request, reply, description, caching.revalidated)
  })
  app.get('/docs', async (request, reply) => send(request, reply, await page(), caching.revalidated))
  app.get('/docs/viewer.js', async (request, reply) => send(request, reply, await viewer(), caching.forEver))
  app.get('/docs/icon.svg', async (request, reply) => send(request, reply, icon, caching.forEver))
}

const pack = promisify(gzip)

async function asset(type: string, text: string): Promise<Asset> {
  const body = Buffer.from(text)
  return { type, body, packed: await pack(body), version: hash('sha256', body).slice(0, 16) }
}

/** Most processes never show the page: its script is read when somebody asks. */
function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error) => {
      made = undefined
      throw error
    })
    return made
  }
}

/** The viewer injects its own styles and draws its own icons; scripts come from here only, and so does all it reads. */
const headers = {
  'content-security-policy': [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  vary: 'accept-encoding',
}

function send(request: FastifyRequest, reply: FastifyReply, { type, body, packed, version }: Asset, cached: string) {
  const etag = `W/"${version}"`
  reply.headers({ ...headers, etag, 'cache-control': cached })
  if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
  const isPacked = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  if (isPacked) reply.header('content-encoding', 'gzip')
  return reply.type(type).send(isPacked ? packed : body)
}

/** The package keeps its script to itself and gives it out by a route: it is asked for once, on a server of its own. */
async function viewerScript(): Promise<string> {
  const { default: viewer } = await import('@scalar/fastify-api-reference')
  const carrier = fastify()
  await carrier.register(viewer, { routePrefix: '/viewer', configuration: { url: documentPath } })
  const { payload } = await carrier.inject('/viewer/js/scalar.js')
  await carrier.close()
  return payload
}

/** Whatever would reach outside (fonts, telemetry, proxy, assistants) is off; what people type is not kept. */
const settings = {
  url: documentPath,
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'apiKey' },
  orderSchemaPropertiesBy: 'preserve',
  documentDownloadType: 'direct',
  modelsSectionLabel: 'Records',
  // A link to an operation puts the focus on all of it; a frame around that says nothing.
  customCss: '.section:focus { outline: none }',
}

const attribute = (value: unknown) => JSON.stringify(value).replaceAll('&', '&amp;').replaceAll('"', '&quot;')

const pageOf = (viewer: string, icon: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Jobwright API reference</title>
<meta name="description" content="Every operation of the Jobwright API, with its fields, scopes, answers and examples.">
<link rel="icon" type="image/svg+xml" href="/docs/icon.svg?v=${icon}">
</head>
<body>
<noscript>This page needs JavaScript. The same is in <a href="${documentPath}">openapi.json</a>.</noscript>
<script id="api-reference" data-configuration="${attribute(settings)}"></script>
<script src="/docs/viewer.js?v=${viewer}"></script>
</body>
</html>
`

const wrench = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#14532d"/><path d="M21.5 6.5a6 6 0 0 0-6.9 7.9l-7.7 7.7a2.1 2.1 0 0 0 3 3l7.7-7.7a6 6 0 0 0 7.9-6.9l-3.4 3.4-3.3-.7-.7-3.3z" fill="#fff"/></svg>
`
