// Moving in at the desk: a form with files, what was recognised, a question, bringing, the wrong rows, taking back.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type DeskVisitor, deskVisitor } from '../../test/desk.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { packedSheet, workbookFile } from '../../test/workbook-file.ts'
import { sql } from '../db/database.ts'
import { takeImportStep } from '../worker/imports.ts'

/** Where uploads lie for a while, for this file alone. */
const folder = mkdtempSync(join(tmpdir(), 'uploads-'))
process.env.TMPDIR = folder
after(() => rmSync(folder, { recursive: true, force: true }))
const service = await startTestService({ PORT: await freePort() })
const shop = await service.organisation()
const [manager, technician] = [
  await deskVisitor(service, shop.orgId, 'manager'),
  await deskVisitor(service, shop.orgId, 'technician'),
]
const base = `/desk/${shop.orgId}`

const csrfOf = async ({ open }: DeskVisitor) =>
  /name="csrf" value="([^"]+)"/.exec((await open('/more')).text)?.[1] ?? ''
const upload = async (
  who: DeskVisitor,
  files: Readonly<Record<string, string | Uint8Array>>,
  { csrf, ...fields }: Readonly<Record<string, string>> = {},
) => {
  const body = new FormData()
  body.set('csrf', csrf ?? (await csrfOf(who)))
  for (const [name, value] of Object.entries(fields)) body.set(name, value)
  for (const [name, content] of Object.entries(files)) body.append('files', new Blob([content as string]), name)
  const request = new Request('http://x.invalid', { method: 'POST', body })
  return who.visitor.open(`${base}/import`, {
    method: 'POST',
    headers: { 'content-type': request.headers.get('content-type')! },
    body: Buffer.from(await request.arrayBuffer()) as unknown as string,
  })
}
const work = async () => {
  while ((await takeImportStep(service.database, shop.orgId)) !== undefined);
}
const act = async (path: string, fields: Readonly<Record<string, string>> = {}) =>
  assert.equal((await manager.send(path, fields)).status, 200)
/** They go with the answer. */
const noneLeft = async () => {
  const left = () => readdirSync(folder).filter((name) => name.startsWith('jobwright-upload-'))
  for (let looks = 0; left().length > 0 && looks < 500; looks++) await delay(10)
  assert.deepEqual(left(), [])
}
const newest = async () => (await shop.get('/imports')).body.data.imports[0]

test('files are looked at, brought and taken back, without scripts', async () => {
  const long = 'x'.repeat(70_000)
  const shown = await upload(manager, {
    'clients.csv': `Name,Email,Notes\nBea Lind,bea@lind.example,"${long}"\n,,nobody\n`,
    'jobs.csv': 'Job number,Customer,Title,Created\n7,Bea Lind,Oven,03/04/2026\n',
  })
  assert.equal(shown.status, 200)
  const { id, files } = await newest()
  assert.deepEqual(
    files.map(({ name, kind, rows }: { name: string; kind: string; rows: number }) => [name, kind, rows]),
    [
      ['clients.csv', 'customers', 2],
      ['jobs.csv', 'jobs', 1],
    ],
  )
  await work()
  assert.match((await manager.open(`/import/${id}`)).text, /Which comes first, the day or the month\?/)
  await act(`/import/${id}/judge`, { dateOrder: 'dmy' })
  await work()
  const judged = (await manager.open(`/import/${id}`)).text
  for (const words of [
    'What would happen',
    'Bring 2 records',
    'there is no name, no business and no email',
    'cut after 5000 characters',
  ])
    assert.ok(judged.includes(words), words)
  await act(`/import/${id}/write`)
  await work()
  assert.match((await manager.open(`/import/${id}`)).text, /What happened/)
  assert.match((await manager.open(`/import/${id}/problems.csv`)).text, /^\ufeff?Name,Email,Notes,Reason/)
  assert.equal((await shop.get('/customers')).body.data.customers.length, 1)
  await act(`/import/${id}/undo`)
  await work()
  assert.match((await manager.open(`/import/${id}`)).text, /Taken back/)
  assert.equal((await shop.get('/customers')).body.data.customers.length, 0)
})

test('the wrong rows of several files are a file each', async () => {
  await upload(manager, {
    'clients.csv': 'Name,Email,Notes\nAnn,ann@x.example,\n,,nobody\n',
    'bills.csv': 'Invoice number,Customer,Date,Total\nB-1,Ann,2026-01-40,10\n',
  })
  await work()
  const { id } = await newest()
  const shown = (await manager.open(`/import/${id}`)).text
  for (const name of ['clients.csv', 'bills.csv'])
    assert.ok(shown.includes(`The wrong rows of ${name} as a file`), name)
  assert.match(
    (await manager.open(`/import/${id}/problems.csv?file=1`)).text,
    /^\ufeff?Invoice number,Customer,Date,Total,Reason/,
  )
  assert.equal((await manager.open(`/import/${id}/problems.csv?file=x`)).status, 400)
  await upload(manager, { 'right.csv': 'Name,Email\nCleo,cleo@x.example\n' })
  await work()
  const right = await newest()
  assert.match(
    (await manager.open(`/import/${right.id}/problems.csv`)).text,
    /^\ufeff?Name,Email,Reason\r\n$/,
    'none is wrong',
  )
})

test('the meaning of a column is changed before it is brought', async () => {
  await upload(manager, { 'people.csv': 'Name,Email,Town\nBea,bea@lind.example,Hull\n' })
  await work()
  const { id } = await newest()
  await act(`/import/${id}/judge`, { 'map.Name': 'lastName', 'map.Email': '', 'map.Town': 'notes' })
  await work()
  await act(`/import/${id}/write`)
  await work()
  const [bea] = (await shop.get('/customers')).body.data.customers
  assert.deepEqual([bea.firstName, bea.email, bea.notes], ['Bea', null, 'Town: Hull'])
})

test('what is no form of ours, no file, or from somebody who may not, is refused and leaves nothing behind', async () => {
  const before = (await shop.get('/imports')).body.data.imports.length
  assert.equal((await upload(manager, { 'a.csv': 'Name,Email\nBea,b@x.example\n' }, { csrf: 'forged' })).status, 403)
  assert.equal((await upload(technician, { 'a.csv': 'Name,Email\nBea,b@x.example\n' })).status, 403)
  const nothing = await upload(manager, {})
  assert.deepEqual([nothing.status, /Choose a file first/.test(nothing.text)], [400, true])
  const pdf = await upload(manager, { 'a.pdf': '%PDF-1.7' })
  assert.deepEqual([pdf.status, /a\.pdf: It is a PDF/.test(pdf.text)], [400, true])
  assert.equal((await shop.get('/imports')).body.data.imports.length, before)
  await noneLeft()
})

test('what nobody wrote by hand is refused in words, or left out, and the list of imports stays readable', async () => {
  const refused = async (shown: Promise<{ status: number; text: string }>, words: RegExp) => {
    const { status, text } = await shown
    assert.deepEqual([status, words.test(text)], [400, true], text.slice(-2_000))
  }
  const people = 'Name,Email\nBea,b@x.example\n'
  await refused(upload(manager, { 'a.csv': people }, { kind: 'members' }), /Choose what the files hold from the list/)
  await refused(upload(manager, { 'a.csv': people }, { kind: '__proto__' }), /Choose what the files hold from the list/)
  await refused(
    upload(manager, { 'wide.csv': `Name,Email${',x'.repeat(5_000)}\n` }),
    /wide\.csv: Row 1 has 5002 columns/,
  )
  const odd = packedSheet(
    '<row r="NaN"><c t="str"><v>Name</v></c><c t="str"><v>Email</v></c></row><row r="2147483648"><c t="str"><v>Odd&#0;&#xD800;&#x1F; One</v></c></row>',
  )
  for (const files of [
    { 'nul\u0000\u0001.csv': 'Name,Email\n"Be\u0000a",b@x.example\n' },
    { 'odd.xlsx': odd },
  ] as Readonly<Record<string, string | Uint8Array>>[])
    assert.equal((await upload(manager, files)).status, 200)
  await work()
  const listed = await manager.open('/import')
  assert.deepEqual([listed.status, listed.text.includes('odd.xlsx')], [200, true])
  assert.equal((await shop.get('/imports')).status, 200)
})

test('uploads that are cut off, or too large, leave no file open, no folder and no alarm', async () => {
  const open = () => {
    const files = readdirSync('/proc/self/fd').map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`)
      } catch {
        return '' // it was the folder that was just read
      }
    })
    return files.filter((path) => path.startsWith(folder)).length
  }
  const head = `--x\r\ncontent-disposition: form-data; name="files"; filename="a.csv"\r\n\r\n`
  const send = async (length: number, body: string, isCut: boolean) => {
    const { hostname, port, host } = new URL(service.config.authUrl)
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.on('data', (data) => {
      answer += data
    })
    socket.on('error', () => {})
    const headers = [`cookie: jobwright_session=${manager.session}`, 'content-type: multipart/form-data; boundary=x']
    socket.write(
      [`POST ${base}/import HTTP/1.1`, `host: ${host}`, ...headers, `content-length: ${length}`, '', body].join('\r\n'),
    )
    if (isCut) {
      for (let looks = 0; open() === 0 && looks < 500; looks++) await delay(10)
      socket.destroy()
    } else await new Promise((resolve) => socket.on('close', resolve))
    return answer
  }
  for (let count = 0; count < 5; count++) await send(1_000_000, `${head}${'x'.repeat(100_000)}`, true)
  assert.match(await send(60 * 1_048_576, head, false), /^HTTP\/1\.1 413 /)
  await noneLeft()
  for (let looks = 0; open() > 0 && looks < 500; looks++) await delay(10)
  assert.equal(open(), 0)
})

test('workbooks and lists come together, and after undo everything is as it was', async () => {
  const known = (await shop.post('/customers', { firstName: 'Cleo', email: 'cleo@x.example' })).body.data
  await shop.post('/inventory', { name: 'Fan', sku: 'FAN', price: 12, quantityOnHand: 3 })
  const lists = [
    'customers',
    'inventory',
    'inventory-categories',
    'tax-rates',
    'tickets',
    'quotes',
    'invoices',
    'payments',
  ]
  const everything = async () =>
    Promise.all(
      lists.map(async (list) => {
        const [records] = Object.values((await shop.get(`/${list}`)).body.data) as [Record<string, unknown>[]]
        return records.map(({ updatedAt: _, ...record }) => record)
      }),
    )
  const before = await everything()
  await upload(manager, {
    'stock.xlsx': workbookFile([
      ['Name', 'SKU', 'Category', 'Price', 'Cost', 'Quantity'],
      ['Display', 'D1', 'Screens', 99.95, 61.2, 4],
      ['Fan', 'FAN', 'Cooling', 14, 7, 9],
    ]),
    'people.xlsx': workbookFile([
      ['First name', 'Last name', 'Email', 'Customer since'],
      ['Cleo', 'Marsh', 'cleo@x.example', { day: 45_000 }],
      [{ inline: 'Dan' }, 'Poole', 'dan@x.example', null],
    ]),
    'invoices.csv':
      'Invoice number,Customer,Email,Total,Tax,Amount paid,Invoice date,Status\n88,Dan Poole,dan@x.example,120.00,20.00,50.00,2026-01-31,Sent\n',
  })
  await work()
  const { id, files } = await newest()
  assert.deepEqual(
    files.map(({ name, kind, rows }: { name: string; kind: string; rows: number }) => [name, kind, rows]),
    [
      ['stock.xlsx', 'inventory', 2],
      ['people.xlsx', 'customers', 2],
      ['invoices.csv', 'invoices', 1],
    ],
  )
  await act(`/import/${id}/write`)
  await work()
  const { created, filled, wrong } = await newest()
  assert.deepEqual([created, filled, wrong], [3, 2, 0])
  const [dan] = (await shop.get('/customers?search=poole')).body.data.customers
  const [invoice] = (await shop.get('/invoices?search=88')).body.data.invoices
  assert.deepEqual([invoice.customerId, invoice.total, invoice.balance], [dan.id, 120, 70])
  assert.equal((await shop.get(`/customers/${known.id}`)).body.data.lastName, 'Marsh')
  assert.equal((await shop.get('/inventory?sku=D1')).body.data.inventory[0].quantityOnHand, 4)
  await act(`/import/${id}/undo`)
  assert.match((await manager.open(`/import/${id}`)).text, /<h1>Being taken back<\/h1>.*data-watch/s)
  await work()
  assert.deepEqual(await everything(), before)
})

test('a trial is called one in the list, and what is refused is said on the page of the import', async () => {
  await upload(manager, { 'trial.csv': 'Name,Email\nDan,dan@x.example\n' })
  await work()
  const { id } = await newest()
  await service.database.query(sql`update imports set is_dry_run = true where org_id = ${shop.orgId} and id = ${id}`)
  const row = new RegExp(`/import/${id}".*?</tr>`, 's').exec((await manager.open('/import')).text)?.[0] ?? ''
  assert.match(row, /A trial/)
  assert.doesNotMatch(row, /Ready to be brought/)
  const page = await manager.open(`/import/${id}`)
  const csrf = await csrfOf(manager)
  const refused = await manager.visitor.open(`${base}/import/${id}/write`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ csrf }).toString(),
  })
  assert.equal(refused.status, 409)
  assert.match(refused.text, /role="alert">It was only to be tried.*What would happen/s)
  assert.match(page.text, /<h1[^>]*>[^<]*A trial/)
})
