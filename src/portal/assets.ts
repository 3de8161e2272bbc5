// The scripts of the portal: each makes a form more comfortable on a phone, and each form works without it.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { assetHeaders, signatureScript } from '../http/assets.ts'

const photo = readFileSync(new URL('./photo.js', import.meta.url), 'utf8')
const scriptPath = (name: string, body: string) => `/portal-assets/${name}.${hash('sha256', body).slice(0, 12)}.js`

export const signatureScriptPath = scriptPath('signature', signatureScript.body)
export const photoScriptPath = scriptPath('photo', photo)

/** A plugin: mount it without a prefix. Shared pages have the signature's script too, perhaps in another process. */
export async function portalScripts(app: FastifyInstance): Promise<void> {
  const scripts = [
    [signatureScriptPath, signatureScript.body],
    [photoScriptPath, photo],
  ] as const
  for (const [path, body] of scripts) {
    app.get(path, async (_request, reply) =>
      reply.headers(assetHeaders).type('text/javascript; charset=utf-8').send(body),
    )
  }
}
