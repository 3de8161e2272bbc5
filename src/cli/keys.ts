// The commands that make, pause, resume, revoke, rotate and list API keys.
import { cidr } from '../config/setting-values.ts'
import type { Queryable } from '../db/database.ts'
import { dayMs, hourMs } from '../domain/durations.ts'
import { type AuditAction, auditEntry } from '../identity/audit.ts'
import {
  createKey,
  type Key,
  keyCreatedEntry,
  listKeys,
  pauseKey,
  resumeKey,
  revokeKey,
  rotateKey,
} from '../identity/keys.ts'
import { id, integer, oneOf, parseInstant, text } from '../operations/fields.ts'
import { t } from '../operations/schemas.ts'
import type { ScopeVersion } from '../operations/scopes.ts'
import { runAudited } from './audit.ts'
import { command, UsageError } from './command.ts'
import { bold, day, fields, minute, table } from './layout.ts'
import { databaseWithOrganisation, organisationId } from './organisations.ts'

const keyId = id({ description: 'the id of the key' })

export default [
  command('key create', {
    summary: 'Make an API key, whose value is shown only this once',
    options: {
      org: organisationId,
      name: text(120, { default: 'API key', description: 'what people call it' }),
      scopes: t.Array(text(60), { default: ['read'], description: 'bundles (read, write, full) and single scopes' }),
      uses: t.Array(oneOf(['rest', 'mcp']), { default: ['rest', 'mcp'], description: 'where it may be used' }),
      ip: t.Array(text(50), {
        default: [],
        description: 'networks it may be used from (10.0.0.0/8); any if not given',
      }),
      expires: text(40, { default: '90d', description: 'after 90d or 12h, on 2027-01-31, or never' }),
      scopeVersion: integer(1, 2, { default: 2, description: 'in version 1 a write scope includes delete' }),
    },
    example: `--org org_01kbx5… --name 'Web shop' --scopes customers:write --expires 30d`,
    async run({ org, ip, expires, scopeVersion, ...wanted }, ctx) {
      const expiresAt = parseExpiry(expires, new Date())
      const allowlist = ip.map(parseNetwork)
      const key = { ...wanted, allowlist, expiresAt, scopeVersion: scopeVersion as ScopeVersion }
      const { scopeCatalogue } = await import('../resources/index.ts') // the whole service: the other commands begin without it
      return runAudited(org, ctx, (transaction) => createKey(transaction, org, key, scopeCatalogue), keyCreatedEntry)
    },
    render: (key) => formatWithSecret(key, 'The key is made.'),
  }),

  keyStatusCommand('key pause', 'Refuse a key until it is resumed', 'key.paused', pauseKey),
  keyStatusCommand('key resume', 'Accept a paused key again', 'key.resumed', resumeKey),
  keyStatusCommand('key revoke', 'Refuse a key for ever', 'key.revoked', revokeKey),

  command('key rotate', {
    summary: 'Give a key a new value, which is shown only this once',
    positionals: { org: organisationId, key: keyId },
    options: {
      overlapHours: integer(0, 72, { default: 0, description: 'how long the value before stays good, up to 72' }),
    },
    example: 'org_01kbx5… key_01kbx6… --overlap-hours 24',
    run: ({ org, key, overlapHours }, ctx) =>
      runAudited(
        org,
        ctx,
        (transaction) => rotateKey(transaction, org, key, overlapHours),
        (rotated) => auditEntry('key.rotated', rotated, { overlapHours }),
      ),
    render: (key) => formatWithSecret(key, 'The key has a new value.'),
  }),

  command('key list', {
    summary: 'List the API keys of an organisation, newest first',
    options: { org: organisationId },
    run: async ({ org }, ctx) => ({ keys: await listKeys(await databaseWithOrganisation(org, ctx), org) }),
    render({ keys }) {
      if (keys.length === 0) return 'The organisation has no API keys yet; make one with jobwright key create.'
      const rows = keys.map((key) => [
        key.id,
        key.name,
        key.scopes.length > 2 ? `${key.scopes.length} scopes` : key.scopes.join(', '),
        key.status,
        day(key.expiresAt, 'never'),
        day(key.lastUsedAt, 'never'),
      ])
      return table(['Id', 'Name', 'Scopes', 'Status', 'Expires', 'Last used'], rows)
    },
  }),
]

function keyStatusCommand(
  words: string,
  summary: string,
  action: AuditAction,
  changeKey: (database: Queryable, orgId: string, keyId: string) => Promise<Key>,
) {
  return command(words, {
    summary,
    positionals: { org: organisationId, key: keyId },
    run: ({ org, key }, ctx) =>
      runAudited(
        org,
        ctx,
        (transaction) => changeKey(transaction, org, key),
        (changed) => auditEntry(action, changed),
      ),
    render: (key) => `The key is now ${key.status}.\n\n${fields(keyFields(key))}`,
  })
}

const maxLifetimeMs = 36_500 * dayMs

/** When a key ends: after `90d` or `12h`, at a date (its beginning in UTC) or a date-time, or never. */
export function parseExpiry(text: string, now: Date): Date | null {
  if (text === 'never') return null
  const [, amount, unit] = /^(\d{1,9})([dh])$/.exec(text) ?? []
  const end = unit
    ? now.getTime() + Number(amount) * (unit === 'd' ? dayMs : hourMs)
    : parseInstant(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)?.getTime()
  if (end === undefined) {
    throw new UsageError('--expires must be like 90d, 12h, 2027-01-31 or 2027-01-31T18:00:00Z, or never')
  }
  if (end <= now.getTime()) throw new UsageError('--expires must be in the future')
  if (end - now.getTime() > maxLifetimeMs)
    throw new UsageError('--expires must be within 100 years; for longer say never')
  return new Date(end)
}

function parseNetwork(text: string): string {
  try {
    return cidr(text)
  } catch (error) {
    throw new UsageError(`--ip ${(error as Error).message}`)
  }
}

const formatWithSecret = ({ key, ...record }: Key & { key: string }, outcome: string) =>
  [
    outcome,
    '',
    `  ${bold(key)}`,
    '',
    'This is the only time its value is shown; keep it where only its user can read it.',
    '',
    fields(keyFields(record)),
  ].join('\n')

const keyFields = (key: Key) => ({
  Id: key.id,
  Name: key.name,
  Scopes: `${key.scopes.join(', ')} (version ${key.scopeVersion})`,
  Uses: key.allowedUses.join(', '),
  Addresses: key.ipAllowlist.join(', ') || 'any',
  Status: key.status,
  Expires: minute(key.expiresAt, 'never'),
  'Last used': minute(key.lastUsedAt, 'never'),
})
