// Files for the bookkeeper from the command line: written once, remembered, and never over another file.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { commandLine, settingsFor } from '../../test/command-line.ts'
import { type Client, startTestService } from '../../test/test-service.ts'

const service = await startTestService()
const jobwright = commandLine(settingsFor(service))
const folder = mkdtempSync(join(tmpdir(), 'money-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const exportTo = ({ orgId }: Client, out: string, ...more: string[]) => {
  const days = ['--from', '2026-11-01', '--to', '2026-11-30']
  return jobwright('money', 'export', '--org', orgId, '--format', 'csv', ...days, '--out', out, ...more)
}
const invoiceOf = async (shop: Client, issuedAt = '2026-11-10T12:00:00Z') => {
  const { body } = await shop.post('/invoices', {
    ...{ customerName: 'Amara', issuedAt, status: 'sent' },
    lineItems: [{ name: 'Oven', unitPrice: 100 }],
  })
  return body.data
}
const exportsOf = async (shop: Client) => (await shop.get('/exports')).body.data.exports

test('writes a file, and the next one holds only what is new', async () => {
  const shop = await service.organisation()
  const { invoiceNumber } = await invoiceOf(shop)
  const out = join(folder, 'november.csv')
  const first = await exportTo(shop, out, '--json')
  assert.equal(first.code, 0, first.stderr)
  assert.deepEqual([first.json.count, first.json.file], [1, out])
  assert.match(readFileSync(out, 'utf8'), new RegExp(invoiceNumber))
  assert.equal((await exportTo(shop, join(folder, 'again.csv'), '--json', '--again')).json.count, 1)
  assert.equal((await exportsOf(shop)).length, 2)
})

test('says that nothing is new, and writes no file of it', async () => {
  const shop = await service.organisation()
  const out = join(folder, 'nothing.csv')
  const { code, stdout } = await exportTo(shop, out)
  assert.equal(code, 0)
  assert.match(
    stdout,
    /^Nothing from 2026-11-01 to 2026-11-30 is new: no file is written\. What an earlier file held, or was brought/,
  )
  assert.match(stdout, /counts as booked; --again gives it out once more\.\n$/)
  assert.match((await exportTo(shop, out, '--again')).stdout, /^There are no invoices from .*: no file is written\.\n$/)
  assert.equal(existsSync(out), false)
  assert.deepEqual((await exportTo(shop, out, '--json')).json.file, null)
})

test('says what became of invoices of earlier files, and which were in none', async () => {
  const shop = await service.organisation()
  const [gone, changed] = [await invoiceOf(shop), await invoiceOf(shop)]
  await exportTo(shop, join(folder, 'held.csv'))
  await shop.delete(`/invoices/${gone.id}`)
  await shop.put(`/invoices/${changed.id}`, { lineItems: [{ name: 'Oven', unitPrice: 999 }] })
  await invoiceOf(shop, '2026-10-20T12:00:00Z')
  const { stdout } = await exportTo(shop, join(folder, 'void.csv'))
  assert.match(stdout, new RegExp(`booked before was .* since: ${gone.invoiceNumber}: take it out of the books`))
  assert.match(stdout, new RegExp(`another amount: ${changed.invoiceNumber} was 100\\.00, is 999\\.00 now: correct it`))
  assert.match(stdout, /1 invoice issued since 2026-10-20 was in no file: make one for those days/)
})

test('leaves a file alone that is there, and remembers nothing that it cannot write', async () => {
  const shop = await service.organisation()
  await invoiceOf(shop)
  const there = join(folder, 'there.csv')
  writeFileSync(there, 'mine')
  const refused = await exportTo(shop, there)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /there\.csv is there already: choose another name.*Nothing was exported\.\n$/)
  assert.equal(readFileSync(there, 'utf8'), 'mine')
  const nowhere = await exportTo(shop, join(folder, 'no', 'such', 'folder.csv'))
  assert.equal(nowhere.code, 1)
  assert.match(nowhere.stderr, /cannot be written: there is no such folder/)
  assert.deepEqual(await exportsOf(shop), [])
  assert.equal((await exportTo(shop, join(folder, 'then.csv'), '--json')).json.count, 1)
})

test('says what is missing, and leaves no file', async () => {
  const { orgId } = await service.organisation()
  const out = join(folder, 'x.csv')
  const refused = await jobwright('money', 'export', '--org', orgId, '--format', 'xero', '--out', out)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /settings that are not there, or do not fit: organisation\.accounting\.salesAccount\n$/)
  assert.equal(existsSync(out), false)
})
