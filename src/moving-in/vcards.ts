// Contacts as vCards, versions 2.1, 3.0 and 4.0: each card becomes a row, with columns that a profile knows.
import { open } from 'node:fs/promises'
import { FileRefused } from '../domain/moving-in/recognise.ts'
import { decodeFile, detectEncoding } from './encoding.ts'
import type { FileLimits } from './limits.ts'
import type { FileRows, NumberedRow } from './rows.ts'

const columns = [
  ...[
    'vCard UID',
    'vCard FN',
    'vCard N given',
    'vCard N family',
    'vCard ORG',
    'vCard EMAIL',
    'vCard TEL',
    'vCard street',
  ],
  ...['vCard extended', 'vCard city', 'vCard region', 'vCard code', 'vCard country', 'vCard NOTE'],
] as const

export async function openVcards(path: string, { maxRunCharacters }: FileLimits): Promise<FileRows> {
  const file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0).finally(() => file.close())
  const encoding = await detectEncoding(path, buffer.subarray(0, bytesRead))
  return {
    encoding,
    delimiter: null,
    async *rows() {
      yield [0, columns]
      let card: Property[] | undefined
      let begunAt = 0
      for await (const { line, text } of unfold(decodeFile(path, encoding), maxRunCharacters)) {
        const property = readProperty(text)
        if (!property) continue
        if (property.name === 'BEGIN') [card, begunAt] = [[], line]
        else if (property.name === 'END' && card) {
          yield [begunAt, toCells(card)] satisfies NumberedRow
          card = undefined
        } else card?.push(property)
      }
    },
  }
}

interface Property {
  readonly name: string
  readonly value: string
}

/** Lines that begin with a space go on with the line before; so do those after a soft line break of quoted-printable. */
async function* unfold(
  pieces: AsyncGenerator<string>,
  maxCharacters: number,
): AsyncGenerator<{ line: number; text: string }> {
  let rest = ''
  let line = 0
  let open: { line: number; text: string } | undefined
  const take = function* (text: string): Generator<{ line: number; text: string }> {
    line++
    if (open && /^[ \t]/.test(text)) open.text += text.slice(1)
    else if (open && /QUOTED-PRINTABLE/i.test(open.text) && open.text.endsWith('='))
      open.text = open.text.slice(0, -1) + text
    else {
      if (open) yield open
      open = { line, text }
    }
  }
  for await (const piece of pieces) {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!\n)/)
    rest = lines.pop()!
    for (const text of lines) yield* take(text)
    if (rest.length + (open?.text.length ?? 0) > maxCharacters)
      throw new FileRefused(`Line ${line + 1} is longer than ${maxCharacters} characters; export the contacts as CSV`)
  }
  yield* take(rest)
  if (open) yield open
}

function readProperty(text: string): Property | undefined {
  const colon = /^(?:"[^"]*"|[^":])*:/.exec(text)?.[0]
  if (colon === undefined) return undefined
  const [name = '', ...parameters] = colon.slice(0, -1).split(';')
  const raw = text.slice(colon.length)
  const value = parameters.some((one) => /QUOTED-PRINTABLE/i.test(one)) ? decodeQuoted(raw) : raw
  // Apple groups its properties: item1.TEL
  return { name: name.replace(/^.*\./, '').toUpperCase(), value }
}

/** All that write it today mean UTF-8. */
const decodeQuoted = (text: string): string => {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

const unescaped = (text: string) =>
  text.replaceAll(/\\([nN,;\\])/g, (_, one: string) => (one.toLowerCase() === 'n' ? '\n' : one)).trim()
/** Parts stand between semicolons that are not escaped. */
const partsOf = (value: string): string[] => value.split(/(?<!\\);/).map(unescaped)

function toCells(card: readonly Property[]): string[] {
  const first = (name: string) => card.find((property) => property.name === name)?.value ?? ''
  const all = (name: string) => card.filter((property) => property.name === name).map(({ value }) => unescaped(value))
  const [family = '', given = ''] = partsOf(first('N'))
  const [, extended = '', street = '', city = '', region = '', code = '', country = ''] = partsOf(first('ADR'))
  const phones = all('TEL').map((phone) => phone.replace(/^tel:/i, ''))
  return [
    ...[unescaped(first('UID')), unescaped(first('FN')), given, family, partsOf(first('ORG'))[0] ?? ''],
    ...[
      all('EMAIL')
        .map((email) => email.replace(/^mailto:/i, ''))
        .join(';'),
      phones.join(';'),
    ],
    ...[street, extended, city, region, code, country, all('NOTE').join('\n')],
  ]
}
