// Settings that need each other: what is missing beside what is set, as sentences for the operator.
import { everyRole } from './setting-values.ts'

/** A setting that could not be read is not there: it has a sentence of its own. */
export function findContradictions(
  resolved: Readonly<Record<string, unknown>>,
  isGiven: (variable: string) => boolean,
): readonly string[] {
  const problems: string[] = []
  if (resolved.databaseUrl && resolved.secretsKey === null) {
    problems.push('SECRETS_KEY is required with DATABASE_URL: make one with `openssl rand -base64 32`')
  }
  if (resolved.smtpUrl && !isGiven('MAIL_FROM')) {
    problems.push('MAIL_FROM is required with SMTP_URL: an address that the mail server lets you send from')
  }
  const { role = everyRole } = resolved as { role?: readonly string[] }
  if (role.includes('rest') && !role.includes('auth') && !resolved.introspectionSecret) {
    problems.push('INTROSPECTION_SECRET is required where ROLE has rest without auth; the auth process needs the same')
  }
  if (resolved.backupDir && resolved.databaseUrl) {
    problems.push('BACKUP_DIR is for the embedded PostgreSQL: whoever runs the one at DATABASE_URL backs it up')
  }
  if (resolved.backupWal === 'on' && !resolved.backupDir) problems.push('BACKUP_DIR is required with BACKUP_WAL=on')
  if (resolved.oidcIssuer && !resolved.oidcClientId) problems.push('OIDC_CLIENT_ID is required with OIDC_ISSUER')
  return problems
}
