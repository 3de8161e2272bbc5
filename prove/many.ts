// Several processes on one PostgreSQL and one Redis behind a proxy: to callers they are one service.
import { chores } from './chores.ts'
import { Fleet } from './fleet.ts'
import { quotas } from './quotas.ts'
import { revocations } from './revocations.ts'
import { roles } from './roles.ts'
import { alike, apart } from './several.ts'
import type { Figure, Trial } from './trial.ts'

export const many: Trial = {
  name: 'many',
  title: 'Several processes are one service',
  how: `Behind HAProxy, on one PostgreSQL and one Redis: two processes for REST, one for the authorization server and two
workers, then two that do everything. Quotas are those of the specification, 100 requests and 10 failed authentications a
minute, asked for by many at once; each address pretends to be others. A change of a credential is timed from the moment it
is acknowledged until every process, having used the credential just before, answers accordingly. Mail goes to a real mail
server; reminders and visits are due when both workers start.`,
  needs: ['haproxy', 'redis-server'],
  async run(size, say) {
    await using fleet = await Fleet.start()
    const { url } = await fleet.redis()
    const figures: Figure[] = []
    const done = async (what: string, found: Promise<Figure[]>) => {
      figures.push(...(await found))
      say(what)
    }
    const parts = await apart(fleet, url)
    await done('quotas, each its part', quotas(parts, size))
    await done('revocations, each its part', revocations(parts, size))
    await done('two workers', chores(parts, size))
    await done('the authorization server away', roles(parts))
    if (size === 'short') return figures // every process takes seconds to start
    for (const { stop } of parts.rest) await stop()

    const both = await alike(fleet, url)
    await done('quotas, two alike', quotas(both, size))
    await done('revocations, two alike', revocations(both, size))
    return figures
  },
}
