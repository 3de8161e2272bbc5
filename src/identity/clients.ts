// Apps that may ask for access: those an organisation registers, with a secret, and those that registered themselves.
import { type Queryable, sql } from '../db/database.ts'
import { lockOrganisationFor } from '../db/organisation-lock.ts'
import { newId } from '../operations/ids.ts'
import { isAppName } from './app-names.ts'
import { hashSecret } from './key-format.ts'
import { redirectUrisProblem } from './redirect-uris.ts'
import { newToken } from './tokens.ts'

export interface Client {
  readonly id: string
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/** How an app may authenticate at the token endpoint. */
export const authMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const

/** The members of RFC 7591 that are stored. */
export interface ClientMetadata {
  readonly client_name: string
  readonly client_uri?: string
  readonly logo_uri?: string
  readonly redirect_uris: readonly string[]
  readonly token_endpoint_auth_method: (typeof authMethods)[number]
}

const maxRegistered = 10
const maxNameLength = 120
const dynamicLifeDays = 365

const clientColumns = sql`client.id, name, metadata -> 'redirect_uris' as "redirectUris", created_at as "createdAt",
  (select max(last_used_at) from grants where client_id = client.id) as "lastUsedAt"`

/** Run it in a transaction. */
export async function registerClient(
  database: Queryable,
  orgId: string,
  { name, redirectUris }: { name: string; redirectUris: readonly string[] },
): Promise<Client & { clientId: string; clientSecret: string }> {
  if (!isAppName(name, maxNameLength))
    throw new Error(`Name the app, in at most ${maxNameLength} characters that can be seen`)
  const problem = redirectUrisProblem(redirectUris)
  if (problem) throw new Error(problem.replace('redirect_uris', 'Redirect addresses'))
  // The organisation is locked, so that two at once cannot pass the limit.
  await lockOrganisationFor(database, orgId, 'one judge')
  const [{ count } = { count: 0 }] = await database.query<{ count: number }>(
    sql`select count(*)::int as count from oauth_clients where org_id = ${orgId}`,
  )
  if (count >= maxRegistered) throw new Error(`An organisation can have ${maxRegistered} apps; remove one first`)
  const clientSecret = newToken()
  const metadata: ClientMetadata = {
    client_name: name,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: 'client_secret_basic',
  }
  const [client] = await database.query<Client>(sql`
    insert into oauth_clients as client (id, org_id, source, name, metadata, secret_hash)
    values (${newId('app')}, ${orgId}, 'registered', ${name}, ${JSON.stringify(metadata)}::jsonb, ${hashSecret(clientSecret)})
    returning ${clientColumns}`)
  return { ...client!, clientId: client!.id, clientSecret }
}

/** An app that registers itself; it lives for a year. */
export async function addDynamicClient(database: Queryable, metadata: ClientMetadata) {
  const isPublic = metadata.token_endpoint_auth_method === 'none'
  const clientSecret = isPublic ? undefined : newToken()
  const [client] = await database.query<{ id: string; issued: number; expires: number }>(sql`
    insert into oauth_clients (id, source, name, metadata, secret_hash, expires_at)
    values (${newId('dyn')}, 'dynamic', ${metadata.client_name}, ${JSON.stringify(metadata)}::jsonb,
      ${clientSecret ? hashSecret(clientSecret) : null}, now() + ${`${dynamicLifeDays} days`}::interval)
    returning id, floor(extract(epoch from created_at))::bigint as issued,
      floor(extract(epoch from expires_at))::bigint as expires`)
  return { ...client!, clientSecret }
}

export interface StoredClient {
  readonly source: 'dynamic' | 'registered'
  readonly metadata: ClientMetadata
  readonly secretHash: string | null
}

export async function findClient(database: Queryable, id: string): Promise<StoredClient | undefined> {
  if (!/^[\w-]{1,100}$/.test(id)) return undefined // unvalidated text, which may not even be storable
  const [client] = await database.query<StoredClient>(sql`
    select source, metadata, encode(secret_hash, 'hex') as "secretHash" from oauth_clients
    where id = ${id} and (expires_at is null or expires_at > now())`)
  return client
}

/** The organisation that registered an app, and whether the person belongs to it. */
export async function findRegistrant(
  database: Queryable,
  id: string,
  personId: string,
): Promise<{ name: string; isTheirs: boolean } | undefined> {
  const [registrant] = await database.query<{ name: string; isTheirs: boolean }>(sql`
    select organisations.name, exists (
      select from members where members.org_id = client.org_id and person_id = ${personId} and is_active
    ) as "isTheirs"
    from oauth_clients client join organisations using (org_id) where client.id = ${id}`)
  return registrant
}

export const listClients = (database: Queryable, orgId: string): Promise<Client[]> =>
  database.query<Client>(
    sql`select ${clientColumns} from oauth_clients client where org_id = ${orgId} order by created_at desc, id desc`,
  )

/** A new secret; the one before dies at once. */
export async function rotateClientSecret(
  database: Queryable,
  orgId: string,
  id: string,
): Promise<Client & { clientSecret: string }> {
  const clientSecret = newToken()
  const [client] = await database.query<Client>(sql`
    update oauth_clients client set secret_hash = ${hashSecret(clientSecret)}, updated_at = now()
    where org_id = ${orgId} and id = ${id} returning ${clientColumns}`)
  return { ...(client ?? clientNotFound(id)), clientSecret }
}

/** Takes the app away, and with it everything anybody allowed it. */
export async function removeClient(database: Queryable, orgId: string, id: string): Promise<Client> {
  const [client] = await database.query<Client>(sql`
    with gone as (delete from oauth_clients where org_id = ${orgId} and id = ${id} returning *),
      ended as (delete from grants using gone where grants.client_id = gone.id)
    select ${clientColumns} from gone client`)
  return client ?? clientNotFound(id)
}

function clientNotFound(id: string): never {
  throw new Error(`The organisation has no app ${id}`)
}
