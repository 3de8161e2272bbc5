// A file may come from anybody, and may be cut or damaged on its way: what is not whole and sound leaves nothing behind.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { commandLine, settingsFor } from '../../test/command-line.ts'
import { createSecondDatabase } from '../../test/test-database.ts'
import { startTestService } from '../../test/test-service.ts'
import { raw, sql } from '../db/database.ts'
import { fillDemo } from '../demo/demo.ts'
import { maxLineBytes } from './file-format.ts'

const folder = mkdtempSync(join(tmpdir(), 'jobwright-refused-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const here = await startTestService()
const there = await startTestService({}, {}, await createSecondDatabase(here))
const key = here.config.secretsKey![0]!.toString('base64')
const ours = commandLine({ ...settingsFor(here), SECRETS_KEY: key })
const theirs = commandLine({ ...settingsFor(there), SECRETS_KEY: key })

const shop = await here.organisation()
const good = join(folder, 'good.jsonl')
let lines: string[]
before(async () => {
  await here.database.transaction('test', (transaction) => fillDemo(transaction, shop.orgId))
  const { quotes } = (await shop.get('/quotes')).body.data
  await shop.post(`/quotes/${quotes[0].id}/share-link`)
  assert.equal((await ours('export', '--org', shop.orgId, good)).code, 0)
  lines = readFileSync(good, 'utf8').split('\n').slice(0, -1)
})

type Edit = (lines: string[]) => void

/** What the import says to the file with these changes, counted and summed anew; nothing may be left of it. */
const importErrorAfter = async (edit: Edit): Promise<string> => importErrorOf(withNewChecksum(edit))

function withNewChecksum(edit: Edit): string {
  const changed = lines.slice(0, -1)
  edit(changed)
  const records: Record<string, number> = {}
  for (const line of changed.slice(1)) {
    const kind = /^\{"kind":"(\w+)"/.exec(line)?.[1]
    if (kind) records[kind] = (records[kind] ?? 0) + 1
  }
  const body = changed.map((line) => `${line}\n`).join('')
  const checksum = `sha256:${createHash('sha256').update(body).digest('hex')}`
  return `${body}${JSON.stringify({ records, checksum })}\n`
}

async function importErrorOf(text: string | Buffer): Promise<string> {
  const file = join(folder, 'bad.jsonl')
  writeFileSync(file, text)
  const { code, stdout, stderr } = await theirs('import', file)
  assert.deepEqual([code, stdout], [1, ''], stderr)
  assert.deepEqual(await leftovers(), [])
  return stderr.trimEnd().split('\n').at(-1)!
}

/** Rows of any organisation, and people. */
async function leftovers(): Promise<string[]> {
  const tables = await there.database.query<{ name: string }>(sql`
    select table_name as name from information_schema.columns where column_name = 'org_id' and table_schema = 'public'
    union select 'people' order by 1`)
  const left: string[] = []
  for (const { name } of tables) {
    const [row] = await there.database.query(sql`select 1 from ${raw(name)} limit 1`)
    if (row) left.push(name)
  }
  return left
}

/** Changes the first record of a kind. */
const inRecord =
  (kind: string, change: (record: Record<string, unknown>) => void): Edit =>
  (all) => {
    const place = all.findIndex((line) => line.startsWith(`{"kind":"${kind}"`))
    const value = JSON.parse(all[place]!)
    change(value.record)
    all[place] = JSON.stringify(value)
  }
const inHeader =
  (fields: object): Edit =>
  (all) => {
    all[0] = JSON.stringify({ ...JSON.parse(all[0]!), ...fields })
  }
const withText =
  (kind: string, found: RegExp, text: string): Edit =>
  (all) => {
    const place = all.findIndex((line) => line.startsWith(`{"kind":"${kind}"`))
    all[place] = all[place]!.replace(found, text)
  }

test('a file that is cut anywhere is refused as a whole', async () => {
  const whole = readFileSync(good)
  for (const share of [0, 0.1, 0.5, 0.9]) await importErrorOf(whole.subarray(0, Math.floor(whole.length * share)))
  assert.match(await importErrorOf(lines.slice(0, -1).join('\n')), /is cut/)
  assert.match(await importErrorOf(''), /is empty/)
  assert.match(await importErrorOf(lines.toSpliced(-2, 1).join('\n')), /checksum/)
})

test('a file with one byte changed is refused', async () => {
  const whole = readFileSync(good)
  const letters = [...whole.keys()].filter((place) => whole[place]! >= 97 && whole[place]! <= 121)
  for (let round = 0; round < 12; round++) {
    const damaged = Buffer.from(whole)
    damaged[letters[Math.floor((letters.length * round) / 12)]!]! ^= 1
    await importErrorOf(damaged)
  }
})

test('what stands after the end is refused', async () => {
  assert.match(await importErrorOf(`${lines.join('\n')}\n${lines[1]}\n`), /stands after the end/)
})

const cases: [promise: string, edit: Edit, says: RegExp][] = [
  ['another kind of file', inHeader({ format: 'other' }), /^Line 1: is not the beginning of an export/],
  [
    'a newer format',
    inHeader({ version: 2 }),
    /^Line 1: the file has version 2 of the format; this server reads version 1/,
  ],
  ['a newer release', inHeader({ migration: '9999-later.sql' }), /^Line 1: the file comes from a newer release/],
  ['an organisation whose id is none', inHeader({ organisation: '../other' }), /^Line 1: organisation is not an id/],
  [
    'a row that names another organisation',
    inRecord('customers', (record) => Object.assign(record, { orgId: 'org_other' })),
    /^Line \d+: customers have no field "orgId"/,
  ],
  [
    'a field that is a piece of SQL',
    inRecord('customers', (record) => Object.assign(record, { 'id") select 1; --': 1 })),
    /^Line \d+: customers have no field/,
  ],
  [
    'an unknown kind',
    (all) => void all.push('{"kind":"apiKeys","record":{"id":"key_1"}}'),
    /^Line \d+: there are no records of kind "apiKeys"/,
  ],
  [
    'a kind that every object has',
    (all) => void all.push('{"kind":"constructor","record":{}}'),
    /there are no records of kind/,
  ],
  [
    'a plan of its own',
    inRecord('organisations', (record) => Object.assign(record, { entitlement: 'pro' })),
    /no field/,
  ],
  ['a line that is no object', (all) => void all.push('[1]'), /^Line \d+: is not a JSON object/],
  ['a line without a record', (all) => void all.push('{"kind":"customers"}'), /^Line \d+: has no record/],
  ['bytes that are no text', (all) => void all.push('{"kind":"customers\ud800"}'), /^Line \d+: (there|is not)/],
  ['a record without an id', inRecord('customers', (record) => delete record.id), /^Line \d+: id is required/],
  ['an id that is none', inRecord('customers', (record) => Object.assign(record, { id: 'a/b' })), /: id must be an id/],
  [
    'a number that is none',
    inRecord('invoices', (record) => Object.assign(record, { total: 'NaN' })),
    /total must be a number/,
  ],
  [
    'a time without end',
    inRecord('customers', (record) => Object.assign(record, { createdAt: 'infinity' })),
    /createdAt must be a date-time/,
  ],
  [
    'a time zone that is none',
    inRecord('organisations', (record) => Object.assign(record, { timeZone: 'Mars/One' })),
    /timeZone must be an IANA time zone/,
  ],
  [
    'lines that are none',
    inRecord('quotes', (record) => Object.assign(record, { lineItems: 5 })),
    /lineItems must be a list/,
  ],
  [
    'a picture that is not bytes',
    inRecord('formPhotos', (record) => Object.assign(record, { bytes: 'iVBORw0KGgo=' })),
    /bytes must be bytes such as \\x89504e47/,
  ],
  [
    'a page in place of a picture',
    inRecord('formPhotos', (record) => Object.assign(record, { mediaType: 'text/html' })),
    /\(formPhotos\): .*form_photos_media_type_check/,
  ],
  ['text with a NUL', inRecord('customers', (record) => Object.assign(record, { lastName: 'a\u0000' })), /not allowed/],
  [
    'text that would break its encoding',
    inRecord('messages', (record) => Object.assign(record, { authorName: '\u001f' })),
    /not allowed/,
  ],
  [
    'a carriage return in a field that callers are not answered, which the API would refuse',
    inRecord('devices', (record) => Object.assign(record, { givenName: 'a\rb' })),
    /givenName has characters that are not allowed/,
  ],
  [
    'a delete character there',
    inRecord('devices', (record) => Object.assign(record, { givenName: 'a\u007fb' })),
    /givenName has characters that are not allowed/,
  ],
  [
    'half of a character',
    withText('customers', /"notes":[^,]+/, '"notes":"\\ud800"'),
    /not allowed|unsupported|invalid|Unicode/i,
  ],
  [
    'a reference to nothing',
    inRecord('devices', (record) => Object.assign(record, { customerId: 'cus_none' })),
    /^A line from \d+ to \d+ \(devices\): .*devices_customer_id_parent/,
  ],
  [
    'the same record twice',
    (all) => void all.push(all.findLast((line) => line.includes('"kind":"customers"'))!),
    /duplicate key/,
  ],
  ['two organisations', (all) => void all.splice(2, 0, all[1]!), /duplicate key/],
  ['no organisation', (all) => void all.splice(1, all.length), /has no organisation/],
  [
    'money that nobody paid',
    inRecord('invoices', (record) => Object.assign(record, { amountPaid: 99_999 })),
    /amountPaid of inv_\w+ in invoices do not agree/,
  ],
  [
    'a link that is not one',
    inRecord('shareLinks', (record) => Object.assign(record, { token: 'short' })),
    /token is not one of a share link/,
  ],
  [
    'a line without end',
    (all) => void all.push(`{"kind":"customers","record":{"notes":"${'x'.repeat(maxLineBytes)}"}}`),
    /^Line \d+: is too long/,
  ],
]
for (const [promise, edit, says] of cases) {
  test(`${promise}: refused with a sentence that says where, and nothing is left`, async () => {
    assert.match(await importErrorAfter(edit), says)
  })
}

test('the same file without a change arrives; under another name its share links would open two doors', async () => {
  const file = join(folder, 'sound.jsonl')
  writeFileSync(
    file,
    withNewChecksum(() => {}),
  )
  assert.equal((await theirs('import', file, '--entitlement', 'basic', '--json')).json.organisation, shop.orgId)
  assert.equal((await theirs('org', 'list', '--json')).json.organisations[0].entitlement, 'basic')
  writeFileSync(file, withNewChecksum(inHeader({ organisation: 'org_other' })))
  assert.match((await theirs('import', file)).stderr, /The token of share link \w+ is in use already\n$/)
  assert.equal((await theirs('org', 'list', '--json')).json.organisations.length, 1)
})
