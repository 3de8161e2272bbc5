// The release before this one at work: a data folder of its own with its embedded PostgreSQL and its demo shop.
import { startService } from './programs.ts'
import type { Reader } from './released.ts'

/** Limits that a reader of everything does not meet. */
const settings = { RATE_LIMIT_PER_MINUTE: '1000000', FAILED_AUTH_PER_MINUTE: '1000000' }

export async function startReleasedShop(
  root: URL,
  dataDir: string,
): Promise<{ readonly shop: Reader; stop(): Promise<void> }> {
  const service = await startService({ ...settings, DATA_DIR: dataDir }, { root })
  const [, key, orgId] = /X-API-Key: (\S+)".*\/organisations\/(\w+)\//.exec(service.output()) ?? []
  if (!key || !orgId) throw new Error(`The release before made no demo:\n${service.output()}`)
  return {
    shop: { origin: service.origin, orgId, key },
    async stop() {
      const code = await service.stop()
      if (code !== 0) throw new Error(`The release before ended with ${code}:\n${service.output().slice(-1_000)}`)
    },
  }
}
