// Faults in how often somebody may ask, whom it is counted to, and how long anything may take.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import type { Plant } from './plant.ts'

const guard = ['src/api/guard.test.ts']
const limitsTests = ['src/api/limits.test.ts']
const server = ['src/server.test.ts']
const database = ['src/database.test.ts']

export const limits: readonly Plant[] = [
  {
    control: 'requests over the limit are refused',
    file: 'src/api/guard.ts',
    find: "if (count.isOver)\n      throw tooManyRequests('Too many requests; wait",
    replace: "if (false)\n      throw tooManyRequests('Too many requests; wait",
    tests: guard,
  },
  {
    control: 'failed authentications over the limit are refused',
    file: 'src/api/guard.ts',
    find: "if (count.isOver)\n      throw tooManyRequests('Too many failed",
    replace: "if (false)\n      throw tooManyRequests('Too many failed",
    tests: guard,
  },
  {
    control: 'an IPv6 network of one household counts as one address',
    file: 'src/api/limits.ts',
    find: '  return groups\n    .slice(0, 4)',
    replace: '  return groups\n    .slice(0, 8)',
    tests: guard,
  },
  {
    control: 'IPv4 written as IPv6 is IPv4',
    file: 'src/api/guard.ts',
    find: "withoutPort(address).replace(/^::ffff:(?=\\d+\\.\\d+\\.\\d+\\.\\d+$)/i, '')",
    replace: 'withoutPort(address)',
    tests: guard,
  },
  {
    control: 'X-Forwarded-For is believed of trusted proxies only',
    file: 'src/server.ts',
    find: 'trustProxy: config.trustProxy.length > 0 ? isTrusted(config) : false,',
    replace: 'trustProxy: true,',
    tests: server,
  },
  {
    control: 'the address behind a proxy is an address',
    file: 'src/api/request.ts',
    find: "return isIP(address) ? address : plainAddress(request.socket.remoteAddress ?? '0.0.0.0')",
    replace: 'return address',
    tests: guard,
  },
  {
    control: 'a million sources share a bounded number of counts',
    file: 'src/api/limits.ts',
    find: "config.rateLimitStore === 'memory' ? bucketOf(networkOf(address)) : networkOf(address)",
    replace: 'networkOf(address)',
    tests: limitsTests,
  },
  {
    control: 'without the store that counts, nothing is served',
    file: 'src/api/limits.ts',
    find: 'if (!counter || !result) {',
    replace: 'if (!counter) return { limit: 1, remaining: 1, isOver: false, resetsInMs: 1 }\n    if (!result) {',
    tests: limitsTests,
  },
  {
    control: 'a store that does not answer is a 503',
    file: 'src/api/limits.ts',
    find: 'if (error instanceof RateLimiterRes) return error',
    replace: 'return error instanceof RateLimiterRes ? error : new RateLimiterRes(1, 1, 1)',
    tests: limitsTests,
  },
  {
    control: 'a frozen store holds a request for a moment only',
    file: 'src/api/limits.ts',
    find: 'commandTimeout: redisTimeoutMs,\n    connectTimeout: redisTimeoutMs,\n    socketTimeout: redisSilenceMs,',
    replace: 'connectTimeout: redisTimeoutMs,',
    tests: limitsTests,
    isTimeOut: true,
  },
  {
    control: 'a store whose network is dead is connected to anew',
    file: 'src/api/limits.ts',
    find: '    socketTimeout: redisSilenceMs,\n',
    replace: '',
    tests: limitsTests,
    breaks: 'the network has forgotten',
    isTimeOut: true,
  },
  {
    control: 'a request whose header never ends is cut off',
    file: 'src/server.ts',
    find: 'headersTimeout: 10_000,',
    replace: 'headersTimeout: 0,',
    tests: server,
    isTimeOut: true,
  },
  {
    control: 'a request whose body never ends is cut off',
    file: 'src/server.ts',
    find: 'requestTimeout: 30_000,',
    replace: 'requestTimeout: 0,',
    tests: server,
    isTimeOut: true,
  },
  {
    control: 'a database that answers nothing is given up',
    file: 'src/connection.ts',
    find: 'streamOf(client).destroy()',
    replace: 'since.length = 0',
    tests: database,
    isTimeOut: true,
  },
  {
    control: 'a statement that takes too long is given up by the database',
    file: 'src/connection.ts',
    find: 'statement_timeout: statementTimeoutMs,',
    replace: '',
    tests: database,
    isTimeOut: true,
  },
  {
    control: 'a transaction that met a deadlock is tried again',
    file: 'src/database.ts',
    find: '        if (!isPassing(error)) throw error\n        if (attempt',
    replace: '        throw error\n        if (attempt',
    tests: database,
  },
  {
    control: 'of several that start at once one migrates',
    file: 'src/migrations.ts',
    find: 'select pg_advisory_lock(${migrationLock})',
    replace: 'select ${migrationLock}',
    tests: database,
  },
  {
    control: 'browsers of other origins are not let in',
    file: 'src/server.ts',
    find: 'origin: [...corsOrigins],',
    replace: 'origin: corsOrigins.length > 0,',
    tests: server,
  },
  {
    control: 'an instance that is asked to stop says that it is not ready',
    file: 'src/server.ts',
    find: 'const ready = !ending.isNear && (await parts.isReady())',
    replace: 'const ready = await parts.isReady()',
    tests: server,
  },
]
