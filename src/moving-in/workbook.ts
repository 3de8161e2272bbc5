// The first sheet of an Excel workbook, row by row. The package is unpacked and parsed as it is read, so that a sheet of any
// length takes the memory of its shared texts and of one row.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Unzip, UnzipInflate } from 'fflate'
import { FileRefused } from '../domain/moving-in/recognise.ts'
import type { FileLimits } from './limits.ts'
import type { FileRows, NumberedRow } from './rows.ts'
import { createSharedTexts } from './shared-texts.ts'
import { createSheetReader, type SheetContext } from './sheet-reader.ts'
import { isDateFormat } from './sheet-values.ts'
import { createXmlReader, type XmlReader } from './xml-reader.ts'

export async function openWorkbook(path: string, limits: FileLimits): Promise<FileRows> {
  const context = await readContext(path, limits)
  return {
    encoding: null,
    delimiter: null,
    async *rows() {
      const waiting: NumberedRow[] = []
      const reader = createSheetReader(context, limits, (row) => waiting.push(row))
      for await (const _ of unpack(path, limits, (name) => (name === context.sheet ? reader : undefined)))
        yield* waiting.splice(0)
      yield* waiting
    },
  }
}

/** Where the sheet is, the texts that its cells share, and which of its formats are those of days. */
async function readContext(path: string, limits: FileLimits): Promise<SheetContext & { readonly sheet: string }> {
  const texts = createSharedTexts()
  const targets = new Map<string, string>()
  const customFormats = new Map<number, boolean>()
  const dateStyles: boolean[] = []
  let firstSheet: string | undefined
  let startsIn1904 = false
  let isCellFormats = false
  let text: string | undefined
  let isPhonetic = false

  const handlers: Readonly<Record<string, Parameters<typeof createXmlReader>[0]>> = {
    'xl/workbook.xml': {
      onOpen(name, attributes) {
        if (name === 'workbookPr') startsIn1904 = /^(1|true)$/.test(attributes().date1904 ?? '')
        if (name === 'sheet') firstSheet ??= Object.entries(attributes()).find(([key]) => /(^|:)id$/.test(key))?.[1]
      },
    },
    'xl/_rels/workbook.xml.rels': {
      onOpen(name, attributes) {
        if (name === 'Relationship') targets.set(attributes().Id!, attributes().Target!)
      },
    },
    'xl/styles.xml': {
      onOpen(name, attributes) {
        if (name === 'numFmt')
          customFormats.set(Number(attributes().numFmtId), isDateFormat(attributes().formatCode ?? ''))
        if (name === 'cellXfs') isCellFormats = true
        if (name !== 'xf' || !isCellFormats) return
        const id = Number(attributes().numFmtId ?? 0)
        dateStyles.push(customFormats.get(id) ?? isBuiltInDate(id))
      },
      onClose(name) {
        if (name === 'cellXfs') isCellFormats = false
      },
    },
    'xl/sharedStrings.xml': {
      onOpen(name) {
        if (name === 'si') text = ''
        if (name === 'rPh') isPhonetic = true
      },
      onText(value) {
        if (text !== undefined && !isPhonetic) text += value
      },
      onClose(name) {
        if (name === 'rPh') isPhonetic = false
        if (name !== 'si') return
        texts.add(text ?? '')
        if (texts.count > limits.maxTexts)
          throw new FileRefused(`The workbook holds more than ${limits.maxTexts} texts; save the sheet as CSV`)
      },
    },
  }
  const readerFor = (name: string) =>
    Object.hasOwn(handlers, name) ? createXmlReader(handlers[name]!, limits) : undefined
  for await (const _ of unpack(path, limits, readerFor));
  const target = firstSheet === undefined ? undefined : targets.get(firstSheet)
  if (target === undefined)
    throw new FileRefused('It is a zip file, but no Excel workbook; unpack it, or save it as CSV')
  return { sheet: target.startsWith('/') ? target.slice(1) : `xl/${target}`, texts, dateStyles, startsIn1904 }
}

const isBuiltInDate = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

/** Little enough that what it unpacks to, a thousand times as much, is no burden either. */
const pieceBytes = 4_096

/** Feeds the parts of the package that somebody wants to their readers, piece by piece; yields after each piece. */
async function* unpack(
  path: string,
  { maxUnpackedBytes, maxRatio, minSuspectBytes }: FileLimits,
  readerFor: (name: string) => XmlReader | undefined,
): AsyncGenerator<void> {
  const maxBytes = Math.min(maxUnpackedBytes, Math.max(minSuspectBytes, (await stat(path)).size * maxRatio))
  let bytes = 0
  let failure: Error | undefined
  const unzip = new Unzip((file) => {
    const reader = readerFor(file.name)
    if (!reader) return
    const decoder = new TextDecoder('utf-8')
    file.ondata = (error, data, isLast) => {
      if (error) failure ??= error
      if (failure) return
      bytes += data.length
      if (bytes > maxBytes)
        throw new FileRefused(
          `The workbook unpacks to more than ${Math.floor(maxBytes / 1e6)} MB; save the sheet as CSV`,
        )
      reader.write(decoder.decode(data, { stream: !isLast }))
      if (isLast) reader.end()
    }
    file.start()
  })
  unzip.register(UnzipInflate)
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: pieceBytes })) {
      unzip.push(chunk as Buffer)
      if (failure) throw failure
      yield
    }
    unzip.push(new Uint8Array(0), true)
    if (failure) throw failure
    yield
  } catch (error) {
    if (error instanceof FileRefused) throw error
    throw new FileRefused(
      `The workbook is damaged (${(error as Error).message}); open it and save it again, or save it as CSV`,
    )
  }
}
