// A page is bounded in bytes, whatever its records hold, and the pages together are the whole list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../test/test-service.ts'
import { join, sql } from '../db/database.ts'
import { rowCodec } from './row-codec.ts'
import { t } from './schemas.ts'

const here = await startTestService()

/** All pages of a list, each with its size in bytes. */
async function pagesOf(shop: Awaited<ReturnType<typeof here.organisation>>, path: string, key: string) {
  const pages: { bytes: number; ids: string[]; limit: number }[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await shop.get(`${path}${cursor && `&startAfter=${cursor}`}`)
    assert.equal(status, 200)
    const { pagination, [key]: records } = body.data
    assert.equal(pagination.hasMore, pagination.nextCursor !== null)
    const bytes = Buffer.byteLength(JSON.stringify(body))
    pages.push({ bytes, ids: records.map(({ id }: { id: string }) => id), limit: pagination.limit })
    cursor = pagination.nextCursor
  }
  return pages
}

for (const [kind, character] of Object.entries({
  'plain characters': 'a',
  'characters that are escaped': '"',
  'wide characters': '部',
}))
  test(`a page of long quotes ends early and goes on at its cursor: ${kind}`, async () => {
    const shop = await here.organisation()
    const lineItems = Array.from({ length: 35 }, () => ({
      name: 'Work',
      description: `x${character.repeat(1_900)}x`,
      unitPrice: 1,
      taxRateId: null,
    }))
    const made: string[] = []
    while (made.length < 36)
      made.unshift((await shop.post('/quotes', { customerName: 'Amara', lineItems })).body.data.id)
    const pages = await pagesOf(shop, '/quotes?limit=100', 'quotes')
    assert.deepEqual(
      pages.flatMap(({ ids }) => ids),
      made,
    )
    const again = await pagesOf(shop, '/quotes?limit=100', 'quotes')
    assert.deepEqual(
      again.flatMap(({ ids }) => ids),
      made,
      'once it is known how long they are',
    )
    assert.ok(pages.length > 1, `${pages.length} pages`)
    for (const { bytes, ids, limit } of pages) {
      assert.ok(bytes <= 1_050_000 && ids.length > 0, `${ids.length} records of ${bytes} bytes`)
      assert.equal(limit, 100)
    }
  })

test('a record that is longer than a page is a page of its own', async () => {
  const { encoded, encodedRows, encodedPage, writePage } = rowCodec({ id: t.String(), text: t.String() }, 'r')
  const pageOf = async (lengths: readonly number[], characters = '部部部部') => {
    const values = lengths.map((length, n) => sql`(${`id${n}`}, repeat(${characters[n]}, ${length}::int))`)
    const [page] = await here.database.query<{ encoded: string }>(sql`
      select ${encodedPage} from (
        select ${encodedRows} as encoded_rows from (select ${encoded} from (values ${join(values)}) r (id, text)) records) page`)
    const { json, isCut } = writePage(page!.encoded, 100, undefined, {
      before: '{"records":[',
      after: ({ hasMore, lastId }) => `],"hasMore":${hasMore},"lastId":"${lastId}"}`,
    })
    const { records, hasMore, lastId } = JSON.parse(json)
    assert.deepEqual([hasMore, lastId], [isCut, records.at(-1).id])
    return [records.map(({ id }: { id: string }) => id), isCut]
  }
  assert.deepEqual(await pageOf([500_000]), [['id0'], false])
  assert.deepEqual(await pageOf([500_000, 1]), [['id0'], true])
  assert.deepEqual(await pageOf([1, 500_000, 1]), [['id0'], true])
  assert.deepEqual(await pageOf([50_000, 50_000, 50_000, 50_000]), [['id0', 'id1', 'id2'], true])
  assert.deepEqual(await pageOf([1, 2, 3]), [['id0', 'id1', 'id2'], false])
  // By what characters take on average in all of them, the second would fit.
  assert.deepEqual(await pageOf([100_000, 90_000, 600_000], '部部a'), [['id0'], true])
})

test('short records fill their page', async () => {
  const shop = await here.organisation()
  for (let n = 0; n < 12; n++) await shop.post('/customers', { firstName: `Customer ${n}` })
  const pages = await pagesOf(shop, '/customers?limit=10', 'customers')
  assert.deepEqual(
    pages.map(({ ids }) => ids.length),
    [10, 2],
  )
})
