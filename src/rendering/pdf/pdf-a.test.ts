// A PDF that carries its e-invoice is PDF/A-3b: what ISO 19005-3 asks of what we draw, clause by clause, read off the file's own
// objects, and noticed where it is broken.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { create, type Font } from 'fontkit'
import { XmlDocument } from 'libxml2-wasm'
import { isDictionary, type Pdf, type PdfDictionary, PdfStream, readPdf, textOf } from '../../../test/pdf-objects.ts'
import { hostileTexts, printDocument } from '../../../test/print-documents.ts'
import { renderPdf } from './pdf.ts'

interface Clause {
  readonly id: string
  readonly means: string
  holds(pdf: Pdf): boolean
  /** What is written into the file to break it: before the trailer as long as what it replaces, so that all stays in its place. */
  readonly broken: readonly [find: string, replace: string]
}

const catalogOf = (pdf: Pdf) => pdf.dictionary(pdf.trailer.Root)
const listOf = (pdf: Pdf, value: Parameters<Pdf['resolve']>[0]): readonly PdfDictionary[] => {
  const found = pdf.resolve(value)
  return Array.isArray(found) ? found.map((one) => pdf.dictionary(one)) : []
}
const ofType = (pdf: Pdf, type: string) => pdf.dictionaries().filter(({ Type }) => Type === type)
const fontsOf = (pdf: Pdf) => ofType(pdf, '/Font').filter(({ Subtype }) => Subtype === '/Type0')
const cidFontOf = (pdf: Pdf, font: PdfDictionary) => listOf(pdf, font.DescendantFonts)[0]!
const fileOf = (pdf: Pdf, font: PdfDictionary) => {
  const found = pdf.resolve(pdf.dictionary(cidFontOf(pdf, font).FontDescriptor).FontFile2)
  return found instanceof PdfStream ? found.bytes : undefined
}
const pageContents = (pdf: Pdf): string[] =>
  ofType(pdf, '/Page').map(({ Contents }) => {
    const found = pdf.resolve(Array.isArray(Contents) ? Contents[0] : Contents)
    return found instanceof PdfStream ? found.bytes.toString('latin1') : ''
  })

function metadataOf(pdf: Pdf): (name: string) => string | undefined {
  const stream = pdf.resolve(catalogOf(pdf).Metadata)
  const [packet = ''] =
    /<x:xmpmeta[\s\S]*<\/x:xmpmeta>/.exec(stream instanceof PdfStream ? stream.raw.toString() : '') ?? []
  return (name) => {
    const document = XmlDocument.fromString(packet || '<none/>')
    try {
      return document.get(`//*[local-name()='${name}']`)?.content.trim()
    } finally {
      document.dispose()
    }
  }
}
/** D:20261115103000Z as 2026-11-15T10:30:00Z. */
const momentOf = (text: string | undefined) =>
  text?.replace(/^D:(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')

/** What the file says of widths is what the font says, in thousandths of an em; the first glyph, of what is missing, is never shown. */
function hasRightWidths(pdf: Pdf, font: PdfDictionary): boolean {
  const file = fileOf(pdf, font)
  if (!file) return false
  const opened = create(file) as Font
  const [first, widths] = cidFontOf(pdf, font).W as [number, number[]]
  return (
    first === 0 &&
    widths.every(
      (width, glyph) =>
        glyph === 0 || Math.abs(width - (opened.getGlyph(glyph).advanceWidth * 1_000) / opened.unitsPerEm) <= 1,
    )
  )
}

const embeddedFile = (pdf: Pdf) => {
  const [specification] = listOf(pdf, catalogOf(pdf).AF)
  const stream = specification && pdf.resolve(pdf.dictionary(specification.EF).F)
  return { specification, stream: stream instanceof PdfStream ? stream : undefined }
}

const clauses: readonly Clause[] = [
  {
    id: '6.1.2',
    means: 'the header is one of PDF 1.7, and bytes below it say that it is no text',
    holds: ({ source }) => /^%PDF-1\.[0-7]\r?\n%[\x80-\xff]{4}/.test(source),
    broken: ['%PDF-1.7', '%PDF-2.0'],
  },
  {
    id: '6.1.3',
    means: 'the file has an identity',
    holds: ({ trailer }) =>
      Array.isArray(trailer.ID) &&
      trailer.ID.length === 2 &&
      trailer.ID.every((id) => Buffer.isBuffer(id) && id.length > 0),
    broken: ['/ID [', '/IX ['],
  },
  {
    id: '6.1.3',
    means: 'it is not encrypted',
    holds: ({ trailer }) => trailer.Encrypt === undefined,
    broken: ['trailer\n<<\n/Size', 'trailer\n<<\n/Encrypt 1 0 R\n/Size'],
  },
  {
    id: '6.1.7',
    means: 'streams stand in the file, packed by what all readers have',
    holds: (pdf) =>
      [...pdf.objects.values()].every(
        (value) =>
          !(value instanceof PdfStream) ||
          (value.dictionary.F === undefined &&
            [undefined, '/FlateDecode', '/DCTDecode'].includes(value.dictionary.Filter as string)),
      ),
    broken: ['/Filter /FlateDecode', '/Filter /LZWDecode  '],
  },
  {
    id: '6.2.3',
    means: 'colours are meant as sRGB, by a profile that is there',
    holds: (pdf) => {
      const [intent] = listOf(pdf, catalogOf(pdf).OutputIntents)
      const profile = pdf.resolve(intent?.DestOutputProfile)
      if (!(profile instanceof PdfStream) || intent!.S !== '/GTS_PDFA1') return false
      const { bytes } = profile
      const part = (from: number, to: number) => bytes.toString('latin1', from, to)
      return (
        profile.dictionary.N === 3 &&
        part(12, 16) === 'mntr' &&
        part(16, 20) === 'RGB ' &&
        part(36, 40) === 'acsp' &&
        bytes[8]! <= 4
      )
    },
    broken: ['/GTS_PDFA1', '/GTS_PDFX1'],
  },
  {
    id: '6.2.4.3',
    means: 'no colour is one of printing inks',
    holds: (pdf) =>
      !pdf.source.includes('/DeviceCMYK') &&
      pageContents(pdf).every((content) => !/(?:^|\s)[\d.]+\s+[kK]\s/.test(content)),
    broken: [' /DeviceRGB', '/DeviceCMYK'],
  },
  {
    id: '6.2.8',
    means: 'pictures are drawn as they are',
    holds: (pdf) =>
      pdf
        .dictionaries()
        .every(
          ({ Subtype, Interpolate, Alternates, OPI }) => Subtype !== '/Image' || (!Interpolate && !Alternates && !OPI),
        ),
    broken: ['/BitsPerComponent 8', '/Alternates [8]    '],
  },
  {
    id: '6.2.10',
    means: 'what shines through is mixed in a known colour space',
    holds: (pdf) =>
      pdf
        .dictionaries()
        .every(({ SMask, ca, CA }) => (SMask ?? ca ?? CA) === undefined || catalogOf(pdf).OutputIntents !== undefined),
    broken: ['/OutputIntents', '/OutputIntentz'],
  },
  {
    id: '6.2.11.3',
    means: 'numbers of glyphs are those of the font',
    holds: (pdf) =>
      fontsOf(pdf).every((font) => font.Encoding === '/Identity-H' && cidFontOf(pdf, font).CIDToGIDMap === '/Identity'),
    broken: ['/CIDToGIDMap', '/CIDToGIDMax'],
  },
  {
    id: '6.2.11.4',
    means: 'all fonts are in the file',
    holds: (pdf) =>
      ofType(pdf, '/Font').every((font) => /^\/(Type0|CIDFontType2)$/.test(String(font.Subtype))) &&
      fontsOf(pdf).every((font) => fileOf(pdf, font) !== undefined),
    broken: ['/FontFile2', '/FontFile9'],
  },
  {
    id: '6.2.11.5',
    means: 'glyphs are as wide as their font says',
    holds: (pdf) => fontsOf(pdf).every((font) => hasRightWidths(pdf, font)),
    broken: ['/W [0 [', '/W [1 ['],
  },
  {
    id: '6.2.11.7',
    means: 'every font says which characters its glyphs are',
    holds: (pdf) => fontsOf(pdf).every((font) => pdf.resolve(font.ToUnicode) instanceof PdfStream),
    broken: ['/ToUnicode', '/ToUnicodf'],
  },
  {
    id: '6.3 to 6.5',
    means: 'nothing is to be clicked, filled in or run',
    holds: (pdf) =>
      ['/JavaScript', '/Launch', '/OpenAction', '/AcroForm', '/AA', '/Annots'].every(
        (name) => !new RegExp(`${name}[^a-zA-Z]`).test(pdf.source),
      ),
    broken: ['/ViewerPreferences', '/AA               '],
  },
  {
    id: '6.6.2.1',
    means: 'its metadata can be read without unpacking',
    holds: (pdf) => {
      const stream = pdf.resolve(catalogOf(pdf).Metadata)
      return (
        stream instanceof PdfStream && stream.dictionary.Subtype === '/XML' && stream.dictionary.Filter === undefined
      )
    },
    broken: ['/Subtype /XML', '/Subtype /XMK'],
  },
  {
    id: '6.6.2.2',
    means: 'its metadata say that it is PDF/A-3b',
    holds: (pdf) => metadataOf(pdf)('part') === '3' && metadataOf(pdf)('conformance') === 'B',
    broken: ['<pdfaid:part>3', '<pdfaid:part>2'],
  },
  {
    id: '6.6.2.3',
    means: 'values that PDF/A does not know are described',
    holds: (pdf) => {
      const packet = pdf.source
      const used = new Set([...packet.matchAll(/<fx:(\w+)>/g)].map(([, name]) => name))
      const described = new Set([...packet.matchAll(/<pdfaProperty:name>(\w+)</g)].map(([, name]) => name))
      return used.size === 4 && used.difference(described).size === 0
    },
    broken: ['<pdfaProperty:name>Version', '<pdfaProperty:name>Varsion'],
  },
  {
    id: '6.6.3',
    means: 'what old readers are told of it is what its metadata say',
    holds: (pdf) => {
      const info = pdf.dictionary(pdf.trailer.Info)
      const metadata = metadataOf(pdf)
      const told = ['Title', 'Author', 'Creator', 'Producer'].map((key) => textOf(pdf.resolve(info[key])))
      const said = ['title', 'creator', 'CreatorTool', 'Producer'].map(metadata)
      const moments = ['CreationDate', 'ModDate'].map((key) => momentOf(textOf(pdf.resolve(info[key]))))
      return (
        told.every((text, index) => text !== undefined && text === said[index]) &&
        moments.every(
          (moment, index) => moment !== undefined && moment === metadata(['CreateDate', 'ModifyDate'][index]!),
        ) &&
        info.Subject === undefined &&
        info.Keywords === undefined
      )
    },
    broken: ['<xmp:CreatorTool>Jobwright', '<xmp:CreatorTool>Jobwrighd'],
  },
  {
    id: '6.8',
    means: 'the attached file says what it is and when it was made, and belongs to the document',
    holds: (pdf) => {
      const { specification, stream } = embeddedFile(pdf)
      if (!specification || !stream) return false
      const names = pdf.dictionary(pdf.dictionary(catalogOf(pdf).Names).EmbeddedFiles).Names
      const parameters = stream.dictionary.Params
      return (
        specification.AFRelationship === '/Alternative' &&
        stream.dictionary.Subtype === '/text/xml' &&
        isDictionary(parameters) &&
        textOf(parameters.ModDate) !== undefined &&
        parameters.Size === stream.bytes.length &&
        Array.isArray(names) &&
        names.length === 2
      )
    },
    broken: ['/AFRelationship', '/AFRelationshiq'],
  },
  {
    id: 'Factur-X',
    means: 'the attached file has the name that the metadata give it',
    holds: (pdf) => {
      const { specification } = embeddedFile(pdf)
      const name = metadataOf(pdf)('DocumentFileName')
      return name === 'factur-x.xml' && textOf(specification?.F) === name && textOf(specification?.UF) === name
    },
    broken: ['<fx:DocumentFileName>factur-x', '<fx:DocumentFileName>factur_x'],
  },
  {
    id: 'Factur-X',
    means: 'the metadata name the profile',
    holds: (pdf) => metadataOf(pdf)('ConformanceLevel') === 'EN 16931' && metadataOf(pdf)('DocumentType') === 'INVOICE',
    broken: ['<fx:ConformanceLevel>EN 16931', '<fx:ConformanceLevel>EN 16932'],
  },
]

/** Glyph 0 stands for what a font does not have. */
const showsNoMissingGlyph = (pdf: Pdf) =>
  pageContents(pdf).every((content) =>
    [...content.matchAll(/<([\da-f]+)>/gi)].every(([, hex]) => !/^(?:.{4})*0000/.test(hex!)),
  )

const halfClear = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const facturX = '<?xml version="1.0" encoding="UTF-8"?>\n<rsm:CrossIndustryInvoice/>\n'

describe('a PDF with its e-invoice', () => {
  let bytes: Buffer
  before(async () => {
    const document = printDocument({ kind: 'invoice', organisation: { name: 'Hafen & <Söhne>' } })
    bytes = Buffer.from(await renderPdf(document, { facturX, logo: halfClear }))
  })

  for (const { id, means, holds, broken } of clauses)
    test(`${id}: ${means}`, () => {
      assert.ok(holds(readPdf(bytes)))
      const [find, replace] = broken.map((text) => Buffer.from(text, 'latin1')) as [Buffer, Buffer]
      const at = bytes.indexOf(find)
      assert.ok(at >= 0, 'there is something to break')
      assert.ok(find.length === replace.length || at > bytes.lastIndexOf('endobj'))
      const wrong = readPdf(Buffer.concat([bytes.subarray(0, at), replace, bytes.subarray(at + find.length)]))
      assert.ok(!holdsOrFails(() => holds(wrong)), 'it is noticed')
    })
})

/** What leads to nothing does not hold. */
function holdsOrFails(holds: () => boolean): boolean {
  try {
    return holds()
  } catch {
    return false
  }
}

test('it stays one whatever stands on it', async () => {
  const texts = [...hostileTexts, 'شكرا لك 12', 'תודה', '店の修理', '👩‍🔧 \u200b\u200dZWJ', '\u0301\u0f40']
  for (const locale of ['en-GB', 'ar-EG']) {
    const lines = texts.map((name) => ({ name: name || 'x', description: name, quantity: 1, unitPrice: 1 }))
    const document = printDocument({ kind: 'invoice', lines: [...lines, ...lines], organisation: { locale } })
    const pdf = readPdf(await renderPdf(document, { facturX }))
    const failing = clauses.filter(({ holds }) => !holds(pdf)).map(({ id, means }) => `${id}: ${means}`)
    assert.deepEqual([failing, showsNoMissingGlyph(pdf)], [[], true], locale)
  }
})
