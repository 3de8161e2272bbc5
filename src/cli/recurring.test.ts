// The command that generates recurring visits, as people and programs use it.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { commandLine, settingsFor } from '../../test/command-line.ts'
import { agreement, inDays } from '../../test/recurring.ts'
import { startTestService } from '../../test/test-service.ts'

const here = await startTestService()
const run = commandLine(settingsFor(here))

it('recurring run goes by the time it is given, and says what it did', async () => {
  const shop = await here.organisation()
  const weekly = await agreement(shop, { rrule: 'FREQ=WEEKLY;COUNT=8' })
  const words = ['recurring', 'run', '--org', shop.orgId]
  assert.deepEqual(
    (await run(...words, '--json')).json,
    { generated: 5, resumed: 0, ended: 0, failed: 0 },
    JSON.stringify([await weekly.get(), await weekly.occurrences()]),
  )
  assert.equal((await run(...words, '--now', inDays(20), '--json')).json.generated, 3)
  const { code, stdout } = await run(...words, '--now', inDays(60))
  assert.equal(code, 0)
  assert.match(stdout, /Schedules ended +1/)
  assert.match((await run('recurring', 'run', '--now', 'soon')).stderr, /--now must be an ISO 8601 date-time/)
})
