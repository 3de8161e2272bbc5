// The objects of a PDF as they stand in the file, found by its cross-reference table: for tests of what no viewer shows.
import assert from 'node:assert/strict'
import { inflateSync } from 'node:zlib'

/** A name is a text that begins with a slash; a text of the document is its bytes. */
export type PdfValue =
  | number
  | boolean
  | null
  | string
  | Buffer
  | PdfReference
  | readonly PdfValue[]
  | PdfDictionary
  | PdfStream
export interface PdfDictionary {
  readonly [key: string]: PdfValue
}

export class PdfReference {
  readonly number: number
  constructor(number: number) {
    this.number = number
  }
}

export class PdfStream {
  readonly dictionary: PdfDictionary
  readonly raw: Buffer
  constructor(dictionary: PdfDictionary, raw: Buffer) {
    this.dictionary = dictionary
    this.raw = raw
  }
  /** Unpacked. */
  get bytes(): Buffer {
    return this.dictionary.Filter === '/FlateDecode' ? inflateSync(this.raw) : this.raw
  }
}

export interface Pdf {
  /** As text of one character for each byte. */
  readonly source: string
  readonly trailer: PdfDictionary
  readonly objects: ReadonlyMap<number, PdfValue>
  /** What a reference leads to. */
  resolve(value: PdfValue | undefined): PdfValue | undefined
  dictionary(value: PdfValue | undefined): PdfDictionary
  /** All dictionaries that are objects of their own, those of streams too. */
  dictionaries(): readonly PdfDictionary[]
}

export function readPdf(bytes: Uint8Array): Pdf {
  const source = Buffer.from(bytes).toString('latin1')
  const at = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(source)?.[1])
  const [, table = '', after = ''] = /^xref\s+0 \d+\s+([\s\S]*?)(trailer[\s\S]*)$/.exec(source.slice(at)) ?? []
  const offsets = [...table.matchAll(/(\d{10}) (\d{5}) ([nf])/g)].map(([, offset, , kind]) =>
    kind === 'n' ? Number(offset) : undefined,
  )
  const objects = new Map<number, PdfValue>()
  for (const [number, offset] of offsets.entries()) {
    if (offset === undefined) continue
    const [head] = /^(\d+) 0 obj\s/.exec(source.slice(offset, offset + 30)) ?? []
    assert.equal(Number.parseInt(head ?? '', 10), number, `object ${number} is where the table says`)
    objects.set(number, readObject(source, offset + head!.length))
  }
  const resolve: Pdf['resolve'] = (value) => (value instanceof PdfReference ? objects.get(value.number) : value)
  const dictionary: Pdf['dictionary'] = (value) => {
    const found = resolve(value)
    const plain = found instanceof PdfStream ? found.dictionary : found
    assert.ok(isDictionary(plain), `no dictionary: ${String(plain)}`)
    return plain
  }
  return {
    source,
    trailer: new Reader(after, 'trailer'.length).value() as PdfDictionary,
    objects,
    resolve,
    dictionary,
    dictionaries: () =>
      [...objects.values()]
        .map((value) => (value instanceof PdfStream ? value.dictionary : value))
        .filter((value) => isDictionary(value)),
  }
}

export const isDictionary = (value: PdfValue | undefined): value is PdfDictionary =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof PdfReference || value instanceof PdfStream || Buffer.isBuffer(value))

function readObject(source: string, from: number): PdfValue {
  const reader = new Reader(source, from)
  const value = reader.value()
  const rest = source.slice(reader.at)
  const [begin] = /^\s*stream\r?\n/.exec(rest.slice(0, 20)) ?? []
  if (begin === undefined) {
    assert.match(rest.slice(0, 20), /^\s*endobj/)
    return value
  }
  const dictionary = value as PdfDictionary
  const start = reader.at + begin.length
  const end = start + Number(dictionary.Length)
  assert.match(source.slice(end, end + 20), /^\s*endstream/, 'a stream is as long as it says')
  return new PdfStream(dictionary, Buffer.from(source.slice(start, end), 'latin1'))
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

class Reader {
  readonly #source: string
  at: number
  constructor(source: string, at: number) {
    this.#source = source
    this.at = at
  }

  /** What stands next and has this form, which is passed over. */
  #take(pattern: RegExp): RegExpExecArray | null {
    const sticky = new RegExp(pattern, 'y')
    sticky.lastIndex = this.at
    const found = sticky.exec(this.#source)
    if (found) this.at = sticky.lastIndex
    return found
  }

  value(): PdfValue {
    this.#take(/\s+/)
    if (this.#take(/<</)) return this.#dictionary()
    if (this.#take(/\[/)) {
      const items: PdfValue[] = []
      while (!this.#take(/\s*\]/)) items.push(this.value())
      return items
    }
    if (this.#take(/\(/)) return this.#literal()
    const hex = this.#take(/<([\da-fA-F\s]*)>/)
    if (hex) return Buffer.from(hex[1]!.replace(/\s/g, ''), 'hex')
    const name = this.#take(/\/[^\s/<>[\](){}%]*/)
    if (name) return name[0].replace(/#([\da-fA-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    const reference = this.#take(/(\d+) 0 R(?![a-z])/)
    if (reference) return new PdfReference(Number(reference[1]))
    const number = this.#take(/[+-]?\d*\.?\d+(?:[eE][+-]?\d+)?/)
    if (number) return Number(number[0])
    const word = this.#take(/true|false|null/)
    assert.ok(word, `unreadable at ${this.at}: ${this.#source.slice(this.at, this.at + 40)}`)
    return word[0] === 'null' ? null : word[0] === 'true'
  }

  #dictionary(): PdfDictionary {
    const entries: [string, PdfValue][] = []
    while (!this.#take(/\s*>>/)) {
      const key = this.value()
      assert.ok(typeof key === 'string', `a key is a name: ${String(key)}`)
      entries.push([key.slice(1), this.value()])
    }
    return Object.fromEntries(entries)
  }

  #literal(): Buffer {
    let text = ''
    for (let depth = 1; ; ) {
      const character = this.#source[this.at++]
      assert.ok(character !== undefined, 'a text has an end')
      if (character === '\\') {
        const octal = this.#take(/[0-7]{1,3}/)
        const next = octal ? String.fromCharCode(Number.parseInt(octal[0], 8)) : this.#source[this.at++]!
        text += octal ? next : (escapes[next] ?? (next === '\n' ? '' : next))
        continue
      }
      if (character === '(') depth++
      if (character === ')' && --depth === 0) return Buffer.from(text, 'latin1')
      text += character
    }
  }
}

/** A text of the document, which begins with a mark where it is in UTF-16. */
export function textOf(value: PdfValue | undefined): string | undefined {
  if (!Buffer.isBuffer(value)) return undefined
  return value[0] === 0xfe && value[1] === 0xff
    ? Buffer.from(value.subarray(2)).swap16().toString('utf16le')
    : value.toString('latin1')
}
