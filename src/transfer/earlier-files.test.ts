// A file that an earlier release wrote arrives as if its server had been brought up to date first.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { commandLine, settingsFor } from '../../test/command-line.ts'
import { formWriter } from '../../test/forms.ts'
import { createSecondDatabase } from '../../test/test-database.ts'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'

const folder = mkdtempSync(join(tmpdir(), 'jobwright-earlier-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const here = await startTestService()
const there = await startTestService({}, {}, await createSecondDatabase(here))
const key = here.config.secretsKey![0]!.toString('base64')
const ours = commandLine({ ...settingsFor(here), SECRETS_KEY: key })
const theirs = commandLine({ ...settingsFor(there), SECRETS_KEY: key })

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the file holds
type Line = { kind: string; record: any }

/** Exports a shop here, writes its file as an earlier release would have, and imports that there. */
async function moveAsEarlier(orgId: string, migration: string, toEarlier: (line: Line) => Line | undefined) {
  const file = join(folder, `${orgId}.jsonl`)
  assert.equal((await ours('export', '--org', orgId, file)).code, 0)
  const [header, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n').slice(0, -1)
  const earlier = lines.map((line) => toEarlier(JSON.parse(line))).filter((line) => line !== undefined)
  const records = Object.fromEntries(
    [...Map.groupBy(earlier, ({ kind }) => kind)].map(([kind, all]) => [kind, all.length]),
  )
  const body = [{ ...JSON.parse(header!), migration }, ...earlier].map((line) => `${JSON.stringify(line)}\n`).join('')
  const checksum = `sha256:${createHash('sha256').update(body).digest('hex')}`
  writeFileSync(file, `${body}${JSON.stringify({ records, checksum })}\n`)
  const imported = await theirs('import', file)
  assert.equal(imported.code, 0, imported.stderr)
}

test('photos that stood in the answers are taken out of them', async () => {
  const shop = await here.organisation()
  const pen = formWriter(here.database, shop.orgId)
  const fields = [{ id: 'photo', label: 'Photo', type: 'photo' as const }]
  const { templates } = await pen.import([{ name: 'Pictures', fields }])
  const { id: ticketId } = (await shop.post('/tickets', { customerName: 'Ada' })).body.data
  const { id } = await pen.add(ticketId, templates[0]!, 'none')
  const photo = 'data:image/png;base64,iVBORw0KGgo='
  await pen.answer(id, { photo })
  const before = (await shop.get(`/form-submissions/${id}`)).body.data

  await moveAsEarlier(shop.orgId, '0010-statistics.sql', (line) => {
    if (line.kind === 'formPhotos') return undefined
    if (line.kind === 'formSubmissions') line.record.answers[0].value = photo
    return line
  })
  const moved = await there.client(shop.orgId)
  const form = (await moved.get(`/form-submissions/${id}`)).body.data
  const photoId = before.answers[0].value.split('/').at(-1)
  const address = `${there.config.restOrigin}/api/v1/organisations/${shop.orgId}/form-submissions/${id}/photos/${photoId}`
  assert.deepEqual(form, { ...before, answers: [{ ...before.answers[0], value: address }] })
  const [stored] = await there.database.query<{ bytes: Buffer }>(
    sql`select bytes from form_photos where id = ${photoId}`,
  )
  assert.deepEqual(stored!.bytes, Buffer.from('iVBORw0KGgo=', 'base64'))
})

test('lines took from stock what their item is tracked for, and a newer file says what they took', async () => {
  for (const isEarlier of [true, false]) {
    const shop = await here.organisation()
    const { id: itemId } = (await shop.post('/inventory', { name: 'Screen', quantityOnHand: 10 })).body.data
    const { id: ticketId } = (await shop.post('/tickets', { customerName: 'Ada' })).body.data
    const use = () => shop.post(`/tickets/${ticketId}/inventory`, { inventoryItemId: itemId, quantity: 2 })
    await use()
    if (!isEarlier) await shop.put(`/inventory/${itemId}`, { trackStock: false })
    await use()
    const onHand = isEarlier ? 6 : 8
    assert.equal((await shop.get(`/inventory/${itemId}`)).body.data.quantityOnHand, onHand)

    const migration = isEarlier ? '0010-statistics.sql' : '0013-photos-stock-changes.sql'
    await moveAsEarlier(shop.orgId, migration, (line) => {
      if (isEarlier && line.kind === 'inventoryLines') delete line.record.isFromStock
      return line
    })
    const moved = await there.client(shop.orgId)
    const moment = async () => (await moved.get(`/inventory/${itemId}`)).body.data.quantityOnHand
    assert.equal(await moment(), onHand)
    assert.equal((await moved.delete(`/tickets/${ticketId}`)).status, 200)
    assert.equal(await moment(), 10)
  }
})
