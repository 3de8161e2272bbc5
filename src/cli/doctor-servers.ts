// The doctor's look at the servers that DATABASE_URL names: one takes writes, and the others can take its place.
import { type Database, sql } from '../db/database.ts'
import type { ServerState } from '../db/servers.ts'
import { type Finding, fine, warning, wrong } from './doctor-checks.ts'

export async function serversFinding(database: Database): Promise<Finding> {
  const [primary] = await database.query<{ awaited: string }>(sql`
    select current_setting('synchronous_standby_names') as awaited`)
  return judgeServers(await database.servers.look(), primary!.awaited)
}

/** `awaited`: the replicas that a commit waits for, as PostgreSQL lists them. */
export function judgeServers(servers: readonly ServerState[], awaited: string): Finding {
  const detail = servers.map(describe).join('; ')
  if (servers.length === 1) return fine(detail)
  if (servers.filter(({ state }) => state === 'writable').length > 1) {
    return wrong(
      `${detail}: two that take writes are two databases`,
      'Stop the one that was replaced, and make it a replica of the other anew: what was written to it since is lost.',
    )
  }
  if (servers.some(({ state }) => state === 'away')) {
    return warning(detail, 'Start what is away, as a replica: until then fewer servers can take over.')
  }
  if (awaited === '') {
    return warning(
      `${detail}; commits wait for no replica`,
      'Set synchronous_standby_names: else what was confirmed last may be missing when a replica takes over.',
    )
  }
  return fine(detail)
}

const describe = ({ name, state, reason }: ServerState) =>
  state === 'writable'
    ? `${name} takes writes`
    : state === 'read-only'
      ? `${name}: ${reason}`
      : `${name} is away (${reason})`
