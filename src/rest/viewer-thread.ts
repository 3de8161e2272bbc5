// The thread that loads the script of the reference page. The package does not export it and serves it by a route: it is requested
// once, on a server of its own.
import { parentPort } from 'node:worker_threads'
import viewer from '@scalar/fastify-api-reference'
import { fastify } from 'fastify'
import { createAsset } from './asset.ts'

const server = fastify()
await server.register(viewer, { routePrefix: '/viewer', configuration: { url: '/openapi.json' } })
const { payload } = await server.inject('/viewer/js/scalar.js')
await server.close()
parentPort!.postMessage(await createAsset('text/javascript; charset=utf-8', payload))
