// The files that pages load: read once, named after what is in them, so that browsers may keep them for good.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'

export interface Asset {
  /** Changes with the content. */
  readonly path: string
  readonly type: string
  readonly body: string
}

const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

function loadAsset(name: string, extension: keyof typeof types): Asset {
  const body = readFileSync(new URL(`${name}.${extension}`, import.meta.url), 'utf8')
  return { path: `/assets/${name}.${hash('sha256', body).slice(0, 12)}.${extension}`, type: types[extension], body }
}

export const documentStyle = loadAsset('document', 'css')
export const signatureScript = loadAsset('signature', 'js')

/** To be served as they are, to anybody. */
export const assets: readonly Asset[] = [documentStyle, signatureScript]

export const assetHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
}
