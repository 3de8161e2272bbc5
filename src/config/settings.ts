// Every setting of the service: its variable, how it is read, its default and one sentence about it.
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { backupSettings } from './backup-settings.ts'
import { databaseUrl } from './database-url.ts'
import { limit, setting } from './setting.ts'
import {
  base64Of32Bytes,
  cidr,
  everyRole,
  folder,
  host,
  list,
  mailAddress,
  oneOf,
  origin,
  port,
  processCount,
  roles,
  secretText,
  text,
  url,
} from './setting-values.ts'

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
type LogLevel = (typeof logLevels)[number]

/** In the order they are settled: a default may depend on what stands above it. */
export const settings = {
  host: setting({
    variable: 'HOST',
    parse: text,
    defaultValue: '127.0.0.1',
    defaultText: '127.0.0.1',
    meaning: 'The address to listen on.',
  }),
  port: setting({
    variable: 'PORT',
    parse: port,
    defaultValue: 3000,
    defaultText: '3000',
    meaning: 'The port to listen on; 0 takes any free one.',
  }),
  dataDir: setting({
    variable: 'DATA_DIR',
    parse: folder,
    defaultValue: () => resolve('data'),
    defaultText: './data',
    meaning: 'The embedded PostgreSQL and the generated secrets live here.',
  }),
  databaseUrl: setting({
    variable: 'DATABASE_URL',
    parse: databaseUrl,
    defaultValue: null,
    defaultText: 'unset',
    secret: true,
    meaning:
      'Any PostgreSQL from 15 on; unset means the embedded one. Of several hosts (postgres://user@a:5432,b:5432/db) the one that can be written to is used.',
  }),
  redisUrl: setting({
    variable: 'REDIS_URL',
    parse: url('redis:', 'rediss:'),
    defaultValue: null,
    defaultText: 'unset',
    secret: true,
    meaning: 'The store that several processes share for rate limits.',
  }),
  rateLimitStore: setting({
    variable: 'RATE_LIMIT_STORE',
    parse: oneOf('memory', 'redis'),
    defaultValue: ({ databaseUrl }) => (databaseUrl === null ? 'memory' : 'redis'),
    defaultText: 'memory when embedded, else redis',
    meaning: 'Where requests are counted; redis without REDIS_URL answers 503 instead of counting loosely.',
  }),
  restOrigin: setting({
    variable: 'REST_ORIGIN',
    parse: origin,
    defaultValue: defaultOrigin,
    defaultText: 'http://HOST:PORT',
    meaning: 'The public origin of the REST interface; never taken from a request.',
  }),
  authUrl: setting({
    variable: 'AUTH_URL',
    parse: origin,
    defaultValue: defaultOrigin,
    defaultText: 'http://HOST:PORT',
    meaning: 'The public origin of the authorization server; never taken from a request.',
  }),
  role: setting({
    variable: 'ROLE',
    parse: roles,
    defaultValue: everyRole,
    defaultText: 'all',
    meaning:
      'What this process does: all, or a comma list of rest, auth and worker, several processes on one database.',
  }),
  processes: setting({
    variable: 'PROCESSES',
    parse: processCount,
    defaultValue: 1,
    defaultText: '1',
    meaning:
      'How many processes serve requests on this machine, or auto: one for each core. From 2 on, one more does the background work; split: so it is with one that serves.',
  }),
  introspectionSecret: setting({
    variable: 'INTROSPECTION_SECRET',
    parse: secretText,
    defaultValue: null,
    defaultText: 'unset',
    secret: true,
    meaning: 'What a process that serves REST alone shows the authorization server to ask about tokens.',
  }),
  metricsToken: setting({
    variable: 'METRICS_TOKEN',
    parse: secretText,
    defaultValue: null,
    defaultText: 'unset',
    secret: true,
    meaning: 'What whoever reads /metrics from another machine sends as a bearer; unset means this machine alone.',
  }),
  trustProxy: setting({
    variable: 'TRUST_PROXY',
    parse: list(cidr),
    defaultValue: [],
    defaultText: 'none',
    meaning: 'Networks (comma list of CIDRs) whose X-Forwarded-For is believed.',
  }),
  rateLimitPerMinute: limit(
    'RATE_LIMIT_PER_MINUTE',
    100,
    'Requests a minute for each API key, and for each app in an organisation.',
  ),
  failedAuthPerMinute: limit(
    'FAILED_AUTH_PER_MINUTE',
    10,
    'Failed authentications a minute for each address (IPv6: each /64).',
  ),
  authorizePerMinute: limit('AUTHORIZE_PER_MINUTE', 30, 'Requests to /authorize a minute for each address.'),
  tokenPerMinute: limit('TOKEN_PER_MINUTE', 60, 'Requests to /token and /revoke a minute for each address.'),
  registerPerMinute: limit('REGISTER_PER_MINUTE', 10, 'Requests to /register a minute for each address.'),
  registerPerDay: limit('REGISTER_PER_DAY', 100, 'Requests to /register a day for each address.'),
  publicClientBlockedHosts: setting({
    variable: 'PUBLIC_CLIENT_BLOCKED_HOSTS',
    parse: list(host),
    defaultValue: ['google.com'],
    defaultText: 'google.com',
    meaning: 'Redirect hosts, with their subdomains, for which an app without a secret cannot register itself.',
  }),
  clientMetadataBlockedHosts: setting({
    variable: 'CLIENT_METADATA_BLOCKED_HOSTS',
    parse: list(host),
    defaultValue: [],
    defaultText: 'none',
    meaning: 'Hosts, with their subdomains, whose client metadata documents are refused.',
  }),
  oidcIssuer: setting({
    variable: 'OIDC_ISSUER',
    parse: url('https:', 'http:'),
    defaultValue: null,
    defaultText: 'unset',
    meaning: 'An identity provider that people may sign in with; the second factor stays here.',
  }),
  oidcClientId: setting({
    variable: 'OIDC_CLIENT_ID',
    parse: text,
    defaultValue: null,
    defaultText: 'unset',
    meaning: 'How that identity provider knows this service.',
  }),
  oidcClientSecret: setting({
    variable: 'OIDC_CLIENT_SECRET',
    parse: text,
    defaultValue: null,
    defaultText: 'unset',
    secret: true,
    meaning: 'The secret that goes with OIDC_CLIENT_ID.',
  }),
  secretsKey: setting({
    variable: 'SECRETS_KEY',
    parse: list(base64Of32Bytes),
    defaultValue: null,
    defaultText: 'generated into DATA_DIR when embedded, required otherwise',
    secret: true,
    meaning:
      'Keys (comma list, 32 random bytes in base64 each) that encrypt secrets and sign cookies; the first is used.',
  }),
  smtpUrl: setting({
    variable: 'SMTP_URL',
    parse: url('smtp:', 'smtps:'),
    defaultValue: null,
    defaultText: 'unset',
    secret: true,
    meaning: 'The mail server; unset means that mail is written to DATA_DIR/outbox, one file each.',
  }),
  mailFrom: setting({
    variable: 'MAIL_FROM',
    parse: mailAddress,
    defaultValue: 'jobwright@localhost',
    defaultText: 'jobwright@localhost',
    meaning: 'The address mail comes from; it carries the name of the organisation.',
  }),
  eventDays: limit('EVENT_DAYS', 30, 'How many days events are kept for those who read them later.'),
  ...backupSettings,
  demo: setting({
    variable: 'DEMO',
    parse: oneOf('auto', 'off'),
    defaultValue: 'auto',
    defaultText: 'auto',
    meaning: 'auto: a demo organisation on an empty embedded database behind a loopback address; off: never.',
  }),
  corsOrigins: setting({
    variable: 'CORS_ORIGINS',
    parse: list(origin),
    defaultValue: [],
    defaultText: 'none',
    meaning: 'Browser origins (comma list) that may call REST.',
  }),
  webhookPrivateNetworks: setting({
    variable: 'WEBHOOK_PRIVATE_NETWORKS',
    parse: list(cidr),
    defaultValue: [],
    defaultText: 'none',
    meaning: 'Private networks (comma list of CIDRs) that webhooks may lead to, over http or https.',
  }),
  logLevel: setting({
    variable: 'LOG_LEVEL',
    parse: oneOf(...logLevels),
    defaultValue: 'info' as LogLevel,
    defaultText: 'info',
    meaning: 'How much is logged, as JSON lines on stderr.',
  }),
}

/** IPv6 addresses stand in brackets in a URL. */
function defaultOrigin({ host, port }: Readonly<Record<string, unknown>>): string {
  return `http://${isIP(String(host)) === 6 ? `[${host}]` : host}:${port}`
}
