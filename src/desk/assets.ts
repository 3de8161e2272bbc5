// The files that pages of the desk load: our styles and scripts, Turbo, and the font; read once, kept by browsers for good.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { assetHeaders, signatureScript } from '../http/assets.ts'
import { maxWeekRows } from './week-rows.ts'

interface Asset {
  readonly name: string
  readonly type: string
  readonly body: string | Buffer
}

/** In this order: what comes later wins. */
const styleNames = [
  'ground',
  'frame',
  'controls',
  'surfaces',
  'calendar',
  'board',
  'job',
  'job-page',
  'documents',
  'agreements',
  'settings',
  'forms',
  'charts',
  'catalogue',
  'office',
  'phone',
  'paper',
] as const
/** The first one loads the others. */
const scriptNames = [
  'desk',
  'act',
  'agreement',
  'board',
  'calendar',
  'document',
  'drag',
  'import',
  'job',
  'keys',
  'listbox',
  'live',
  'mail-preview',
  'new-job',
  'order',
  'photo',
  'save',
  'stock',
  'toast',
] as const

const ours = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const packaged = (path: string) => readFileSync(createRequire(import.meta.url).resolve(path))
const font = (subset: string): Asset => ({
  name: `inter-${subset}.woff2`,
  type: 'font/woff2',
  body: packaged(`@fontsource-variable/inter/files/inter-${subset}-wght-normal.woff2`),
})
const script = (name: string, body: string | Buffer): Asset => ({
  name: `${name}.js`,
  type: 'text/javascript; charset=utf-8',
  body,
})

/** Quarters of the hours that a day shows: where a visit begins, and how many it takes. Styles in markup are refused. */
const quarterStyles = `@media (min-width:721px){${Array.from(
  { length: 96 },
  (_, quarter) => `.c${quarter}{grid-column-start:${quarter + 1}}.w${quarter + 1}{grid-column-end:span ${quarter + 1}}`,
).join('')}${Array.from(
  { length: 12 },
  (_, more) =>
    `.track.h${more + 13}{grid-template-columns:repeat(${(more + 13) * 4},minmax(0,1fr));--hours:${more + 13}}.ruler .h${more + 13}{grid-template-columns:repeat(${more + 13},1fr)}`,
).join('')}}`

/** As many rows as a week has people. */
const rowStyles = Array.from(
  { length: maxWeekRows },
  (_, index) => `.week.rows${index + 1}{grid-template-rows:auto repeat(${index + 1},auto)}`,
).join('')

const assets: readonly Asset[] = [
  {
    name: 'desk.css',
    type: 'text/css; charset=utf-8',
    body: [
      `.office{${ours('../http/pages.css')}}`,
      ...styleNames.map((name) => ours(`./styles/${name}.css`)),
      quarterStyles,
      rowStyles,
    ].join('\n'),
  },
  ...scriptNames.map((name) => script(name, ours(`./client/${name}.js`))),
  script('signature', signatureScript.body),
  script('turbo', packaged('@hotwired/turbo/dist/turbo.es2017-esm.js')),
  font('latin'),
  font('latin-ext'),
]
/** One version for all: scripts and styles name each other by plain names beside them. */
const version = hash('sha256', Buffer.concat(assets.map(({ body }) => Buffer.from(body)))).slice(0, 16)

export const assetPath = (name: string): string => `/desk-assets/${version}/${name}`

/** A plugin: mount it without a prefix. */
export async function deskAssets(app: FastifyInstance): Promise<void> {
  for (const { name, type, body } of assets) {
    // Turbo is 190 kB, and 45 when packed; a font is packed already. Packed once, when somebody wants it.
    let packed: Promise<Buffer> | undefined
    app.get(assetPath(name), async (request, reply) => {
      reply.headers(assetHeaders).header('vary', 'accept-encoding').type(type)
      if (type === 'font/woff2' || !/\bgzip\b/.test(String(request.headers['accept-encoding']))) return reply.send(body)
      packed ??= promisify(gzip)(body, { level: 9 })
      return reply.header('content-encoding', 'gzip').send(await packed)
    })
  }
}
