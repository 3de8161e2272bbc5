// Moving in from the command line: files tried out and brought, their exit codes, a process that is killed, and undoing.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { commandLine, settingsFor } from '../../test/command-line.ts'
import { programEnvironment } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { takeImportStep } from '../worker/imports.ts'

const service = await startTestService()
const { database, organisation } = service
const settings = settingsFor(service)
const jobwright = commandLine(settings)
const folder = mkdtempSync(join(tmpdir(), 'bring-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const file = (name: string, content: string | Uint8Array) => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const clients = `\ufeffJ-ID,Is Company?,First Name,Last Name,Main Phone #s,E-mails,Service Street 1,Archived
1_1,false,Amara,Okafor,555 0100 100,amara@x.example,12 Mill Lane,false
1_2,false,Amara,Okafor,,,3 Dock Road,false
2_1,false,Bea,Lind,,bea@x.example,,false
3_1,false,Old,One,,,,true
`
const jobs = `Job #,Client name,Client email,Title,Created date,Closed date
7,Amara Okafor,amara@x.example,Oven,"Nov 19, 2025",-
8,Bea Lind,,Fan,"Nov 20, 2025","Nov 21, 2025"
`

describe('bring', () => {
  test('says what would happen, then does the same: customers first, then their jobs', async () => {
    const shop = await organisation()
    const files = [file('jobs.csv', jobs), file('clients.csv', clients)]
    const trial = await jobwright('bring', ...files, '--org', shop.orgId, '--dry-run', '--json')
    assert.equal(trial.code, 0, trial.stderr)
    const { id, files: told, problems, repairs, isDryRun, records, created, filled, same, skipped, wrong } = trial.json
    assert.match(id, /^imp_/)
    assert.deepEqual(
      told.map((one: Record<string, unknown>) => [
        one.name,
        one.source,
        one.kind,
        one.encoding,
        one.delimiter,
        one.rows,
        one.unusedColumns,
      ]),
      [
        ['jobs.csv', 'jobber', 'jobs', 'utf-8', ',', 2, []],
        ['clients.csv', 'jobber', 'customers', 'utf-8', ',', 4, []],
      ],
    )
    assert.deepEqual(
      { problems, isDryRun, records, created, filled, same, skipped, wrong },
      { problems: [], isDryRun: true, records: 5, created: 4, filled: 0, same: 0, skipped: 1, wrong: 0 },
    )
    assert.ok(Array.isArray(repairs))
    assert.equal((await shop.get('/customers')).body.data.customers.length, 0, 'nothing was written')

    const { json } = await jobwright('bring', ...files, '--org', shop.orgId, '--json')
    assert.deepEqual(
      [json.isDryRun, json.records, json.created, json.filled, json.same, json.skipped, json.wrong],
      [false, records, created, filled, same, skipped, wrong],
    )
    const [amara] = (await shop.get('/customers?externalId=1&externalSource=jobber')).body.data.customers
    const [oven] = (await shop.get('/tickets?externalId=7')).body.data.tickets
    assert.deepEqual([oven.customerId, oven.externalNumber], [amara.id, '7'])
    assert.match(amara.notes, /Other address: 3 Dock Road/)

    const again = await jobwright('bring', ...files, '--org', shop.orgId, '--json')
    assert.deepEqual(
      [again.json.same, again.json.skipped, again.json.created],
      [4, 1, 0],
      'a second time nothing is new',
    )

    const { imports } = (await jobwright('bring', 'list', '--org', shop.orgId, '--json')).json
    assert.deepEqual(
      imports.map((one: { status: string }) => one.status),
      ['written', 'written', 'judged'],
    )
    const undone = await jobwright('bring', 'undo', '--org', shop.orgId, json.id, '--json')
    assert.deepEqual(undone.json, { reversed: 4, kept: 0, failed: 0, keptRecords: [] })
    assert.equal((await shop.get('/customers')).body.data.customers.length, 0)
  })

  test('ends with 3 where some are wrong, and gives those back as a file', async () => {
    const shop = await organisation()
    const people = file('people.csv', 'Name;E-mail;Note\nBea;bea@x.example;a\n;;=1+1\n')
    const { code, json } = await jobwright('bring', people, '--org', shop.orgId, '--source', 'paper', '--json')
    assert.deepEqual([code, json.created, json.wrong], [3, 1, 1])
    const [{ file: name, row, reason, fix }] = json.problems
    assert.deepEqual([name, row], ['people.csv', 3])
    assert.ok(reason && fix)
    const out = join(folder, 'wrong.csv')
    assert.equal((await jobwright('bring', 'problems', '--org', shop.orgId, json.id, '--out', out)).code, 0)
    assert.match(readFileSync(out, 'utf8'), /^\ufeffName,E-mail,Note,Reason\r\n,,'=1\+1,/)
    assert.equal(
      (await shop.get('/customers?externalSource=paper')).body.data.customers.length,
      0,
      'without an id it has no name there',
    )
    const mended = readFileSync(out, 'utf8').replace('\r\n,,', '\r\nDan,,')
    assert.equal((await jobwright('bring', file('mended.csv', mended), '--org', shop.orgId, '--json')).json.created, 1)
    assert.match((await shop.get('/customers?search=dan')).body.data.customers[0].notes, /=1\+1/)
  })

  test('gives the wrong rows of several files back as a file each, in the columns of its own', async () => {
    const shop = await organisation()
    const people = file('clients.csv', 'Name,Email,Note\nBea,bea@x.example,\n,,nobody\n')
    const bills = file('bills.csv', 'Invoice number,Customer,Date,Total\nB-1,Bea,2026-01-40,10\n')
    const { json } = await jobwright('bring', people, bills, '--org', shop.orgId, '--json')
    assert.equal(json.wrong, 2)
    const out = join(folder, 'both.csv')
    const told = await jobwright('bring', 'problems', '--org', shop.orgId, json.id, '--out', out)
    assert.match(told.stdout, /2 wrong records are in .*both-1\.csv \(clients\.csv\), .*both-2\.csv \(bills\.csv\)/)
    assert.match(
      readFileSync(join(folder, 'both-1.csv'), 'utf8'),
      /^\ufeffName,Email,Note,Reason\r\n,,nobody,[^\r]+\r\n$/,
    )
    const mended = readFileSync(join(folder, 'both-2.csv'), 'utf8').replace('01-40', '01-14')
    assert.equal((await jobwright('bring', file('again.csv', mended), '--org', shop.orgId, '--json')).json.created, 1)
    assert.equal((await shop.get('/invoices')).body.data.invoices[0].invoiceNumber, 'B-1')
    const { status, body } = await shop.get(`/imports/${json.id}/problems?format=csv`)
    assert.deepEqual(
      [status, body.error],
      [
        400,
        'file is needed: wrong rows are in several files, which have columns of their own: 0 (clients.csv), 1 (bills.csv)',
      ],
    )
    assert.equal((await shop.get(`/imports/${json.id}/problems?format=csv&file=1`)).status, 200)
    assert.equal(
      (await shop.get(`/imports/${json.id}/problems?format=csv&file=2`)).body.error,
      'file must be less than 2, the number of its files',
    )
  })

  test('ends with 2 for a file that is refused, with 4 for a question, and writes nothing', async () => {
    const shop = await organisation()
    const refused = await jobwright(
      'bring',
      file('old.xls', Buffer.from([0xd0, 0xcf, 0x11, 0xe0])),
      '--org',
      shop.orgId,
    )
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /old\.xls: It is an old Excel file/)
    const dates = file('jobs.csv', 'Job number,Customer,Title,Created\n1,Bea,Oven,03/04/2026\n')
    const asked = await jobwright('bring', dates, '--org', shop.orgId, '--json')
    assert.equal(asked.code, 4)
    assert.deepEqual(asked.json.questions, [
      { file: 'jobs.csv', column: 'Created', kind: 'dateOrder', samples: ['03/04/2026'] },
    ])
    assert.equal((await shop.get('/tickets')).body.data.tickets.length, 0)
    assert.equal((await jobwright('bring', dates, '--org', shop.orgId, '--date-order', 'dmy', '--json')).code, 0)
    const map = file('map.json', '{"Wer": "fullName", "Post": "email", "Egal": null}')
    const strange = file('strange.csv', 'Wer,Post,Egal\nBea,bea@x.example,1\n')
    const mapped = await jobwright('bring', strange, '--org', shop.orgId, '--kind', 'customers', '--map', map, '--json')
    assert.deepEqual([mapped.code, mapped.json.created, mapped.json.files[0].unusedColumns], [0, 1, ['Egal']])
  })

  test('does not write where nobody can be asked and nobody said yes', async () => {
    const shop = await organisation()
    const people = file('people.csv', 'Name,Email\nBea,bea@x.example\n')
    const { code, stderr } = await jobwright('bring', people, '--org', shop.orgId)
    assert.deepEqual([code, /no terminal to ask on; say --yes/.test(stderr)], [1, true])
    assert.deepEqual((await shop.get('/imports')).body.data.imports, [])
    assert.equal((await jobwright('bring', people, '--org', shop.orgId, '--dry-run')).code, 0)
    assert.equal((await shop.get('/customers')).body.data.customers.length, 0)
    assert.equal((await jobwright('bring', people, '--org', shop.orgId, '--yes')).code, 0)
    assert.equal((await shop.get('/customers')).body.data.customers.length, 1)
  })

  test('goes on with one that was cut off, from where it was', async () => {
    const shop = await organisation()
    const resume = (id: string, ...more: string[]) =>
      jobwright('bring', 'resume', '--org', shop.orgId, id, '--yes', '--json', ...more)
    const { id } = (await shop.post('/imports', { columns: ['Name', 'Email'] })).body.data
    await shop.post(`/imports/${id}/rows`, { rows: [['Bea', 'bea@x.example']] })
    assert.match((await resume(id)).stderr, /not read to the end/)
    await shop.post(`/imports/${id}/judge`)
    assert.deepEqual([(await resume(id)).json.status, (await resume(id)).json.status], ['written', 'written'])
    const sent = { columns: ['Name', 'Email'] }
    const stale = (await shop.post('/imports', sent)).body.data.id
    await shop.post(`/imports/${stale}/rows`, { rows: [['Cid', 'cid@x.example']] })
    await shop.post(`/imports/${stale}/judge`)
    while ((await takeImportStep(database, shop.orgId, { importId: stale })) !== undefined);
    const same = file('same.csv', 'Name,Email\nCid,cid@x.example\n')
    assert.equal((await jobwright('bring', same, '--org', shop.orgId, '--json')).json.created, 1)
    const overtaken = (await resume(stale)).json
    assert.deepEqual([overtaken.status, overtaken.created, overtaken.same], ['written', 0, 1])
    const dates = file('dates.csv', 'Job number,Customer,Title,Created\n1,Bea,Oven,03/04/2026\n')
    const asked = (await jobwright('bring', dates, '--org', shop.orgId, '--json')).json
    const { code, json } = await resume(asked.id, '--date-order', 'dmy')
    assert.deepEqual([code, json.status, json.created], [0, 'written', 1])
  })

  test('goes on after the process was killed: the worker finishes, and nothing is there twice', async () => {
    const shop = await organisation()
    const rows = Array.from({ length: 3_000 }, (_, index) => `${index},Person ${index},p${index}@x.example`)
    const many = file('many.csv', `ID,Name,Email\n${rows.join('\n')}\n`)
    const cli = fileURLToPath(new URL('./jobwright.ts', import.meta.url))
    const child = spawn(process.execPath, [cli, 'bring', many, '--org', shop.orgId, '--json'], {
      cwd: folder,
      env: { ...programEnvironment(), ...settings },
      stdio: 'ignore',
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    const state = async () => (await shop.get('/imports')).body.data.imports[0]
    const written = async () =>
      (
        await database.query<{ count: number }>(
          sql`select count(*)::int as count from customers where org_id = ${shop.orgId}`,
        )
      )[0]!.count
    while ((await written()) === 0 && child.exitCode === null) await delay(10)
    child.kill('SIGKILL')
    await ended
    const before = await written()
    assert.ok(before > 0 && before < 3_000, `${before} were written when it was killed`)
    while ((await state()).status === 'writing') await takeImportStep(database, shop.orgId)
    const { status, created, records, wrong } = await state()
    assert.deepEqual([status, created, records, wrong, await written()], ['written', 3_000, 3_000, 0, 3_000])
  })
})

/** Cells with everything that files are known for. */
const cell = fc.oneof(
  fc.constantFrom(
    '',
    '-',
    'N/A',
    '="007"',
    '4.12346E+08',
    'Amara',
    'Okafor, Amara',
    'Lind Ltd',
    "O'Neil",
    '=1+1',
    '\u00c4nne',
  ),
  fc.constantFrom(
    'a@x.example',
    'b@x.example;c@x.example',
    'no email',
    '07700 900123',
    '+44 7700 900123',
    '$1,234.50',
    '03/14/2026',
  ),
  fc.string({ maxLength: 12, unit: 'grapheme' }),
)
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

test('whatever a file holds: what was tried is what is brought, and it adds up', async () => {
  const shop = await organisation()
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell, cell, cell, cell), { maxLength: 12 }),
      fc.constantFrom(',', ';', '\t'),
      fc.constantFrom('', '\ufeff'),
      fc.constantFrom('fill', 'none', 'overwrite'),
      async (rows, delimiter, mark, update) => {
        const header = ['ID', 'Name', 'Email', 'Phone', 'Notes']
        const lines = [header, ...rows].map((cells) => cells.map(quoted).join(delimiter))
        const path = file('any.csv', `${mark}${lines.join('\r\n')}\r\n`)
        const args = ['bring', path, '--org', shop.orgId, '--kind', 'customers', '--update', update, '--json']
        const trial = (await jobwright(...args, '--dry-run')).json
        const { json: done, stderr } = await jobwright(...args)
        const counts = (one: Record<string, number>) => [one.created, one.filled, one.same, one.skipped, one.wrong]
        assert.deepEqual(counts(done), counts(trial), stderr)
        assert.equal(
          counts(done).reduce((sum, one) => sum! + one!, 0),
          done.records,
        )
        assert.equal(done.records, done.files[0].rows)
      },
    ),
    { numRuns: 15, endOnFailure: true },
  )
})
