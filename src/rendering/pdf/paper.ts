// The paper a document is printed on: its pages, margins and colours, and putting set text and rules at a place.
import PDFDocument from 'pdfkit'
import type { Format } from '../format.ts'
import { collapseBlankLines } from '../sanitize-text.ts'
import { carryEInvoice, facturXOptions } from './factur-x.ts'
import type { FontSet, Weight } from './fonts.ts'
import { layoutText, type TextLine } from './text-layout.ts'

export interface Style {
  readonly weight: Weight
  readonly size: number
  readonly color: string
  /** The height of a line in sizes of the type. */
  readonly leading: number
}

export interface StyledLine {
  readonly line: TextLine
  readonly style: Style
}

export type Side = 'start' | 'end'

export const colors = {
  ink: '#18212c',
  muted: '#566373',
  rule: '#dce1e7',
  accent: '#0b5566',
  panel: '#eff5f6',
  good: '#146339',
  goodPanel: '#eaf5ee',
  bad: '#9c2226',
  badPanel: '#fbeeee',
}

const ascent = 0.36

export type Paper = ReturnType<typeof createPaper>

interface PdfProperties {
  readonly title: string
  readonly author: string
  readonly at: Date
  readonly facturX?: string | undefined
}

/** Places are counted from the side where reading starts, so that a right-to-left document is the mirror of another. */
export function createPaper(format: Format, faces: FontSet, { title, author, at, facturX }: PdfProperties) {
  const margin = { side: 50, top: 48, bottom: 64 }
  const doc = new PDFDocument({
    size: format.paperSize,
    margin: 0,
    autoFirstPage: false,
    bufferPages: true,
    pdfVersion: '1.7',
    tagged: true,
    displayTitle: true,
    ...(facturX !== undefined && facturXOptions),
    lang: format.locale,
    // None to begin with: nothing may be set in a font that is not embedded, and a font that pdfkit has under another name
    // already is opened and compared again for every line.
    font: null as unknown as string,
    info: { Title: title, Author: author, Creator: 'Jobwright', Producer: 'Jobwright', CreationDate: at, ModDate: at },
  })
  for (const face of [...faces.regular, ...faces.strong]) doc.registerFont(face.name, face.font as unknown as string)
  if (facturX !== undefined) carryEInvoice(doc, facturX, { title, author, at })
  const root = doc.struct('Document')
  doc.addStructure(root)
  const pageWidth = format.paperSize === 'A4' ? 595.28 : 612
  const pageHeight = format.paperSize === 'A4' ? 841.89 : 792
  const isMirrored = format.direction === 'rtl'
  const leftOf = (x: number, width: number) => (isMirrored ? pageWidth - x - width : x)

  const paper = {
    doc,
    root,
    left: margin.side,
    right: pageWidth - margin.side,
    width: pageWidth - 2 * margin.side,
    pageWidth,
    pageHeight,
    top: margin.top,
    bottom: pageHeight - margin.bottom,
    isMirrored,
    leftOf,
    /** Where the next thing goes. */
    y: margin.top,

    /** Text in lines no wider than `width` points. */
    layout(text: string | null, style: Style, width: number): StyledLine[] {
      return text ? layoutText(text, style.weight, faces, width / style.size).map((line) => ({ line, style })) : []
    },

    /** What people wrote at length: so many lines, and a sign if there were more. */
    layoutClamped(atMost: number, text: string | null, style: Style, width: number): StyledLine[] {
      if (!text) return []
      const lines = layoutText(collapseBlankLines(text), style.weight, faces, width / style.size, atMost + 1)
      return clampLines(
        lines.map((line) => ({ line, style })),
        atMost,
        paper,
      )
    },

    /** Short texts one after another, each unbroken where a line has room for it. */
    layoutInline(texts: readonly (string | null | undefined)[], style: Style, width: number): StyledLine[] {
      const rows: string[] = []
      for (const text of texts) {
        if (!text) continue
        const joined = `${rows.at(-1)}  ·  ${text}`
        if (rows.length > 0 && paper.widthOf(joined, style) <= width) rows[rows.length - 1] = joined
        else rows.push(text)
      }
      return rows.flatMap((row) => paper.layout(row, style, width))
    },

    widthOf(text: string, style: Style): number {
      return layoutText(text, style.weight, faces, Number.POSITIVE_INFINITY)[0]!.width * style.size
    },

    drawText(lines: readonly StyledLine[], x: number, y: number, width: number, side: Side = 'start'): number {
      const isLeft = (side === 'start') !== isMirrored
      let top = y
      for (const [index, { line, style }] of lines.entries()) {
        const slack = width - line.width * style.size
        let at = leftOf(x, width) + (isLeft ? 0 : slack)
        const height = style.size * style.leading
        const baseline = top + height / 2 + style.size * ascent
        for (const { face, text, rightToLeft, width: widthInEms } of line.runs) {
          doc.font(face.name).fontSize(style.size).fillColor(style.color)
          // Whoever reads the text aloud or copies it hears two lines as two words.
          const ending = !rightToLeft && index < lines.length - 1 ? ' ' : ''
          // See `faces.ts`: a feature stands for the direction.
          const direction = rightToLeft ? { features: ['rtlm' as const] } : {}
          doc.text(text + ending, at, baseline, { lineBreak: false, baseline: 'alphabetic', ...direction })
          at += widthInEms * style.size
        }
        top += height
      }
      return top
    },

    drawRule(x: number, y: number, width: number, color = colors.rule, thickness = 0.6): void {
      drawArtifact(() => {
        const from = leftOf(x, width)
        doc
          .moveTo(from, y)
          .lineTo(from + width, y)
          .lineWidth(thickness)
          .strokeColor(color)
          .stroke()
      })
    },

    drawPanel(x: number, y: number, width: number, height: number, color: string): void {
      drawArtifact(() => doc.roundedRect(leftOf(x, width), y, width, height, 6).fillColor(color).fill())
    },

    drawArtifact,
  }

  /** What a screen reader passes over. */
  function drawArtifact(draw: () => void): void {
    doc.markContent('Artifact', { type: 'Layout' })
    draw()
    doc.endMarkedContent()
  }

  return paper
}

/** Part of the structure that a screen reader walks: drawn now, read where it was added. */
export function addElement(
  { doc }: Paper,
  parent: PDFKit.PDFStructureElement,
  type: string,
  draw?: () => void,
): PDFKit.PDFStructureElement {
  const element = draw ? doc.struct(type, {}, draw) : doc.struct(type)
  parent.add(element)
  return element
}

/** Room between lines of one column. */
export const spacer = (height: number): StyledLine => ({
  line: { runs: [], width: 0 },
  style: { weight: 'regular', size: height, color: colors.ink, leading: 1 },
})

/** No more lines than `atMost`; the last one says if there were more. */
export function clampLines(lines: readonly StyledLine[], atMost: number, paper: Paper): StyledLine[] {
  if (lines.length <= atMost) return [...lines]
  const { style } = lines[atMost - 1]!
  return [...lines.slice(0, atMost - 1), ...paper.layout('…', style, style.size * 2)]
}

export const totalHeight = (lines: readonly StyledLine[]): number =>
  lines.reduce((sum, { style }) => sum + style.size * style.leading, 0)
