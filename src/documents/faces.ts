// The typefaces of the PDF: which of them has a character, and how wide a text is set in it.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { create, type Font } from 'fontkit'

export type Weight = 'regular' | 'strong'

export interface Face {
  /** Unlike any other face's. */
  readonly name: string
  /** What pdfkit embeds. */
  readonly font: Font
  has(codePoint: number): boolean
  /** In ems. */
  width(text: string, rightToLeft: boolean): number
}

/** In the order in which they are asked for a character. */
export type Faces = Readonly<Record<Weight, readonly Face[]>>

/** Stands where no face has the character: a reader sees that something is there. */
export const missing = '□'

const files: Readonly<Record<Weight, readonly string[]>> = {
  regular: [
    '@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf',
    '@expo-google-fonts/ibm-plex-sans-arabic/400Regular/IBMPlexSansArabic_400Regular.ttf',
    '@expo-google-fonts/noto-sans-hebrew/400Regular/NotoSansHebrew_400Regular.ttf',
  ],
  strong: [
    '@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf',
    '@expo-google-fonts/ibm-plex-sans-arabic/600SemiBold/IBMPlexSansArabic_600SemiBold.ttf',
    '@expo-google-fonts/noto-sans-hebrew/600SemiBold/NotoSansHebrew_600SemiBold.ttf',
  ],
}

/** Read once: opening Inter takes longer than setting a page in it. */
const opened = new Map<string, Promise<Faces>>()

/** `more` are font files of the operator, for scripts that these do not have. */
export function faces(more: readonly string[] = []): Promise<Faces> {
  const key = more.join('\n')
  const known = opened.get(key)
  if (known) return known
  const opening = open(more)
  opened.set(key, opening)
  opening.catch(() => opened.delete(key))
  return opening
}

async function open(more: readonly string[]): Promise<Faces> {
  const { resolve } = createRequire(import.meta.url)
  const read = (weight: Weight) =>
    Promise.all(
      [...files[weight].map((file) => resolve(file)), ...more].map(async (path) =>
        faceOf(`${weight} ${path}`, create(await readFile(path)) as Font),
      ),
    )
  const [regular, strong] = await Promise.all([read('regular'), read('strong')])
  return { regular, strong }
}

/** Whether nothing in the text would be shown as missing. */
export function canPrint(text: string, { regular }: Faces): boolean {
  return [...text].every(
    (character) => regular.some((face) => face.has(character.codePointAt(0)!)) || /\p{Cf}/u.test(character),
  )
}

interface Glyph {
  readonly id: number
  readonly advanceWidth: number
  readonly codePoints: readonly number[]
}

interface Shaped {
  readonly glyphs: readonly Glyph[]
  readonly positions: readonly Position[]
}

interface Position {
  xAdvance: number
  yAdvance: number
  xOffset: number
  yOffset: number
}

/** Letters that stand side by side and nothing more: no marks, no joining, no reordering. */
const plain =
  /^[\u0020-\u02ff\u0370-\u03ff\u0400-\u0482\u048a-\u058f\u1e00-\u1fff\u2010-\u2027\u202f-\u2bff\uff00-\uffef]*$/
/** As pdfkit cuts a text before it is shaped. */
const words = /[^ \t]*[ \t]|[^ \t]+/g
/** Numbers without letters: their digits are all as wide as each other, so that sums stand in columns. */
const isFigure = (text: string) => /\p{Nd}/u.test(text) && !/\p{L}/u.test(text)
const isDigit = (character: string) => /\p{Nd}/u.test(character)

/** Inter's contextual forms make an arrow of -> and a times sign of the x in a serial number. */
const asWritten = { calt: false }
const tabular = { calt: false, tnum: true }
type Features = typeof asWritten | typeof tabular

const keptAtMost = 20_000
/** Longer texts are lines or mischief: they come again when they are drawn, and then seldom. */
export const longestWord = 40
const keptLines = 300

function faceOf(name: string, font: Font): Face {
  const known = new Map<number, boolean>()
  const plainGlyphs = new Map<string, Glyph>()
  const kerning = new Map<string, number>()
  const wordShapes = new Map<string, Shaped>()
  const lineShapes = new Map<string, Shaped>()
  const widths = new Map<string, number>()

  const has = (codePoint: number) => {
    let found = known.get(codePoint)
    if (found === undefined) {
      found = font.hasGlyphForCodePoint(codePoint)
      known.set(codePoint, found)
    }
    return found
  }

  const glyphOf = (character: string, features: Features): Glyph => {
    const key = features === tabular ? `#${character}` : character
    let glyph = plainGlyphs.get(key)
    if (!glyph) {
      const [shaped] = font.layout(character, features).glyphs
      // The font remembers the first character it showed with a glyph; copied text must give the one meant here.
      glyph = { id: shaped!.id, advanceWidth: shaped!.advanceWidth, codePoints: [character.codePointAt(0)!] }
      plainGlyphs.set(key, glyph)
    }
    return glyph
  }

  /** Shaping a word with all the font's rules takes 0.16 ms; letters and the kerning of pairs are the same, and kept. */
  const plainly = (text: string): Shaped => {
    const isNumber = isFigure(text)
    const characters = [...text]
    const glyphs = characters.map((character) =>
      glyphOf(character, isNumber && isDigit(character) ? tabular : asWritten),
    )
    const positions = glyphs.map(({ advanceWidth }, index) => {
      const next = characters[index + 1]
      const kern = next === undefined || isNumber ? 0 : kernOf(characters[index]!, next)
      return { xAdvance: advanceWidth + kern, yAdvance: 0, xOffset: 0, yOffset: 0 }
    })
    return { glyphs, positions }
  }

  const kernOf = (left: string, right: string): number => {
    const pair = left + right
    let kern = kerning.get(pair)
    if (kern === undefined) {
      kern = font.layout(pair, asWritten).positions[0]!.xAdvance - glyphOf(left, asWritten).advanceWidth
      kerning.set(pair, kern)
    }
    return kern
  }

  const shaped = (text: string, rightToLeft: boolean): Shaped => {
    if (!rightToLeft && plain.test(text)) return plainly(text)
    const key = `${rightToLeft ? '<' : '>'}${text}`
    const [shapes, atMost] = text.length > longestWord ? [lineShapes, keptLines] : [wordShapes, keptAtMost]
    const known = shapes.get(key)
    if (known) return known
    const features = isFigure(text) ? tabular : asWritten
    const shape = font.layout(text, features, undefined, undefined, rightToLeft ? 'rtl' : 'ltr')
    if (shapes.size >= atMost) shapes.clear()
    shapes.set(key, shape)
    return shape
  }

  const wordWidth = (word: string): number => {
    if (word.length > longestWord) return sumOf(shaped(word, false).positions)
    let width = widths.get(word)
    if (width === undefined) {
      if (widths.size >= keptAtMost) widths.clear()
      width = sumOf(shaped(word, false).positions)
      widths.set(word, width)
    }
    return width
  }

  const width = (text: string, rightToLeft: boolean): number => {
    if (rightToLeft) return sumOf(shaped(text, true).positions) / font.unitsPerEm
    return (text.match(words) ?? []).reduce((sum, word) => sum + wordWidth(word), 0) / font.unitsPerEm
  }

  return {
    name,
    has,
    width,
    font: Object.create(font, {
      layout: {
        // pdfkit hands features through and knows no direction: any feature here means right to left.
        value: (text: string, features: unknown) => {
          const { glyphs, positions } = shaped(text, features !== undefined)
          // pdfkit scales the positions where they are.
          const copies = positions.map(({ xAdvance, yAdvance, xOffset, yOffset }) => ({
            xAdvance,
            yAdvance,
            xOffset,
            yOffset,
          }))
          return { glyphs, positions: copies, advanceWidth: sumOf(copies) }
        },
      },
    }),
  }
}

const sumOf = (positions: readonly Position[]) => positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0)
