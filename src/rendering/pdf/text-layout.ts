// Text set in lines: the right face for every character, line breaks by Unicode's rules, right-to-left runs in place.
import bidiFactory from 'bidi-js'
import LineBreaker from 'linebreak'
import { sanitizeText } from '../sanitize-text.ts'
import { type FontFace, type FontSet, maxWordLength, missingGlyph, type Weight } from './fonts.ts'

export interface Run {
  readonly face: FontFace
  readonly text: string
  readonly rightToLeft: boolean
  /** In ems, as everything here. */
  readonly width: number
}

export interface TextLine {
  /** From left to right on the paper. */
  readonly runs: readonly Run[]
  readonly width: number
}

// The package's types describe another build of it than the one Node loads.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)()
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

const invisible = /[\u061c\u200b-\u200f]/
/** Most text is this, and needs neither the search for faces nor the bidirectional algorithm. */
const simpleText =
  /^[\u0020-\u02af\u0370-\u0377\u037a-\u037f\u0384-\u03ff\u0400-\u0482\u048a-\u04ff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf]*$/
const rightToLeftText = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}\u200f]/u

/** Of a text that is longer than `atMost` lines, at least so many, and no paragraph for nothing. */
export function layoutText(text: string, weight: Weight, faces: FontSet, width: number, atMost = Infinity): TextLine[] {
  const lines: TextLine[] = []
  for (const paragraph of sanitizeText(text).split('\n')) {
    lines.push(...breakLines(parseParagraph(paragraph, faces[weight]), width))
    if (lines.length >= atMost) break
  }
  return lines
}

interface Paragraph {
  readonly text: string
  /** One for each UTF-16 unit of the text. */
  readonly faces: readonly FontFace[] | FontFace
  readonly levels: Uint8Array | null
}

function parseParagraph(source: string, faces: readonly FontFace[]): Paragraph {
  const first = faces[0]!
  if (simpleText.test(source) && [...source].every((character) => first.has(character.codePointAt(0)!)))
    return { text: source, faces: first, levels: null }
  let text = ''
  const chosen: FontFace[] = []
  for (const { segment } of graphemes.segment(source)) {
    const { text: visible, face } = chooseFace(segment, faces, chosen.at(-1))
    text += visible
    for (let unit = 0; unit < visible.length; unit++) chosen.push(face)
  }
  const levels = rightToLeftText.test(text) ? bidi.getEmbeddingLevels(text, 'auto').levels : null
  return { text, faces: chosen, levels }
}

/** The face before it comes first, so that a space or a full stop does not break a run; then the faces in their order. */
function chooseFace(
  cluster: string,
  faces: readonly FontFace[],
  before: FontFace | undefined,
): { text: string; face: FontFace } {
  const isNeutral = /^[\s\p{P}]$/u.test(cluster)
  for (const face of isNeutral && before ? [before, ...faces] : faces)
    if ([...cluster].every((character) => invisible.test(character) || face.has(character.codePointAt(0)!)))
      return { text: cluster, face }
  const compatible = cluster.normalize('NFKC')
  if (compatible !== cluster) return chooseFace(compatible, faces, before)
  const [base] = cluster
  const withBase = faces.find((face) => face.has(base!.codePointAt(0)!))
  return withBase ? { text: base!, face: withBase } : { text: missingGlyph, face: faces[0]! }
}

function breakLines(paragraph: Paragraph, width: number): TextLine[] {
  const lines: TextLine[] = []
  let start = 0
  let end = 0
  let used = 0
  const endLine = (at: number) => {
    lines.push(buildLine(paragraph, start, at))
    start = end = at
    used = 0
  }
  for (const next of breakOpportunities(paragraph.text)) {
    if (end > start && used + measureUpTo(paragraph, end, visibleEnd(paragraph, end, next), width) > width) endLine(end)
    while (end === start) {
      const cut = wordBreakAt(paragraph, start, next, width)
      if (cut === next) break
      endLine(cut)
    }
    used += widthOf(paragraph, end, next)
    end = next
  }
  if (end > start || lines.length === 0) endLine(end)
  return lines
}

function breakOpportunities(text: string): number[] {
  const breaker = new LineBreaker(text)
  const ends: number[] = []
  for (let next = breaker.nextBreak(); next; next = breaker.nextBreak()) ends.push(next.position)
  return ends
}

/** Spaces at the end of a line take no room. */
function visibleEnd({ text }: Paragraph, start: number, end: number): number {
  let last = end
  while (last > start && text[last - 1] === ' ') last--
  return last
}

/** Where a word that is wider than the whole line is cut: after as many characters as fit, and at least one. */
function wordBreakAt(paragraph: Paragraph, start: number, end: number, width: number): number {
  const visible = visibleEnd(paragraph, start, end)
  if (visible - start <= maxWordLength && widthOf(paragraph, start, visible) <= width) return end
  let fitting = start
  let used = 0
  for (const { segment, index } of graphemes.segment(paragraph.text.slice(start, visible))) {
    used += widthOf(paragraph, start + index, start + index + segment.length)
    if (used > width && fitting > start) return fitting
    fitting = start + index + segment.length
  }
  return end
}

/** Exact for a word; of what is longer than any word, no more is measured than it takes to see that it is too wide. */
function measureUpTo(paragraph: Paragraph, start: number, end: number, limit: number): number {
  if (end - start <= maxWordLength) return widthOf(paragraph, start, end)
  let sum = 0
  for (const { segment, index } of graphemes.segment(paragraph.text.slice(start, end))) {
    sum += widthOf(paragraph, start + index, start + index + segment.length)
    if (sum > limit) break
  }
  return sum
}

function widthOf(paragraph: Paragraph, start: number, end: number): number {
  return splitRuns(paragraph, start, end).reduce((sum, run) => sum + run.width, 0)
}

function buildLine(paragraph: Paragraph, start: number, end: number): TextLine {
  const runs = reorderRuns(splitRuns(paragraph, start, visibleEnd(paragraph, start, end)))
  return { runs, width: runs.reduce((sum, run) => sum + run.width, 0) }
}

interface LeveledRun extends Run {
  readonly level: number
}

/** In the order of reading: cut where the face or the direction changes. */
function splitRuns({ text, faces, levels }: Paragraph, start: number, end: number): LeveledRun[] {
  if (start >= end) return []
  if (!Array.isArray(faces)) return [buildRun(faces as FontFace, text.slice(start, end), 0)]
  const runs: LeveledRun[] = []
  let from = start
  for (let index = start + 1; index <= end; index++) {
    const isSame = index < end && faces[index] === faces[from] && levels?.[index] === levels?.[from]
    if (isSame) continue
    runs.push(buildRun(faces[from]!, text.slice(from, index), levels?.[from] ?? 0))
    from = index
  }
  return runs
}

function buildRun(face: FontFace, text: string, level: number): LeveledRun {
  const isRightToLeft = level % 2 === 1
  const mirrored = isRightToLeft
    ? text.replace(/./gsu, (character) => bidi.getMirroredCharacter(character) ?? character)
    : text
  // Marks have done their work by now, except those that join letters or keep them apart, in a face that knows them: in
  // another they would be printed as a box.
  const visible = mirrored.replace(/[\u061c\u200b-\u200f]/g, (mark) =>
    /[\u200c\u200d]/.test(mark) && face.has(mark.codePointAt(0)!) ? mark : '',
  )
  return { face, text: visible, rightToLeft: isRightToLeft, level, width: face.width(visible, isRightToLeft) }
}

/** Rule L2 of the bidirectional algorithm, on runs. */
function reorderRuns(runs: readonly LeveledRun[]): LeveledRun[] {
  const reordered = [...runs]
  const highest = Math.max(0, ...reordered.map(({ level }) => level))
  for (let level = highest; level >= 1; level--)
    for (let from = 0; from < reordered.length; from++) {
      if (reordered[from]!.level < level) continue
      let to = from
      while (to + 1 < reordered.length && reordered[to + 1]!.level >= level) to++
      reordered.splice(from, to - from + 1, ...reordered.slice(from, to + 1).reverse())
      from = to
    }
  return reordered
}
