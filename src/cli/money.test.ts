// Files for the bookkeeper from the command line: written once, and remembered.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { commandLine, settingsFor } from '../../test/command-line.ts'
import { startTestService } from '../../test/test-service.ts'

const service = await startTestService()
const jobwright = commandLine(settingsFor(service))
const folder = mkdtempSync(join(tmpdir(), 'money-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('writes a file, and the next one holds only what is new', async () => {
  const shop = await service.organisation()
  const { body } = await shop.post('/invoices', {
    ...{ customerName: 'Amara', issuedAt: '2026-11-10T12:00:00Z', status: 'sent' },
    lineItems: [{ name: 'Oven', unitPrice: 100 }],
  })
  const out = join(folder, 'november.csv')
  const args = [
    '--org',
    shop.orgId,
    '--format',
    'csv',
    '--from',
    '2026-11-01',
    '--to',
    '2026-11-30',
    '--out',
    out,
    '--json',
  ]
  const first = await jobwright('money', 'export', ...args)
  assert.equal(first.code, 0, first.stderr)
  assert.deepEqual([first.json.count, first.json.file], [1, out])
  assert.match(readFileSync(out, 'utf8'), new RegExp(body.data.invoiceNumber))
  assert.equal((await jobwright('money', 'export', ...args)).json.count, 0)
  assert.equal((await jobwright('money', 'export', ...args, '--again')).json.count, 1)
  assert.equal((await shop.get('/exports')).body.data.exports.length, 3)
})

test('says what is missing', async () => {
  const shop = await service.organisation()
  const refused = await jobwright(
    'money',
    'export',
    '--org',
    shop.orgId,
    '--format',
    'xero',
    '--out',
    join(folder, 'x.csv'),
  )
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /settings that are not there, or do not fit: organisation\.accounting\.salesAccount/)
})
