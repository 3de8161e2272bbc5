// Undoing one import beside the writing of another, which was judged by what is here: whichever comes second is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createImportClient } from '../../../test/import-client.ts'
import { untilWaiting } from '../../../test/lock-waits.ts'
import { type Client, startTestService } from '../../../test/test-service.ts'
import { type Queryable, type Sql, sql } from '../../db/database.ts'
import { lockOrganisationFor } from '../../db/organisation-lock.ts'

const { database, organisation } = await startTestService()
const { begin, work, judge, bring } = createImportClient(database)

const sent = { columns: ['Name', 'Email'], rows: [['Ann', 'ann@x.example']] }

/** One that is written, and another that found its customers here. */
async function twoImports() {
  const client = await organisation()
  const { id: written } = await bring(client, sent)
  const judged = await begin(client, { ...sent, rows: [...sent.rows, ['Bea', 'bea@x.example']] })
  const { same, created } = await judge(client, judged)
  assert.deepEqual([same, created], [1, 1])
  return {
    client,
    written,
    judged,
    undo: () => client.post(`/imports/${written}/undo`),
    write: () => client.post(`/imports/${judged}/write`),
  }
}
const codeOf = ({ status, body }: Awaited<ReturnType<Client['post']>>) => [status, body.code]

test('an import is not undone while another is being written, and is afterwards', async () => {
  const { client, written, judged, undo, write } = await twoImports()
  assert.equal((await write()).status, 200)
  assert.deepEqual(codeOf(await undo()), [409, 'IMPORT_MUST_WAIT'])
  assert.equal((await work(client, judged)).status, 'written')
  assert.equal((await undo()).status, 200)
  assert.equal((await work(client, written)).undo.reversed, 1)
})

test('of an undo and a writing at once one is refused', async () => {
  for (let round = 0; round < 3; round++) {
    const { client, written, judged, undo, write } = await twoImports()
    const [undone, begun] = await Promise.all([undo(), write()])
    assert.deepEqual([undone.status, begun.status].sort(), [200, 409])
    await work(client, undone.status === 200 ? written : judged)
    const { customers } = (await client.get('/customers')).body.data
    assert.equal(customers.length, undone.status === 200 ? 0 : 2)
  }
})

/** What is answered to `ask`, which comes while another request, that does `change`, is not over. */
const answerBeside = async ({ client }: { client: Client }, change: Sql, ask: () => ReturnType<Client['post']>) => {
  const { answer } = await database.transaction('test', async (transaction: Queryable) => {
    await lockOrganisationFor(transaction, client.orgId, 'one judge')
    await transaction.query(change)
    const asked = ask()
    await untilWaiting(database, '%organisation_locks%', asked)
    return { answer: asked }
  })
  return codeOf(await answer)
}

test('an undo waits for who begins to write, and who begins to write for an undo', async () => {
  const first = await twoImports()
  const writing = sql`update imports set status = 'writing', phase = 'writing'
    where org_id = ${first.client.orgId} and id = ${first.judged}`
  assert.deepEqual(await answerBeside(first, writing, first.undo), [409, 'IMPORT_MUST_WAIT'])
  const second = await twoImports()
  const undoing = sql`update imports set phase = 'undoing'
    where org_id = ${second.client.orgId} and id = ${second.written}`
  assert.deepEqual(await answerBeside(second, undoing, second.write), [409, 'IMPORT_IS_STALE'])
})
