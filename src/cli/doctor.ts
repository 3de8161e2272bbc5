// The command that looks for what is wrong with an installation and says what to do about it.
import { access, constants, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Config, ConfigError } from '../config/config.ts'
import { isInsecureOrigin } from '../config/networks.ts'
import { openRateLimitStore } from '../http/rate-limit-store.ts'
import { createRateLimits } from '../http/rate-limits.ts'
import { plannedProcesses } from '../processes/plan.ts'
import { command } from './command.ts'
import type { CommandContext } from './context.ts'
import { backupFinding } from './doctor-backup.ts'
import { type Check, check, type Finding, fine, formatChecks, warning, wrong } from './doctor-checks.ts'
import { checkDatabase } from './doctor-database.ts'
import { mailFinding } from './doctor-mail.ts'

export default [
  command('doctor', {
    summary: 'Look for what is wrong with this installation, and say what to do about it',
    async run(_, ctx) {
      const checks = await runChecks(ctx)
      return { ok: checks.every(({ status }) => status !== 'wrong'), checks }
    },
    render: ({ ok, checks }) =>
      `${formatChecks(checks)}\n\n${ok ? 'Nothing is wrong.' : 'Something is wrong; see above.'}`,
    isSuccess: ({ ok }) => ok,
  }),
]

async function runChecks(ctx: CommandContext): Promise<Check[]> {
  const settings = await check('Settings', 'Set them in the environment or in .env.', () => settingsFinding(ctx))
  if (settings.status === 'wrong') return [settings] // everything else rests on them
  const config = ctx.config()
  const folder = await check('Data folder', 'Set DATA_DIR to a folder this user may write to.', () =>
    folderFinding(config),
  )
  const database = await checkDatabase(ctx)
  const isReached = database[0]!.status !== 'wrong'
  return [
    settings,
    await check('Addresses', 'Set REST_ORIGIN and AUTH_URL to https addresses.', () => addressFinding(config)),
    folder,
    ...database,
    await check('Backups', 'Set BACKUP_DIR to a folder this user may write to.', () => backupFinding(config)),
    await check('Mail', 'Try again; if it stays so, the log of the server says more.', async () =>
      mailFinding(config, isReached ? await ctx.unmigratedDatabase() : undefined),
    ),
    await check('Rate-limit store', 'Start Redis, or set REDIS_URL to one that answers.', () => storeFinding(config)),
    await check('Port', 'Set HOST and PORT to an address this machine has.', () => portFinding(config)),
  ]
}

function settingsFinding(ctx: CommandContext): Finding {
  try {
    ctx.config()
    return fine('all can be read; `jobwright settings` shows them')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const [, ...problems] = error.message.split('\n  - ')
    return wrong(problems.join('; '), 'Correct them in the environment or in .env.')
  }
}

function addressFinding({ restOrigin, authUrl }: Config): Finding {
  const unencrypted = [...new Set([restOrigin, authUrl])].filter(isInsecureOrigin)
  if (unencrypted.length === 0) return fine(restOrigin === authUrl ? restOrigin : `${restOrigin} and ${authUrl}`)
  return warning(
    `${unencrypted.join(' and ')}: keys, passwords and tokens can be read on the way`,
    'Put a proxy with a certificate in front, and set REST_ORIGIN and AUTH_URL to its https address.',
  )
}

const fullBytes = 100e6
const scarceBytes = 1e9

async function folderFinding({ dataDir }: Config): Promise<Finding> {
  const existing = await nearestExisting(dataDir)
  await access(existing, constants.W_OK)
  const { bavail, bsize } = await statfs(existing)
  const freeBytes = bavail * bsize
  const detail = `${dataDir}${existing === dataDir ? '' : ' will be made'}, ${(freeBytes / 1e9).toFixed(1)} GB free`
  const advice = 'Make room on the disk: PostgreSQL stops writing when it is full.'
  if (freeBytes < fullBytes) return wrong(detail, advice)
  return freeBytes < scarceBytes ? warning(detail, advice) : fine(detail)
}

async function nearestExisting(path: string): Promise<string> {
  return access(path).then(
    () => path,
    () => (path === dirname(path) ? path : nearestExisting(dirname(path))),
  )
}

const storeTimeoutMs = 10_000

/** Connects as the server does, so that what works here works there. */
async function storeFinding(config: Config): Promise<Finding> {
  if (config.rateLimitStore === 'memory') {
    const areSeveral = plannedProcesses(config).length > 0
    return fine(areSeveral ? 'memory of the first server process, for all of them' : 'memory of the one server process')
  }
  if (config.redisUrl === null) {
    return wrong(
      'redis is chosen without REDIS_URL, so every REST request is answered 503',
      'Set REDIS_URL, or set RATE_LIMIT_STORE=memory if there is only one server process.',
    )
  }
  const limits = createRateLimits(config, await openRateLimitStore(config))
  try {
    for (let waitedMs = 0; !(await limits.isReady()) && waitedMs < storeTimeoutMs; waitedMs += 20) await delay(20)
    await limits.request('doctor')
    return fine('Redis answers and counts')
  } catch {
    return wrong('Redis does not answer at REDIS_URL', 'Start Redis, or set REDIS_URL to one that answers.')
  } finally {
    limits.close()
  }
}

async function portFinding({ host, port, restOrigin }: Config): Promise<Finding> {
  if (port === 0) return fine('any free one is taken')
  const address = `${host}:${port}`
  if (await isOurs(host, port)) return fine(`Jobwright is running on ${address}, known as ${restOrigin}`)
  const obstacle = await findListenError(host, port)
  if (obstacle === undefined) return fine(`${address} is free`)
  if (obstacle === 'EADDRINUSE') {
    return wrong(`another program listens on ${address}`, 'Stop it, or set PORT to another port.')
  }
  return wrong(`${address} cannot be listened on (${obstacle})`, 'Set HOST and PORT to an address this machine has.')
}

async function isOurs(host: string, port: number): Promise<boolean> {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  try {
    const answer = await fetch(`http://${name}:${port}/health/live`, { signal: AbortSignal.timeout(2_000) })
    return answer.headers.get('x-request-id')?.startsWith('req_') ?? false
  } catch {
    return false
  }
}

/** Undefined if it is free, else the error code of the system. */
function findListenError(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => resolve(code))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}
