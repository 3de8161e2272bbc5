// The command that follows events: from now on or from a position, as lines for people or as JSON.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { commandLine, settingsFor } from '../../test/command-line.ts'
import { numberAll, teller, testSequencer } from '../../test/events.ts'
import { startTestService } from '../../test/test-service.ts'

const here = await startTestService()
const run = commandLine(settingsFor(here))
const sequencer = await testSequencer(here)

it('shows events from a position on, of the types asked for, as JSON lines', async () => {
  const client = await here.organisation()
  const position = await teller(here, client).newest()
  for (const firstName of ['A', 'B', 'C']) await client.post('/customers', { firstName })
  await numberAll(sequencer, client.orgId)
  const from = String(position + 2)
  const { code, stdout } = await run('events', 'tail', '--org', client.orgId, '--from', from, '--count', '2', '--json')
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    [code, events.map((event) => [event.position, event.data.firstName])],
    [
      0,
      [
        [position + 2, 'B'],
        [position + 3, 'C'],
      ],
    ],
  )
  const words = ['events', 'tail', '--org', client.orgId, '--from', '1', '--count', '1']
  assert.match(
    (await run(...words, '--type', 'customer.created')).stdout,
    /^\d+ {2}\S+ {2}customer\.created {2}cus_\w+ {2}by /,
  )
  assert.match((await run(...words, '--type', 'customer')).stderr, /--type/)
})

it('goes on as events come', async () => {
  const client = await here.organisation()
  await teller(here, client).newest()
  const tail = run('events', 'tail', '--org', client.orgId, '--type', 'customer.*', '--count', '1', '--json')
  let isDone = false
  tail.finally(() => {
    isDone = true
  })
  for (let n = 0; !isDone; n++) {
    await client.post('/customers', { firstName: `Customer ${n}` })
    await numberAll(sequencer, client.orgId)
  }
  assert.equal(JSON.parse((await tail).stdout).type, 'customer.created')
})
