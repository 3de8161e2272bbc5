// Faults in how often somebody may ask, whom it is counted to, and how long anything may take.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import type { Mutant } from './mutant.ts'

const guard = ['src/rest/guard.test.ts']
const limitsTests = ['src/http/rate-limits.test.ts']
const server = ['src/http/server.test.ts']
const database = ['src/db/database.test.ts']

export const limits: readonly Mutant[] = [
  {
    control: 'requests over the limit are refused',
    file: 'src/rest/guard.ts',
    find: "if (count.isOver)\n      throw tooManyRequests('Too many requests; wait",
    replace: "if (false)\n      throw tooManyRequests('Too many requests; wait",
    tests: guard,
  },
  {
    control: 'failed authentications over the limit are refused',
    file: 'src/rest/guard.ts',
    find: "if (count.isOver)\n      throw tooManyRequests('Too many failed",
    replace: "if (false)\n      throw tooManyRequests('Too many failed",
    tests: guard,
  },
  {
    control: 'an IPv6 network of one household counts as one address',
    file: 'src/config/networks.ts',
    find: '  return groups\n    .slice(0, 4)',
    replace: '  return groups\n    .slice(0, 8)',
    tests: guard,
  },
  {
    control: 'IPv4 written as IPv6 is IPv4',
    file: 'src/http/request.ts',
    find: "withoutPort(address).replace(/^::ffff:(?=\\d+\\.\\d+\\.\\d+\\.\\d+$)/i, '')",
    replace: 'withoutPort(address)',
    tests: guard,
  },
  {
    control: 'X-Forwarded-For is believed of trusted proxies only',
    file: 'src/http/server.ts',
    find: 'trustProxy: config.trustProxy.length > 0 ? trustedProxyCheck(config) : false,',
    replace: 'trustProxy: true,',
    tests: server,
  },
  {
    control: 'the address behind a proxy is an address',
    file: 'src/http/request.ts',
    find: "return isIP(address) ? address : normalizeAddress(request.socket.remoteAddress ?? '0.0.0.0')",
    replace: 'return address',
    tests: guard,
  },
  {
    control: 'a million sources share a bounded number of counts',
    file: 'src/http/rate-limit-store.ts',
    find: 'networkKey: bucketsBy(randomBytes(32)),',
    replace: 'networkKey: (network) => network,',
    tests: limitsTests,
  },
  {
    control: 'without the store that counts, nothing is served',
    file: 'src/http/rate-limits.ts',
    find: 'if (!limiter || !result) {',
    replace: 'if (!limiter) return { limit: 1, remaining: 1, isOver: false, resetsInMs: 1 }\n    if (!result) {',
    tests: limitsTests,
  },
  {
    control: 'a store that does not answer is a 503',
    file: 'src/http/redis-rate-limiter.ts',
    find: 'if (error instanceof RateLimiterRes) return error\n        throw error',
    replace: 'return error instanceof RateLimiterRes ? error : new RateLimiterRes(1, 1, 1)',
    tests: limitsTests,
  },
  {
    control: 'a frozen store holds a request for a moment only',
    file: 'src/http/redis-rate-limiter.ts',
    find: 'commandTimeout: redisTimeoutMs,\n    connectTimeout: redisTimeoutMs,\n    socketTimeout: redisSocketTimeoutMs,',
    replace: 'connectTimeout: redisTimeoutMs,',
    tests: limitsTests,
    isTimeout: true,
  },
  {
    control: 'a store whose network is dead is connected to anew',
    file: 'src/http/redis-rate-limiter.ts',
    find: '    socketTimeout: redisSocketTimeoutMs,\n',
    replace: '',
    tests: limitsTests,
    expectedFailure: 'the network has forgotten',
    isTimeout: true,
  },
  {
    control: 'a request whose header never ends is cut off',
    file: 'src/http/server.ts',
    find: 'headersTimeout: 10_000,',
    replace: 'headersTimeout: 0,',
    tests: server,
    isTimeout: true,
  },
  {
    control: 'a request whose body never ends is cut off',
    file: 'src/http/server.ts',
    find: 'requestTimeout: 30_000,',
    replace: 'requestTimeout: 0,',
    tests: server,
    isTimeout: true,
  },
  {
    control: 'a database that answers nothing is given up',
    file: 'src/db/connection.ts',
    find: 'socketOf(client).destroy()',
    replace: 'startTimes.length = 0',
    tests: database,
    isTimeout: true,
  },
  {
    control: 'a statement that takes too long is given up by the database',
    file: 'src/db/connection.ts',
    find: 'statement_timeout: statementTimeoutMs,',
    replace: '',
    tests: database,
    isTimeout: true,
  },
  {
    control: 'a transaction that met a deadlock is tried again',
    file: 'src/db/database.ts',
    find: '        if (!isRetryable(error)) throw error\n        if (attempt',
    replace: '        throw error\n        if (attempt',
    tests: database,
  },
  {
    control: 'of several that start at once one migrates',
    file: 'src/db/migrate.ts',
    find: 'select pg_try_advisory_lock(${advisoryLockId}) as held',
    replace: 'select true as held',
    tests: database,
  },
  {
    control: 'browsers of other origins are not let in',
    file: 'src/http/cors.ts',
    find: 'origin: [...corsOrigins],',
    replace: 'origin: corsOrigins.length > 0,',
    tests: server,
  },
  {
    control: 'an instance that is asked to stop says that it is not ready',
    file: 'src/http/server.ts',
    find: 'const ready = !shutdown.isAnnounced && (await dependencies.isReady())',
    replace: 'const ready = await dependencies.isReady()',
    tests: server,
  },
]
