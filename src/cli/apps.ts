// The commands for apps: registering them, seeing and revoking what they were allowed, and carrying old tokens over.
import { Type as t } from 'typebox'
import { id, oneOf, text, whole } from '../api/fields.ts'
import type { ScopeVersion } from '../api/scopes.ts'
import { lineOn } from '../identity/audit.ts'
import { type Client, listClients, registerClient, removeClient, rotateClientSecret } from '../identity/clients.ts'
import { type Grant, grantRevoked, importToken, listGrants, revokeGrant } from '../identity/grants.ts'
import { mcpResource } from '../oauth/resources.ts'
import { act } from './acting.ts'
import { command, UsageError } from './command.ts'
import { expiry } from './keys.ts'
import { bold, day, fields, minute, table } from './layout.ts'
import { databaseWith, organisationId } from './organisations.ts'

const clientId = id({ description: 'the id of the app' })
const secretShown = 'This is the only time its secret is shown; keep it where only the app can read it.'

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
      act(
        org,
        ctx,
        (transaction) => registerClient(transaction, org, { name, redirectUris: redirectUri }),
        (client) => lineOn('client.created', client, { redirectUris: client.redirectUris }),
      ),
    show: ({ clientSecret, ...client }) =>
      ['The app is registered.', '', `  ${bold(clientSecret)}`, '', secretShown, '', fields(shownClient(client))].join(
        '\n',
      ),
  }),

  command('client rotate', {
    summary: 'Give an app a new secret, which is shown only this once',
    places: { org: organisationId, client: clientId },
    run: ({ org, client }, ctx) =>
      act(
        org,
        ctx,
        (transaction) => rotateClientSecret(transaction, org, client),
        (rotated) => lineOn('client.rotated', rotated),
      ),
    show: ({ clientSecret, ...client }) =>
      [
        'The app has a new secret.',
        '',
        `  ${bold(clientSecret)}`,
        '',
        secretShown,
        '',
        fields(shownClient(client)),
      ].join('\n'),
  }),

  command('client remove', {
    summary: 'Remove an app and everything it was allowed',
    places: { org: organisationId, client: clientId },
    run: ({ org, client }, ctx) =>
      act(
        org,
        ctx,
        (transaction) => removeClient(transaction, org, client),
        (removed) => lineOn('client.removed', removed),
      ),
    show: (client) => `The app is removed.\n\n${fields(shownClient(client))}`,
  }),

  command('client list', {
    summary: 'List the apps an organisation registered, newest first',
    options: { org: organisationId },
    run: async ({ org }, ctx) => ({ clients: await listClients(await databaseWith(org, ctx), org) }),
    show({ clients }) {
      if (clients.length === 0) return 'The organisation has no apps yet; register one with jobwright client create.'
      const rows = clients.map((client) => Object.values(shownClient(client)))
      return table(Object.keys(shownClient(clients[0]!)), rows)
    },
  }),

  command('grant list', {
    summary: 'List what apps were allowed in an organisation, newest first',
    options: { org: organisationId },
    run: async ({ org }, ctx) => ({ grants: await listGrants(await databaseWith(org, ctx), org) }),
    show({ grants }) {
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
    places: { grant: id({ description: 'the id of the grant' }) },
    options: { org: organisationId },
    example: '--org org_01kbx5… grt_01kbx6…',
    run: ({ org, grant }, ctx) => act(org, ctx, (transaction) => revokeGrant(transaction, org, grant), grantRevoked),
    show: (grant) => `The grant is revoked.\n\n${fields(shownGrant(grant))}`,
  }),

  command('token import', {
    summary: 'Make an access token as an earlier system issued them',
    options: {
      org: organisationId,
      member: id({ description: 'the admin who approved it' }),
      client: text(200, { description: 'the name of the app' }),
      scopes: t.Array(text(60), { default: ['read'], description: 'bundles (read, write, full) and single scopes' }),
      scopeVersion: whole(1, 2, { default: 1, description: 'in version 1 a write scope includes delete' }),
      audience: oneOf(['none', 'mcp'], { default: 'none', description: 'what it is bound to' }),
      expires: text(40, { default: '1h', description: 'after 1h or 30d, or on 2027-01-31' }),
    },
    example: `--org org_01kbx5… --member mem_01kbx6… --client 'Old app' --scopes write`,
    async run({ org, member, client, scopes, scopeVersion, audience, expires }, ctx) {
      const now = new Date()
      const ends = expiry(expires, now)
      if (ends === null) throw new UsageError('--expires must name an end: a token does not last for ever')
      const token = {
        memberId: member,
        clientName: client,
        scopes,
        scopeVersion: scopeVersion as ScopeVersion,
        audience: audience === 'mcp' ? mcpResource(ctx.config()) : null,
        lifeSeconds: (ends.getTime() - now.getTime()) / 1_000,
      }
      return act(
        org,
        ctx,
        (transaction) => importToken(transaction, org, token),
        ({ grantId }) => lineOn('grant.imported', { id: grantId, name: client }, { scopes }),
      )
    },
    show: ({ accessToken, grantId }) =>
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

const shownClient = ({ id, name, redirectUris, createdAt, lastUsedAt }: Client) => ({
  Id: id,
  Name: name,
  'Returns to': redirectUris.join(', '),
  Registered: day(createdAt, ''),
  'Last used': day(lastUsedAt, 'never'),
})

const shownGrant = (grant: Grant) => ({
  Id: grant.id,
  App: grant.clientName,
  'Approved by': grant.email,
  Scopes: `${grant.scopes.join(', ')} (version ${grant.scopeVersion})`,
  Status: grant.status,
  Expires: minute(grant.expiresAt, 'never'),
  'Last used': minute(grant.lastUsedAt, 'never'),
})
