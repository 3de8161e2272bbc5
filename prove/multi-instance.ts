// Several processes on one PostgreSQL and one Redis behind a proxy: to callers they are one service.
import { checkAuthOutage } from './auth-outage.ts'
import { startByRole, startReplicas } from './deployment.ts'
import { Fleet } from './fleet.ts'
import { checkRateLimits } from './rate-limits.ts'
import { measureRevocations } from './revocations.ts'
import type { Result, Trial } from './trial.ts'
import { checkWorkerTasks } from './worker-tasks.ts'

export const multiInstanceTrial: Trial = {
  name: 'many',
  title: 'Several processes are one service',
  how: `Behind HAProxy, on one PostgreSQL and one Redis: two processes for REST, one for the authorization server and two
workers, then two that do everything. Rate limits are those of the specification, 100 requests and 10 failed authentications a
minute, requested by many at once; each address pretends to be others. A change of a credential is timed from the moment it
is acknowledged until every process, having used the credential just before, answers accordingly. Mail goes to a real mail
server; reminders and visits are due when both workers start.`,
  needs: ['haproxy', 'redis-server'],
  async run(size, log) {
    await using fleet = await Fleet.start()
    const { url } = await fleet.startRedis()
    const results: Result[] = []
    const done = async (what: string, partResults: Promise<Result[]>) => {
      results.push(...(await partResults))
      log(what)
    }
    const byRole = await startByRole(fleet, url)
    await done('rate limits, one role each', checkRateLimits(byRole, size))
    await done('revocations, one role each', measureRevocations(byRole, size))
    await done('two workers', checkWorkerTasks(byRole, size))
    await done('the authorization server away', checkAuthOutage(byRole))
    if (size === 'short') return results // every process takes seconds to start
    for (const { stop } of byRole.rest) await stop()

    const replicas = await startReplicas(fleet, url)
    await done('rate limits, two replicas', checkRateLimits(replicas, size))
    await done('revocations, two replicas', measureRevocations(replicas, size))
    return results
  },
}
