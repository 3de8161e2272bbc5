// The typefaces of the PDF: which of them has a character, and how wide a text is set in it.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { create, type Font } from 'fontkit'

export type Weight = 'regular' | 'strong'

export interface FontFace {
  /** Unlike any other face's. */
  readonly name: string
  /** What pdfkit embeds. */
  readonly font: Font
  has(codePoint: number): boolean
  /** In ems. */
  width(text: string, rightToLeft: boolean): number
}

/** In the order in which they are searched for a character. */
export type FontSet = Readonly<Record<Weight, readonly FontFace[]>>

/** Stands where no face has the character: a reader sees that something is there. */
export const missingGlyph = '□'

const fontFiles: Readonly<Record<Weight, readonly string[]>> = {
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
const fontSets = new Map<string, Promise<FontSet>>()

/** `more` are font files of the operator, for scripts that these do not have. */
export function loadFonts(more: readonly string[] = []): Promise<FontSet> {
  const key = more.join('\n')
  const cached = fontSets.get(key)
  if (cached) return cached
  const loading = openFonts(more)
  fontSets.set(key, loading)
  loading.catch(() => fontSets.delete(key))
  return loading
}

async function openFonts(more: readonly string[]): Promise<FontSet> {
  const { resolve } = createRequire(import.meta.url)
  const read = (weight: Weight) =>
    Promise.all(
      [...fontFiles[weight].map((file) => resolve(file)), ...more].map(async (path) =>
        createFace(`${weight} ${path}`, create(await readFile(path)) as Font),
      ),
    )
  const [regular, strong] = await Promise.all([read('regular'), read('strong')])
  return { regular, strong }
}

/** Whether nothing in the text would be shown as missing. */
export function hasAllGlyphs(text: string, { regular }: FontSet): boolean {
  return [...text].every(
    (character) => regular.some((face) => face.has(character.codePointAt(0)!)) || /\p{Cf}/u.test(character),
  )
}

interface Glyph {
  readonly id: number
  readonly advanceWidth: number
  readonly codePoints: readonly number[]
}

interface ShapedText {
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
const plainText =
  /^[\u0020-\u02ff\u0370-\u03ff\u0400-\u0482\u048a-\u058f\u1e00-\u1fff\u2010-\u2027\u202f-\u2bff\uff00-\uffef]*$/
/** As pdfkit cuts a text before it is shaped. */
const wordPattern = /[^ \t]*[ \t]|[^ \t]+/g
/** Numbers without letters: their digits are all as wide as each other, so that sums stand in columns. */
const isNumeric = (text: string) => /\p{Nd}/u.test(text) && !/\p{L}/u.test(text)
const isDigit = (character: string) => /\p{Nd}/u.test(character)

/** Inter's contextual forms make an arrow of -> and a times sign of the x in a serial number. */
const noContextualForms = { calt: false }
const tabular = { calt: false, tnum: true }
type Features = typeof noContextualForms | typeof tabular

const maxCachedWords = 20_000
/** Longer texts are lines or mischief: they come again when they are drawn, and then seldom. */
export const maxWordLength = 40
const maxCachedLines = 300

function createFace(name: string, font: Font): FontFace {
  const cached = new Map<number, boolean>()
  const plainGlyphs = new Map<string, Glyph>()
  const kerning = new Map<string, number>()
  const wordShapes = new Map<string, ShapedText>()
  const lineShapes = new Map<string, ShapedText>()
  const widths = new Map<string, number>()

  const has = (codePoint: number) => {
    let found = cached.get(codePoint)
    if (found === undefined) {
      found = font.hasGlyphForCodePoint(codePoint)
      cached.set(codePoint, found)
    }
    return found
  }

  const glyphOf = (character: string, features: Features): Glyph => {
    const key = features === tabular ? `#${character}` : character
    let glyph = plainGlyphs.get(key)
    if (!glyph) {
      const [laidOut] = font.layout(character, features).glyphs
      // The font remembers the first character it showed with a glyph; copied text must give the one meant here.
      glyph = { id: laidOut!.id, advanceWidth: laidOut!.advanceWidth, codePoints: [character.codePointAt(0)!] }
      plainGlyphs.set(key, glyph)
    }
    return glyph
  }

  /** Shaping a word with all the font's rules takes 0.16 ms; letters and the kerning of pairs are the same, and kept. */
  const shapePlain = (text: string): ShapedText => {
    const isNumber = isNumeric(text)
    const characters = [...text]
    const glyphs = characters.map((character) =>
      glyphOf(character, isNumber && isDigit(character) ? tabular : noContextualForms),
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
      kern = font.layout(pair, noContextualForms).positions[0]!.xAdvance - glyphOf(left, noContextualForms).advanceWidth
      kerning.set(pair, kern)
    }
    return kern
  }

  const shape = (text: string, rightToLeft: boolean): ShapedText => {
    if (!rightToLeft && plainText.test(text)) return shapePlain(text)
    const key = `${rightToLeft ? '<' : '>'}${text}`
    const [shapes, atMost] = text.length > maxWordLength ? [lineShapes, maxCachedLines] : [wordShapes, maxCachedWords]
    const cached = shapes.get(key)
    if (cached) return cached
    const features = isNumeric(text) ? tabular : noContextualForms
    const result = font.layout(text, features, undefined, undefined, rightToLeft ? 'rtl' : 'ltr')
    if (shapes.size >= atMost) shapes.clear()
    shapes.set(key, result)
    return result
  }

  const wordWidth = (word: string): number => {
    if (word.length > maxWordLength) return sumOf(shape(word, false).positions)
    let width = widths.get(word)
    if (width === undefined) {
      if (widths.size >= maxCachedWords) widths.clear()
      width = sumOf(shape(word, false).positions)
      widths.set(word, width)
    }
    return width
  }

  const width = (text: string, rightToLeft: boolean): number => {
    if (rightToLeft) return sumOf(shape(text, true).positions) / font.unitsPerEm
    return (text.match(wordPattern) ?? []).reduce((sum, word) => sum + wordWidth(word), 0) / font.unitsPerEm
  }

  return {
    name,
    has,
    width,
    font: Object.create(font, {
      layout: {
        // pdfkit hands features through and knows no direction: any feature here means right to left.
        value: (text: string, features: unknown) => {
          const { glyphs, positions } = shape(text, features !== undefined)
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
