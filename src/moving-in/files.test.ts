// Files as other programs write them: encodings, separators, titles, workbooks and vCards, read from a disk.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { packedSheet, workbookFile } from '../../test/workbook-file.ts'
import { FileRefused } from '../domain/moving-in/recognise.ts'
import { openFile } from './file-rows.ts'
import { type FileLimits, fileLimits } from './limits.ts'
import { readFileRows } from './reading.ts'
import { spooledRows, spoolRows } from './spool.ts'

const folder = mkdtempSync(join(tmpdir(), 'moving-in-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const read = async (content: string | Uint8Array) => {
  const path = join(folder, 'file')
  writeFileSync(path, content)
  const file = await openFile(path)
  return { ...file, rows: await Array.fromAsync(file.rows()) }
}

describe('text', () => {
  for (const [name, content, encoding, delimiter] of [
    ['UTF-8 with its mark', '\ufeffName,Town\nÄnne,Köln\n', 'utf-8', ','],
    ['semicolons', 'Name;Town\nÄnne;Köln\n"a,b,c,d,e";x\n"a,b,c,d,e";y\n"a,b,c,d,e";z\n', 'utf-8', ';'],
    ['tabs', 'Name\tTown\nÄnne\tKöln\n', 'utf-8', '\t'],
    ['bars', 'Name|Town\nÄnne|Köln\n', 'utf-8', '|'],
    ['what Windows writes', Buffer.from('Name,Town\n\u00c4nne,K\u00f6ln\n', 'latin1'), 'windows-1252', ','],
    [
      'UTF-16',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Name\tTown\nÄnne\tKöln\n', 'utf16le')]),
      'utf-16le',
      '\t',
    ],
  ] as const)
    test(`is found to be ${name}`, async () => {
      const file = await read(content)
      assert.deepEqual([file.encoding, file.delimiter], [encoding, delimiter])
      assert.deepEqual(file.rows.slice(0, 2), [
        [1, ['Name', 'Town']],
        [2, ['Änne', 'Köln']],
      ])
    })

  test('rows are counted as a spreadsheet counts them, quoted lines and empty ones included', async () => {
    const { rows } = await read('A,B\n"two\nlines",x\n\nlast,y\n')
    assert.deepEqual(rows, [
      [1, ['A', 'B']],
      [2, ['two\nlines', 'x']],
      [3, ['']],
      [4, ['last', 'y']],
    ])
  })

  test('what is no list of rows is refused with what to do', async () => {
    const refused = (content: string | Uint8Array, pattern: RegExp) =>
      assert.rejects(read(content), (error) => error instanceof FileRefused && pattern.test(error.message))
    await refused('', /empty/)
    await refused(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), /save it as \.xlsx/)
    await refused('%PDF-1.7', /PDF/)
    await refused('A,B\n1,"never closed', /quote that is not closed/)
    await refused(Buffer.from('PK\u0003\u0004 nonsense', 'latin1'), /workbook/)
  })
})

describe('a workbook', () => {
  test('gives its first sheet: shared and inline texts, numbers, days, gaps', async () => {
    const file = await read(
      workbookFile([
        ['Name', 'Phone', 'Since', 'Gap', 'Sum', 'At'],
        ['Änne & Co', 412345678, { day: 46115 }, null, 12.300000000000001, { day: 46115.39583333 }],
        [{ inline: 'Bea <3' }, true],
      ]),
    )
    assert.deepEqual(file.rows, [
      [1, ['Name', 'Phone', 'Since', 'Gap', 'Sum', 'At']],
      [2, ['Änne & Co', '412345678', '2026-04-03', '', '12.3', '2026-04-03 09:30']],
      [3, ['Bea <3', 'TRUE']],
    ])
  })
})

describe('vCards', () => {
  test('of all versions become rows', async () => {
    const { rows } = await read(
      [
        'BEGIN:VCARD',
        'VERSION:2.1',
        'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C3=84nne;Ann;;;',
        'TEL;CELL:+49 30 1234567',
        'END:VCARD',
        'BEGIN:VCARD',
        'VERSION:3.0',
        'N:Okafor;Amara;;;',
        'FN:Amara Okafor',
        'item1.TEL:07700 900123',
        'item1.X-ABLabel:Work',
        'EMAIL;TYPE=INTERNET:amara@',
        ' okafor.example',
        'ADR;TYPE=WORK:;;12 Mill Lane;Leeds;;LS1 4AP;UK',
        'NOTE:one\\, two\\nthree',
        'END:VCARD',
        'BEGIN:VCARD',
        'VERSION:4.0',
        'UID:urn:uuid:1',
        'FN:Lind Ltd',
        'ORG:Lind Ltd;Sales',
        'TEL;VALUE=uri;TYPE="voice,home":tel:+46-8-1234567',
        'END:VCARD',
      ].join('\r\n'),
    )
    assert.deepEqual(
      rows
        .slice(1)
        .map(([row, [uid, name, given, family, org, email, phone, street, , city, , code, , note]]) => [
          row,
          [uid, name, given, family, org, email, phone, street, city, code, note],
        ]),
      [
        [1, ['', '', 'Ann', 'Änne', '', '', '+49 30 1234567', '', '', '', '']],
        [
          6,
          [
            '',
            'Amara Okafor',
            'Amara',
            'Okafor',
            '',
            'amara@okafor.example',
            '07700 900123',
            '12 Mill Lane',
            'Leeds',
            'LS1 4AP',
            'one, two\nthree',
          ],
        ],
        [17, ['urn:uuid:1', 'Lind Ltd', '', '', 'Lind Ltd', '', '+46-8-1234567', '', '', '', '']],
      ],
    )
  })
})

/** What is staged of it: the rows, without blank ones and within the limits. */
const spool = async (content: string | Uint8Array, limits: Partial<FileLimits> = {}) => {
  const [path, to] = [join(folder, 'file'), join(folder, 'rows')]
  writeFileSync(path, content)
  rmSync(to, { force: true })
  await spoolRows(path, to, { ...fileLimits, ...limits })
  return Array.fromAsync(spooledRows(to))
}

describe('what would keep everybody waiting', () => {
  const spaces = ' '.repeat(3_000_000)
  for (const [name, content, limits, words] of [
    ['a sheet that unpacks to much', packedSheet(spaces), { maxUnpackedBytes: 1e6 }, /unpacks to more than 1 MB/],
    ['one that unpacks to many times its size', packedSheet(spaces), { minSuspectBytes: 1e6 }, /unpacks to more than/],
    ['many shared texts', packedSheet('', '<si/>'.repeat(101)), { maxTexts: 100 }, /more than 100 texts/],
    ['a text without end', packedSheet(spaces), { maxRunCharacters: 1e6 }, /longer than 1000000 characters/],
    ['a tag without end', packedSheet(`<row r="${spaces}`), { maxRunCharacters: 1e6 }, /longer than 1000000/],
    ['very many blank rows', packedSheet('<row/>'.repeat(101)), { maxSheetRows: 100 }, /more than 100 rows, blank/],
    ['very many blank lines', 'A,B\n'.padEnd(300, '\n'), { maxSheetRows: 100 }, /more than 100 rows, blank/],
    ['more rows than an import has', 'A,B\n'.repeat(40), { maxRows: 10 }, /more than 10 rows; bring it in parts/],
    ['a wide list', `${'A,'.repeat(1_000)}A\n`, {}, /Row 1 has 1001 columns, and at most 1000/],
    [
      'a wide sheet',
      packedSheet('<row r="1"><c r="ALM1"><v>1</v></c></row>'),
      {},
      /Row 1 has 1001 columns, and at most 1000/,
    ],
    ['a long row', `A,${'x'.repeat(200)}\n`, { maxRowCharacters: 100 }, /Row 1/],
    [
      'one text in very many cells',
      packedSheet(`<row>${'<c t="s"><v>0</v></c>'.repeat(50)}</row>`, `<si><t>${'x'.repeat(100)}</t></si>`),
      { maxRowCharacters: 1_000 },
      /Row 1 holds more than 1000 characters/,
    ],
    ['rows that are long together', `A,${'x'.repeat(90)}\n`.repeat(9), { maxCharacters: 500 }, /more than 500 char/],
    [
      'a card without a line',
      `BEGIN:VCARD\n${'x'.repeat(200)}`,
      { maxRunCharacters: 100 },
      /Line 2 is longer than 100/,
    ],
  ] as const)
    test(`is refused in words: ${name}`, () =>
      assert.rejects(spool(content, limits), (error) => error instanceof FileRefused && words.test(error.message)))

  test('is left out: blank rows, and what cannot be stored', async () => {
    assert.deepEqual(await spool('A,B\n\n , \n"x\u0000\u2028y\nz",\n'), [
      [1, ['A', 'B']],
      [4, ['x\u2028y\nz', '']],
    ])
    const [row] = await spool(packedSheet('<row r="1"><c t="str"><v>a&#0;&#xD800;&#x1F;b</v></c></row>'))
    assert.ok(row![1][0]!.isWellFormed() && !row![1][0]!.includes('\0'), JSON.stringify(row))
  })

  test('numbers of rows are those of a spreadsheet, and no two are the same', async () => {
    const given = ['NaN', '1e999', '1.5', '7', '7', '99999999999999', '2147483648', '-3', '12', '__proto__']
    const rows = await spool(packedSheet(given.map((r) => `<row r="${r}"><c><v>1</v></c></row>`).join('')))
    assert.deepEqual(
      rows.map(([row]) => row),
      [1, 2, 3, 7, 8, 9, 10, 11, 12, 13],
    )
  })

  test('is read beside the service, and ended after a while', async () => {
    const [path, to] = [join(folder, 'file'), join(folder, 'in-thread')]
    writeFileSync(path, 'A;B\n1;2\n')
    assert.deepEqual(await readFileRows('org', { path, to }), { encoding: 'utf-8', delimiter: ';' })
    assert.equal(readFileSync(to, 'utf8'), '[1,["A","B"]]\n[2,["1","2"]]\n')
    await assert.rejects(readFileRows('org', { path, to: `${to}-2` }, 0), /takes too long to read/)
    writeFileSync(path, '%PDF')
    await assert.rejects(readFileRows('org', { path, to: `${to}-3` }), FileRefused)
  })
})
