// The warning of a start whose public addresses are not encrypted.
import type { Config } from '../config/config.ts'
import { isInsecureOrigin } from '../config/networks.ts'

export function warnOfInsecureOrigins({ restOrigin, authUrl }: Config, warn: (message: string) => void): void {
  if (![restOrigin, authUrl].some(isInsecureOrigin)) return
  warn('REST_ORIGIN or AUTH_URL is http off this machine: keys and passwords can be read on the way. Use https.')
}
