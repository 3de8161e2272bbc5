// The commands for apps: registering them, seeing and revoking what they were allowed, and carrying old tokens over.
import { auditEntry } from '../identity/audit.ts'
import { type Client, listClients, registerClient, removeClient, rotateClientSecret } from '../identity/clients.ts'
import { type Grant, grantRevokedEntry, importToken, listGrants, revokeGrant } from '../identity/grants.ts'
import { mcpResource } from '../oauth/resource-indicators.ts'
import { id, integer, oneOf, text } from '../operations/fields.ts'
import { t } from '../operations/schemas.ts'
import type { ScopeVersion } from '../operations/scopes.ts'
import { runAudited } from './audit.ts'
import { command, UsageError } from './command.ts'
import { parseExpiry } from './keys.ts'
import { bold, day, fields, minute, table } from './layout.ts'
import { databaseWithOrganisation, organisationId } from './organisations.ts'

const clientId = id({ description: 'the id of the app' })

export default [
  command('client create', {
    summary: 'Register an app with a secret, which is shown only this once',
    options: {
      org: organisationId,
      name: text(200, { description: 'what people call it' }),
      redirectUri: t.Array(text(2_000), { description: 'where it may send people back to; up to ten' }),
    },
    example: '--org org_01kbx5… --name Shop --redirect-uri https://shop.example/back',
    run: ({ org, name, redirectUri }, ctx) =>
      runAudited(
        org,
        ctx,
        (transaction) => registerClient(transaction, org, { name, redirectUris: redirectUri }),
        (client) => auditEntry('client.created', client, { redirectUris: client.redirectUris }),
      ),
    render: (client) => renderSecret('The app is registered.', client),
  }),

  command('client rotate', {
    summary: 'Give an app a new secret, which is shown only this once',
    positionals: { org: organisationId, client: clientId },
    run: ({ org, client }, ctx) =>
      runAudited(
        org,
        ctx,
        (transaction) => rotateClientSecret(transaction, org, client),
        (rotated) => auditEntry('client.rotated', rotated),
      ),
    render: (client) => renderSecret('The app has a new secret.', client),
  }),

  command('client remove', {
    summary: 'Remove an app and everything it was allowed',
    positionals: { org: organisationId, client: clientId },
    run: ({ org, client }, ctx) =>
      runAudited(
        org,
        ctx,
        (transaction) => removeClient(transaction, org, client),
        (removed) => auditEntry('client.removed', removed),
      ),
    render: (client) => `The app is removed.\n\n${fields(clientFields(client))}`,
  }),

  command('client list', {
    summary: 'List the apps an organisation registered, newest first',
    options: { org: organisationId },
    run: async ({ org }, ctx) => ({ clients: await listClients(await databaseWithOrganisation(org, ctx), org) }),
    render({ clients }) {
      if (clients.length === 0) return 'The organisation has no apps yet; register one with jobwright client create.'
      const rows = clients.map((client) => Object.values(clientFields(client)))
      return table(Object.keys(clientFields(clients[0]!)), rows)
    },
  }),

  command('grant list', {
    summary: 'List what apps were allowed in an organisation, newest first',
    options: { org: organisationId },
    run: async ({ org }, ctx) => ({ grants: await listGrants(await databaseWithOrganisation(org, ctx), org) }),
    render({ grants }) {
      if (grants.length === 0) return 'Nobody has allowed an app anything in this organisation.'
      const rows = grants.map((grant) => [
        grant.id,
        grant.clientName,
        grant.email,
        grant.scopes.length > 2 ? `${grant.scopes.length} scopes` : grant.scopes.join(', '),
        grant.status,
        day(grant.expiresAt, 'never'),
        day(grant.lastUsedAt, 'never'),
      ])
      return table(['Id', 'App', 'Approved by', 'Scopes', 'Status', 'Expires', 'Last used'], rows)
    },
  }),

  command('grant revoke', {
    summary: 'End what an app was allowed, with all its tokens, at once',
    positionals: { grant: id({ description: 'the id of the grant' }) },
    options: { org: organisationId },
    example: '--org org_01kbx5… grt_01kbx6…',
    run: ({ org, grant }, ctx) =>
      runAudited(org, ctx, (transaction) => revokeGrant(transaction, org, grant), grantRevokedEntry),
    render: (grant) => `The grant is revoked.\n\n${fields(grantFields(grant))}`,
  }),

  command('token import', {
    summary: 'Make an access token as an earlier system issued them',
    options: {
      org: organisationId,
      member: id({ description: 'the admin who approved it' }),
      client: text(200, { description: 'the name of the app' }),
      scopes: t.Array(text(60), { default: ['read'], description: 'bundles (read, write, full) and single scopes' }),
      scopeVersion: integer(1, 2, { default: 1, description: 'in version 1 a write scope includes delete' }),
      audience: oneOf(['none', 'mcp'], { default: 'none', description: 'what it is bound to' }),
      expires: text(40, { default: '1h', description: 'after 1h or 30d, or on 2027-01-31' }),
    },
    example: `--org org_01kbx5… --member mem_01kbx6… --client 'Old app' --scopes write`,
    async run({ org, member, client, scopes, scopeVersion, audience, expires }, ctx) {
      const now = new Date()
      const expiresAt = parseExpiry(expires, now)
      if (expiresAt === null) throw new UsageError('--expires must name an end: a token does not last for ever')
      const token = {
        memberId: member,
        clientName: client,
        scopes,
        scopeVersion: scopeVersion as ScopeVersion,
        audience: audience === 'mcp' ? mcpResource(ctx.config()) : null,
        lifeSeconds: (expiresAt.getTime() - now.getTime()) / 1_000,
      }
      const { scopeCatalogue } = await import('../resources/index.ts')
      return runAudited(
        org,
        ctx,
        (transaction) => importToken(transaction, org, token, scopeCatalogue),
        ({ grantId }) => auditEntry('grant.imported', { id: grantId, name: client }, { scopes }),
      )
    },
    render: ({ accessToken, grantId }) =>
      [
        'The token is made.',
        '',
        `  ${bold(accessToken)}`,
        '',
        'This is the only time it is shown.',
        '',
        fields({ Grant: grantId }),
      ].join('\n'),
  }),
]

const renderSecret = (outcome: string, { clientSecret, ...client }: Client & { readonly clientSecret: string }) =>
  [
    outcome,
    `  ${bold(clientSecret)}`,
    'This is the only time its secret is shown; keep it where only the app can read it.',
    fields(clientFields(client)),
  ].join('\n\n')

const clientFields = ({ id, name, redirectUris, createdAt, lastUsedAt }: Client) => ({
  Id: id,
  Name: name,
  'Returns to': redirectUris.join(', '),
  Registered: day(createdAt, ''),
  'Last used': day(lastUsedAt, 'never'),
})

const grantFields = (grant: Grant) => ({
  Id: grant.id,
  App: grant.clientName,
  'Approved by': grant.email,
  Scopes: `${grant.scopes.join(', ')} (version ${grant.scopeVersion})`,
  Status: grant.status,
  Expires: minute(grant.expiresAt, 'never'),
  'Last used': minute(grant.lastUsedAt, 'never'),
})
