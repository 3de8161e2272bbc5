// A quote or an invoice as a PDF: letterhead, parties, lines, totals, payment and terms, on as many pages as it takes.
import { displayStatus, isPayable, kindLabel } from '../display-status.ts'
import { earlierPaymentsLabel, paymentLabel, type TotalRow, totalRows } from '../document-rows.ts'
import { type Format, formatOf } from '../format.ts'
import type { PrintDocument } from '../print-document.ts'
import { oneLine } from '../sanitize-text.ts'
import { type FontSet, hasAllGlyphs, loadFonts } from './fonts.ts'
import { drawLetterhead, drawParties } from './letterhead.ts'
import { drawLineTable } from './line-table.ts'
import { addElement, colors, createPaper, type Paper, type Style, totalHeight } from './paper.ts'
import { bodyStyle, smallStyle, strongStyle, titleStyle, totalStyle } from './styles.ts'

/** Five thousand characters of prose are half as many; what is longer is cut, and whole on the page. */
const maxPassageLines = 150

interface PdfExtras {
  /** The picture itself, PNG or JPEG; what cannot be read as one gives way to the name. */
  readonly logo?: Uint8Array
  readonly moreFonts?: readonly string[]
  /** An e-invoice as XML, which makes it a Factur-X PDF. */
  readonly facturX?: string | undefined
}

export async function renderPdf(
  document: PrintDocument,
  { logo, moreFonts, facturX }: PdfExtras = {},
): Promise<Uint8Array> {
  const fonts = await loadFonts(moreFonts)
  const format = formatWithFonts(formatOf(document), fonts)
  const name = `${kindLabel(document)} ${oneLine(document.number)}`
  const organisationName = oneLine(document.organisation.name)
  const paper = createPaper(format, fonts, {
    title: `${name}, ${organisationName}`,
    author: organisationName,
    // The same print document gives the same bytes, whenever it is printed.
    at: new Date(document.issuedAt),
    facturX,
  })
  const finished = collectBytes(paper)
  const status = displayStatus(document, format)
  const watermark = status.name === 'draft' || status.name === 'void' ? status.label : null
  const firstPage = () => {
    paper.doc.addPage()
    if (watermark) drawWatermark(paper, watermark)
  }
  const nextPage = () => {
    firstPage()
    drawRunningHead(paper, `${organisationName}  ·  ${name}`)
  }

  firstPage()
  drawLetterhead(paper, document, logo)
  drawParties(paper, document, status, format)
  if (document.title) {
    const title = paper.layout(oneLine(document.title, 200), titleStyle, paper.width)
    addElement(paper, paper.root, 'H2', () => paper.drawText(title, paper.left, paper.y, paper.width))
    paper.y += totalHeight(title) + 12
  }
  const totals = layoutTotals(paper, totalRows(document))
  drawLineTable(paper, document, format, totals.height, nextPage)
  if (totals.height > paper.bottom - paper.y) nextPage()
  totals.draw(nextPage)

  drawPayments(paper, document, format, nextPage)
  if (isPayable(document)) drawPassage(paper, 'How to pay', document.paymentInstructions, bodyStyle, nextPage)
  drawPassage(paper, 'Terms', document.terms, smallStyle, nextPage)
  drawFooters(paper, `${organisationName}  ·  ${name}`)
  paper.doc.end()
  return finished
}

/** A day that the fonts cannot write in the locale's way is written 2026-11-15, which is read everywhere. */
function formatWithFonts(format: Format, fonts: FontSet): Format {
  const date = (iso: string) => {
    const local = format.date(iso)
    return hasAllGlyphs(local, fonts) ? local : format.isoDay(iso)
  }
  return { ...format, date }
}

function collectBytes({ doc }: Paper): Promise<Uint8Array> {
  const parts: Buffer[] = []
  return new Promise((resolve, reject) => {
    doc.on('data', (part: Buffer) => parts.push(part))
    doc.on('end', () => resolve(Buffer.concat(parts)))
    doc.on('error', reject)
  })
}

/** Measured before it is drawn, because it stays together where a page has room for it. */
function layoutTotals(
  paper: Paper,
  totalRows: readonly TotalRow[],
): { height: number; draw(nextPage: () => void): void } {
  const styles = { plain: bodyStyle, strong: totalStyle, aside: smallStyle }
  const amountWidth = Math.max(...totalRows.map(({ amount, weight }) => paper.widthOf(amount, styles[weight]))) + 1
  const width = Math.min(Math.max(250, amountWidth + 150), paper.width)
  const labelWidth = width - amountWidth - 16
  const laidOut = totalRows.map(({ label: text, amount, weight }) => ({
    weight,
    text: paper.layout(oneLine(text, 200), styles[weight], labelWidth),
    amount: paper.layout(amount, styles[weight], amountWidth),
  }))
  const gapAbove = (weight: TotalRow['weight']) => (weight === 'strong' ? 10 : 3)
  const height = laidOut.reduce((sum, row) => sum + totalHeight(row.text) + gapAbove(row.weight), 8)
  const draw = (nextPage: () => void) => {
    const x = paper.right - width
    for (const row of laidOut) {
      if (totalHeight(row.text) + gapAbove(row.weight) > paper.bottom - paper.y) nextPage()
      if (row.weight === 'strong') paper.drawRule(x, paper.y + 5, width, colors.ink, 0.9)
      paper.y += gapAbove(row.weight)
      addElement(paper, paper.root, 'P', () => {
        paper.drawText(row.text, x, paper.y, labelWidth)
        paper.drawText(row.amount, x + width - amountWidth, paper.y, amountWidth, 'end')
      })
      paper.y += totalHeight(row.text)
    }
    paper.y += 8
  }
  return { height, draw }
}

function drawPayments(
  paper: Paper,
  { payments, earlierPayments }: PrintDocument,
  format: Format,
  nextPage: () => void,
): void {
  if (payments.length === 0) return
  const dayWidth = 130
  const methodWidth = 200
  const amountWidth = 110
  const rows: [string, number][][] = payments.map((payment) => [
    [format.date(payment.paidAt), dayWidth],
    [oneLine(paymentLabel(payment), 60), methodWidth],
    [format.money(payment.amount), amountWidth],
  ])
  if (earlierPayments.count > 0)
    rows.unshift([
      [earlierPaymentsLabel(earlierPayments, format), dayWidth + methodWidth],
      [format.money(earlierPayments.amount), amountWidth],
    ])
  drawHeading(paper, 'Payments', 2 * bodyStyle.size * bodyStyle.leading, nextPage)
  const table = addElement(paper, paper.root, 'Table')
  for (const cells of rows) {
    const row = cells.map(([text, room]) => ({ lines: paper.layout(text, bodyStyle, room - 8), room }))
    const height = Math.max(...row.map(({ lines }) => totalHeight(lines)))
    if (height > paper.bottom - paper.y) nextPage()
    const rowElement = addElement(paper, table, 'TR')
    let x = paper.left
    for (const [index, { lines, room }] of row.entries()) {
      const at = x
      const side = index === row.length - 1 ? 'end' : 'start'
      addElement(paper, rowElement, 'TD', () => paper.drawText(lines, at, paper.y, room - 8, side))
      x += room
    }
    paper.y += height
  }
}

function drawHeading(paper: Paper, text: string, heightBelow: number, nextPage: () => void): void {
  const head = paper.layout(text, { ...strongStyle, size: 9.5 }, paper.width)
  paper.y += 18
  if (totalHeight(head) + 3 + heightBelow > paper.bottom - paper.y) nextPage()
  addElement(paper, paper.root, 'H2', () => paper.drawText(head, paper.left, paper.y, paper.width))
  paper.y += totalHeight(head) + 3
}

/** A heading and its text, which may go on over pages; the heading never stands alone. */
function drawPassage(paper: Paper, caption: string, text: string | null, style: Style, nextPage: () => void): void {
  if (!text) return
  const width = paper.width * 0.82
  const lines = paper.layoutClamped(maxPassageLines, text, style, width)
  const lineHeight = style.size * style.leading
  // A short text is not worth cutting.
  drawHeading(paper, caption, (lines.length <= 8 ? lines.length : 3) * lineHeight, nextPage)
  for (let remaining = lines; remaining.length > 0; ) {
    const count = Math.max(1, Math.floor((paper.bottom - paper.y) / lineHeight))
    const part = remaining.slice(0, count)
    addElement(paper, paper.root, 'P', () => paper.drawText(part, paper.left, paper.y, width))
    paper.y += totalHeight(part)
    remaining = remaining.slice(count)
    if (remaining.length > 0) nextPage()
  }
}

function drawRunningHead(paper: Paper, text: string): void {
  const [line] = paper.layout(text, smallStyle, paper.width)
  paper.drawArtifact(() => paper.drawText([line!], paper.left, paper.top - 14, paper.width))
  paper.y = paper.top + 18
}

function drawFooters(paper: Paper, text: string): void {
  const { start, count } = paper.doc.bufferedPageRange()
  for (let page = start; page < start + count; page++) {
    paper.doc.switchToPage(page)
    const y = paper.pageHeight - 40
    paper.drawRule(paper.left, y - 8, paper.width)
    const number = paper.layout(`Page ${page + 1} of ${count}`, smallStyle, 120)
    const [line] = paper.layout(text, smallStyle, paper.width - 140)
    paper.drawArtifact(() => {
      paper.drawText([line!], paper.left, y, paper.width - 140)
      paper.drawText(number, paper.right - 120, y, 120, 'end')
    })
  }
}

/** Across the page and pale, below the text. */
function drawWatermark(paper: Paper, text: string): void {
  const style: Style = { weight: 'strong', size: 120, color: '#eef1f4', leading: 1 }
  const width = paper.widthOf(text, style)
  const [x, y] = [paper.pageWidth / 2, paper.pageHeight / 2]
  paper.drawArtifact(() => {
    paper.doc.save().rotate(-35, { origin: [x, y] })
    paper.drawText(paper.layout(text, style, width + 1), x - width / 2, y - 60, width)
    paper.doc.restore()
  })
}
