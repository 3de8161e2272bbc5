// A quote or an invoice as a PDF: letterhead, parties, lines, figures, payment and terms, on as many pages as it takes.
import { canPrint, type Faces, faces } from './faces.ts'
import { type Format, formatOf } from './format.ts'
import { letterhead, parties } from './letterhead.ts'
import { lineTable } from './line-table.ts'
import { colors, heightOf, type Paper, paperOf, type Style, tagged } from './paper.ts'
import { oneLine } from './printable.ts'
import type { Sheet } from './sheet.ts'
import { earlierName, type Figure, figuresOf, isPayable, kindName, paymentName, standingOf } from './standing.ts'
import { body, small, strong, titleStyle, totalStyle } from './styles.ts'

/** Five thousand characters of prose are half as many; what is longer is cut, and whole on the page. */
const mostPassageLines = 150

/** `logo` is the picture itself, PNG or JPEG; what cannot be read as one gives way to the name. */
export async function pdfOf(sheet: Sheet, logo?: Uint8Array, moreFonts?: readonly string[]): Promise<Uint8Array> {
  const type = await faces(moreFonts)
  const format = printableFormat(formatOf(sheet), type)
  const name = `${kindName(sheet)} ${oneLine(sheet.number)}`
  const from = oneLine(sheet.organisation.name)
  const paper = paperOf(format, type, {
    title: `${name}, ${from}`,
    author: from,
    // The same sheet gives the same bytes, whenever it is printed.
    at: new Date(sheet.issuedAt),
  })
  const done = collected(paper)
  const standing = standingOf(sheet, format)
  const watermark = standing.name === 'draft' || standing.name === 'void' ? standing.label : null
  const firstPage = () => {
    paper.doc.addPage()
    if (watermark) stamp(paper, watermark)
  }
  const nextPage = () => {
    firstPage()
    runningHead(paper, `${from}  ·  ${name}`)
  }

  firstPage()
  letterhead(paper, sheet, logo)
  parties(paper, sheet, standing, format)
  if (sheet.title) {
    const title = paper.set(oneLine(sheet.title, 200), titleStyle, paper.width)
    tagged(paper, paper.root, 'H2', () => paper.put(title, paper.left, paper.y, paper.width))
    paper.y += heightOf(title) + 12
  }
  const figures = setFigures(paper, figuresOf(sheet))
  lineTable(paper, sheet, format, figures.height, nextPage)
  if (figures.height > paper.bottom - paper.y) nextPage()
  figures.draw(nextPage)

  paymentList(paper, sheet, format, nextPage)
  if (isPayable(sheet)) passage(paper, 'How to pay', sheet.paymentInstructions, body, nextPage)
  passage(paper, 'Terms', sheet.terms, small, nextPage)
  pageFeet(paper, `${from}  ·  ${name}`)
  paper.doc.end()
  return done
}

/** A day that the fonts cannot write in the locale's way is written 2026-11-15, which is read everywhere. */
function printableFormat(format: Format, type: Faces): Format {
  const date = (iso: string) => {
    const local = format.date(iso)
    return canPrint(local, type) ? local : format.isoDay(iso)
  }
  return { ...format, date }
}

function collected({ doc }: Paper): Promise<Uint8Array> {
  const parts: Buffer[] = []
  return new Promise((resolve, reject) => {
    doc.on('data', (part: Buffer) => parts.push(part))
    doc.on('end', () => resolve(Buffer.concat(parts)))
    doc.on('error', reject)
  })
}

/** Measured before it is drawn, because it stays together where a page has room for it. */
function setFigures(paper: Paper, figures: readonly Figure[]): { height: number; draw(nextPage: () => void): void } {
  const styles = { plain: body, strong: totalStyle, aside: small }
  const amountWidth = Math.max(...figures.map(({ amount, weight }) => paper.widthOf(amount, styles[weight]))) + 1
  const width = Math.min(Math.max(250, amountWidth + 150), paper.width)
  const labelWidth = width - amountWidth - 16
  const rows = figures.map(({ label: text, amount, weight }) => ({
    weight,
    text: paper.set(oneLine(text, 200), styles[weight], labelWidth),
    amount: paper.set(amount, styles[weight], amountWidth),
  }))
  const gapAbove = (weight: Figure['weight']) => (weight === 'strong' ? 10 : 3)
  const height = rows.reduce((sum, row) => sum + heightOf(row.text) + gapAbove(row.weight), 8)
  const draw = (nextPage: () => void) => {
    const x = paper.right - width
    for (const row of rows) {
      if (heightOf(row.text) + gapAbove(row.weight) > paper.bottom - paper.y) nextPage()
      if (row.weight === 'strong') paper.rule(x, paper.y + 5, width, colors.ink, 0.9)
      paper.y += gapAbove(row.weight)
      tagged(paper, paper.root, 'P', () => {
        paper.put(row.text, x, paper.y, labelWidth)
        paper.put(row.amount, x + width - amountWidth, paper.y, amountWidth, 'end')
      })
      paper.y += heightOf(row.text)
    }
    paper.y += 8
  }
  return { height, draw }
}

function paymentList(paper: Paper, { payments, earlierPayments }: Sheet, format: Format, nextPage: () => void): void {
  if (payments.length === 0) return
  const day = 130
  const method = 200
  const amount = 110
  const rows: [string, number][][] = payments.map((payment) => [
    [format.date(payment.paidAt), day],
    [oneLine(paymentName(payment), 60), method],
    [format.money(payment.amount), amount],
  ])
  if (earlierPayments.count > 0)
    rows.unshift([
      [earlierName(earlierPayments, format), day + method],
      [format.money(earlierPayments.amount), amount],
    ])
  heading(paper, 'Payments', 2 * body.size * body.leading, nextPage)
  const table = tagged(paper, paper.root, 'Table')
  for (const cells of rows) {
    const set = cells.map(([text, room]) => ({ lines: paper.set(text, body, room - 8), room }))
    const height = Math.max(...set.map(({ lines }) => heightOf(lines)))
    if (height > paper.bottom - paper.y) nextPage()
    const row = tagged(paper, table, 'TR')
    let x = paper.left
    for (const [index, { lines, room }] of set.entries()) {
      const at = x
      const side = index === set.length - 1 ? 'end' : 'start'
      tagged(paper, row, 'TD', () => paper.put(lines, at, paper.y, room - 8, side))
      x += room
    }
    paper.y += height
  }
}

function heading(paper: Paper, text: string, needed: number, nextPage: () => void): void {
  const head = paper.set(text, { ...strong, size: 9.5 }, paper.width)
  paper.y += 18
  if (heightOf(head) + 3 + needed > paper.bottom - paper.y) nextPage()
  tagged(paper, paper.root, 'H2', () => paper.put(head, paper.left, paper.y, paper.width))
  paper.y += heightOf(head) + 3
}

/** A heading and its text, which may go on over pages; the heading never stands alone. */
function passage(paper: Paper, caption: string, text: string | null, style: Style, nextPage: () => void): void {
  if (!text) return
  const width = paper.width * 0.82
  const lines = paper.setAtMost(mostPassageLines, text, style, width)
  const lineHeight = style.size * style.leading
  // A short text is not worth cutting.
  heading(paper, caption, (lines.length <= 8 ? lines.length : 3) * lineHeight, nextPage)
  for (let left = lines; left.length > 0; ) {
    const count = Math.max(1, Math.floor((paper.bottom - paper.y) / lineHeight))
    const part = left.slice(0, count)
    tagged(paper, paper.root, 'P', () => paper.put(part, paper.left, paper.y, width))
    paper.y += heightOf(part)
    left = left.slice(count)
    if (left.length > 0) nextPage()
  }
}

function runningHead(paper: Paper, text: string): void {
  const [line] = paper.set(text, small, paper.width)
  paper.decorate(() => paper.put([line!], paper.left, paper.top - 14, paper.width))
  paper.y = paper.top + 18
}

function pageFeet(paper: Paper, text: string): void {
  const { start, count } = paper.doc.bufferedPageRange()
  for (let page = start; page < start + count; page++) {
    paper.doc.switchToPage(page)
    const y = paper.pageHeight - 40
    paper.rule(paper.left, y - 8, paper.width)
    const number = paper.set(`Page ${page + 1} of ${count}`, small, 120)
    const [line] = paper.set(text, small, paper.width - 140)
    paper.decorate(() => {
      paper.put([line!], paper.left, y, paper.width - 140)
      paper.put(number, paper.right - 120, y, 120, 'end')
    })
  }
}

/** Across the page and pale, below the text. */
function stamp(paper: Paper, text: string): void {
  const style: Style = { weight: 'strong', size: 120, color: '#eef1f4', leading: 1 }
  const width = paper.widthOf(text, style)
  const [x, y] = [paper.pageWidth / 2, paper.pageHeight / 2]
  paper.decorate(() => {
    paper.doc.save().rotate(-35, { origin: [x, y] })
    paper.put(paper.set(text, style, width + 1), x - width / 2, y - 60, width)
    paper.doc.restore()
  })
}
