// The API reference, for people at /docs and for programs at /api/v1/openapi.json: open to all, and asking nobody outside.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { basePath } from '../operations/base-path.ts'
import { type Asset, createAsset } from './asset.ts'
import type { OpenApi } from './openapi/openapi.ts'

const openapiPath = `${basePath}/openapi.json`

const cachePolicy = {
  /** Asked for again each time, and sent again only when it changed. */
  revalidate: 'no-cache',
  /** The address carries the version. */
  immutable: 'public, max-age=31536000, immutable',
}

/** A plugin: mount it without a prefix. */
export async function docs(
  app: FastifyInstance,
  { createDocument }: { createDocument(): Promise<OpenApi> },
): Promise<void> {
  const openapi = lazy(async () =>
    createAsset('application/json; charset=utf-8', JSON.stringify(await createDocument())),
  )
  const icon = await createAsset('image/svg+xml', wrench)
  const viewer = lazy(loadViewer)
  const page = lazy(async () =>
    createAsset('text/html; charset=utf-8', renderPage((await viewer()).version, icon.version)),
  )

  app.get(openapiPath, async (request, reply) => {
    reply.header('access-control-allow-origin', '*')
    return send(request, reply, await openapi(), cachePolicy.revalidate)
  })
  app.get('/docs', async (request, reply) => send(request, reply, await page(), cachePolicy.revalidate))
  app.get('/docs/viewer.js', async (request, reply) => send(request, reply, await viewer(), cachePolicy.immutable))
  app.get('/docs/icon.svg', async (request, reply) => send(request, reply, icon, cachePolicy.immutable))
}

/** Most processes never show the page: the document is made, and its script read, when somebody asks. */
function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let promise: Promise<T> | undefined
  return () => {
    promise ??= make().catch((error) => {
      promise = undefined
      throw error
    })
    return promise
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

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, body, gzipped, version }: Asset,
  cacheControl: string,
) {
  const etag = `W/"${version}"`
  reply.headers({ ...headers, etag, 'cache-control': cacheControl })
  if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
  const acceptsGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  if (acceptsGzip) reply.header('content-encoding', 'gzip')
  const bytes = acceptsGzip ? gzipped : body
  return reply.type(type).send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}

/** In a thread that ends with it: loading and packing it takes most of a second, which nobody else is to wait for. */
async function loadViewer(): Promise<Asset> {
  const [asset] = await once(new Worker(new URL('./viewer-thread.ts', import.meta.url)), 'message')
  return asset
}

/** Whatever would reach outside (fonts, telemetry, proxy, assistants) is off; what people type is not kept. */
const viewerSettings = {
  url: openapiPath,
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

const renderPage = (viewer: string, icon: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Jobwright API reference</title>
<meta name="description" content="Every operation of the Jobwright API, with its fields, scopes, answers and examples.">
<link rel="icon" type="image/svg+xml" href="/docs/icon.svg?v=${icon}">
</head>
<body>
<noscript>This page needs JavaScript. The same is in <a href="${openapiPath}">openapi.json</a>.</noscript>
<script id="api-reference" data-configuration="${attribute(viewerSettings)}"></script>
<script src="/docs/viewer.js?v=${viewer}"></script>
</body>
</html>
`

const wrench = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#14532d"/><path d="M21.5 6.5a6 6 0 0 0-6.9 7.9l-7.7 7.7a2.1 2.1 0 0 0 3 3l7.7-7.7a6 6 0 0 0 7.9-6.9l-3.4 3.4-3.3-.7-.7-3.3z" fill="#fff"/></svg>
`
