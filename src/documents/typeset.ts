// Text set in lines: the right face for every character, line breaks by Unicode's rules, right-to-left runs in place.
import bidiFactory from 'bidi-js'
import LineBreaker from 'linebreak'
import { type Face, type Faces, longestWord, missing, type Weight } from './faces.ts'
import { printable } from './printable.ts'

export interface Run {
  readonly face: Face
  readonly text: string
  readonly rightToLeft: boolean
  /** In ems, as everything here. */
  readonly width: number
}

export interface Line {
  /** From left to right on the paper. */
  readonly runs: readonly Run[]
  readonly width: number
}

// The package's types describe another build of it than the one Node loads.
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)()
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

const unseen = /[\u061c\u200b-\u200f]/
/** Most text is this, and needs neither the search for faces nor the bidirectional algorithm. */
const simple =
  /^[\u0020-\u02af\u0370-\u0377\u037a-\u037f\u0384-\u03ff\u0400-\u0482\u048a-\u04ff\u2010-\u2027\u2030-\u205e\u20a0-\u20bf]*$/
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}\u200f]/u

/** Of a text that is longer than `atMost` lines, at least so many, and no paragraph for nothing. */
export function lay(text: string, weight: Weight, faces: Faces, width: number, atMost = Infinity): Line[] {
  const lines: Line[] = []
  for (const paragraph of printable(text).split('\n')) {
    lines.push(...linesOf(paragraphOf(paragraph, faces[weight]), width))
    if (lines.length >= atMost) break
  }
  return lines
}

interface Paragraph {
  readonly text: string
  /** One for each UTF-16 unit of the text. */
  readonly faces: readonly Face[] | Face
  readonly levels: Uint8Array | null
}

function paragraphOf(source: string, faces: readonly Face[]): Paragraph {
  const first = faces[0]!
  if (simple.test(source) && [...source].every((character) => first.has(character.codePointAt(0)!)))
    return { text: source, faces: first, levels: null }
  let text = ''
  const chosen: Face[] = []
  for (const { segment } of graphemes.segment(source)) {
    const { shown, face } = shownBy(segment, faces, chosen.at(-1))
    text += shown
    for (let unit = 0; unit < shown.length; unit++) chosen.push(face)
  }
  const levels = rightToLeft.test(text) ? bidi.getEmbeddingLevels(text, 'auto').levels : null
  return { text, faces: chosen, levels }
}

/** The face before it comes first, so that a space or a full stop does not break a run; then the faces in their order. */
function shownBy(cluster: string, faces: readonly Face[], before: Face | undefined): { shown: string; face: Face } {
  const isNeutral = /^[\s\p{P}]$/u.test(cluster)
  for (const face of isNeutral && before ? [before, ...faces] : faces)
    if ([...cluster].every((character) => unseen.test(character) || face.has(character.codePointAt(0)!)))
      return { shown: cluster, face }
  const compatible = cluster.normalize('NFKC')
  if (compatible !== cluster) return shownBy(compatible, faces, before)
  const [base] = cluster
  const able = faces.find((face) => face.has(base!.codePointAt(0)!))
  return able ? { shown: base!, face: able } : { shown: missing, face: faces[0]! }
}

function linesOf(paragraph: Paragraph, width: number): Line[] {
  const lines: Line[] = []
  let start = 0
  let end = 0
  let used = 0
  const finish = (at: number) => {
    lines.push(lineOf(paragraph, start, at))
    start = end = at
    used = 0
  }
  for (const next of breaksOf(paragraph.text)) {
    if (end > start && used + measured(paragraph, end, seenEnd(paragraph, end, next), width) > width) finish(end)
    while (end === start) {
      const cut = cutOf(paragraph, start, next, width)
      if (cut === next) break
      finish(cut)
    }
    used += widthOf(paragraph, end, next)
    end = next
  }
  if (end > start || lines.length === 0) finish(end)
  return lines
}

function breaksOf(text: string): number[] {
  const breaker = new LineBreaker(text)
  const ends: number[] = []
  for (let next = breaker.nextBreak(); next; next = breaker.nextBreak()) ends.push(next.position)
  return ends
}

/** Spaces at the end of a line take no room. */
function seenEnd({ text }: Paragraph, start: number, end: number): number {
  let last = end
  while (last > start && text[last - 1] === ' ') last--
  return last
}

/** Where a word that is wider than the whole line is cut: after as many characters as fit, and at least one. */
function cutOf(paragraph: Paragraph, start: number, end: number, width: number): number {
  const seen = seenEnd(paragraph, start, end)
  if (seen - start <= longestWord && widthOf(paragraph, start, seen) <= width) return end
  let fitting = start
  let used = 0
  for (const { segment, index } of graphemes.segment(paragraph.text.slice(start, seen))) {
    used += widthOf(paragraph, start + index, start + index + segment.length)
    if (used > width && fitting > start) return fitting
    fitting = start + index + segment.length
  }
  return end
}

/** Exact for a word; of what is longer than any word, no more is measured than it takes to see that it is too wide. */
function measured(paragraph: Paragraph, start: number, end: number, limit: number): number {
  if (end - start <= longestWord) return widthOf(paragraph, start, end)
  let sum = 0
  for (const { segment, index } of graphemes.segment(paragraph.text.slice(start, end))) {
    sum += widthOf(paragraph, start + index, start + index + segment.length)
    if (sum > limit) break
  }
  return sum
}

function widthOf(paragraph: Paragraph, start: number, end: number): number {
  return runsOf(paragraph, start, end).reduce((sum, run) => sum + run.width, 0)
}

function lineOf(paragraph: Paragraph, start: number, end: number): Line {
  const runs = ordered(runsOf(paragraph, start, seenEnd(paragraph, start, end)))
  return { runs, width: runs.reduce((sum, run) => sum + run.width, 0) }
}

interface LeveledRun extends Run {
  readonly level: number
}

/** In the order of reading: cut where the face or the direction changes. */
function runsOf({ text, faces, levels }: Paragraph, start: number, end: number): LeveledRun[] {
  if (start >= end) return []
  if (!Array.isArray(faces)) return [runOf(faces as Face, text.slice(start, end), 0)]
  const runs: LeveledRun[] = []
  let from = start
  for (let index = start + 1; index <= end; index++) {
    const isSame = index < end && faces[index] === faces[from] && levels?.[index] === levels?.[from]
    if (isSame) continue
    runs.push(runOf(faces[from]!, text.slice(from, index), levels?.[from] ?? 0))
    from = index
  }
  return runs
}

function runOf(face: Face, text: string, level: number): LeveledRun {
  const isRightToLeft = level % 2 === 1
  const mirrored = isRightToLeft
    ? text.replace(/./gsu, (character) => bidi.getMirroredCharacter(character) ?? character)
    : text
  const shown = mirrored.replace(/[\u061c\u200b\u200e\u200f]/g, '')
  return { face, text: shown, rightToLeft: isRightToLeft, level, width: face.width(shown, isRightToLeft) }
}

/** Rule L2 of the bidirectional algorithm, on runs. */
function ordered(runs: readonly LeveledRun[]): LeveledRun[] {
  const placed = [...runs]
  const highest = Math.max(0, ...placed.map(({ level }) => level))
  for (let level = highest; level >= 1; level--)
    for (let from = 0; from < placed.length; from++) {
      if (placed[from]!.level < level) continue
      let to = from
      while (to + 1 < placed.length && placed[to + 1]!.level >= level) to++
      placed.splice(from, to - from + 1, ...placed.slice(from, to + 1).reverse())
      from = to
    }
  return placed
}
