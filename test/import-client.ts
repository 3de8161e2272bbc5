// Imports as a program drives them in tests: begun, judged and written, each step as the worker takes it.
import assert from 'node:assert/strict'
import type { Database } from '../src/db/database.ts'
import { takeImportStep } from '../src/worker/imports.ts'
import type { startTestService } from './test-service.ts'

type Client = Awaited<ReturnType<Awaited<ReturnType<typeof startTestService>>['organisation']>>

export interface SentImport {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | number | null)[])[]
  readonly source?: string
  readonly kind?: string
  readonly name?: string
  readonly options?: object
}

export function createImportClient(database: Database) {
  const begin = async (client: Client, { rows, ...body }: SentImport): Promise<string> => {
    const made = await client.post('/imports', body)
    assert.equal(made.status, 201, made.body.error)
    const { id } = made.body.data
    const added = await client.post(`/imports/${id}/rows`, { rows })
    assert.equal(added.status, 200, added.body.error)
    return id
  }
  /** All steps that are due. */
  const work = async (client: Client, id: string) => {
    while ((await takeImportStep(database, client.orgId, { importId: id })) !== undefined);
    return (await client.get(`/imports/${id}`)).body.data
  }
  const judge = async (client: Client, id: string, options?: object) => {
    const { status, body } = await client.post(`/imports/${id}/judge`, options ? { options } : {})
    assert.equal(status, 200, body.error)
    return work(client, id)
  }
  const write = async (client: Client, id: string) => {
    const { status, body } = await client.post(`/imports/${id}/write`)
    assert.equal(status, 200, body.error)
    return work(client, id)
  }
  const bring = async (client: Client, sent: SentImport) => {
    const id = await begin(client, sent)
    const judged = await judge(client, id)
    assert.equal(judged.status, 'judged', JSON.stringify(judged))
    return write(client, id)
  }
  const problemsOf = async (client: Client, id: string) =>
    (await client.get(`/imports/${id}/problems`)).body.data.problems
  return { begin, work, judge, write, bring, problemsOf }
}

export const countsOf = ({ records, created, filled, same, skipped, wrong }: Record<string, number>) => ({
  records,
  created,
  filled,
  same,
  skipped,
  wrong,
})
