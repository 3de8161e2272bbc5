// A file that is sent as it is or compressed, and again only when it changed.
import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

export interface Asset {
  readonly type: string
  readonly body: Uint8Array
  readonly gzipped: Uint8Array
  /** Changes with the body. */
  readonly version: string
}

const compress = promisify(gzip)

export async function createAsset(type: string, text: string): Promise<Asset> {
  const body = Buffer.from(text)
  return { type, body, gzipped: await compress(body), version: hash('sha256', body).slice(0, 16) }
}
