// The table of a document's lines on paper: measured columns, a head on every page, rows that break where it helps.
import type { Format } from './format.ts'
import { colors, heightOf, type Paper, type SetLine, type Side, type Style, tagged } from './paper.ts'
import { oneLine } from './printable.ts'
import type { Sheet, SheetLine } from './sheet.ts'
import { detailsOf } from './standing.ts'

interface Column {
  readonly head: string
  readonly side: Side
  readonly textOf: (line: SheetLine) => string
  readonly style: Style
}

interface PlacedColumn extends Column {
  readonly x: number
  readonly width: number
}

interface Row {
  readonly main: readonly SetLine[]
  readonly figures: readonly (readonly SetLine[])[]
  readonly height: number
}

const headStyle: Style = { weight: 'strong', size: 7.5, color: colors.muted, leading: 1.3 }
const nameStyle: Style = { weight: 'strong', size: 9.25, color: colors.ink, leading: 1.42 }
const textStyle: Style = { weight: 'regular', size: 8.5, color: colors.muted, leading: 1.45 }
const figureStyle: Style = { weight: 'regular', size: 9.25, color: colors.ink, leading: 1.42 }

const gap = 14
const padding = 6.5
/** A row is cut only if it would otherwise leave more of the page empty than this part. */
const acceptableGap = 0.25

/** More of a description than this fills a page by itself, and nobody reads it there. */
const mostDescriptionLines = 60
/** What comes after the lines is bounded by itself; with it, a document has at most a hundred pages. */
const mostPages = 70

/** Draws the lines; `tailHeight` is what must still fit below the last of them. */
export function lineTable(paper: Paper, sheet: Sheet, format: Format, tailHeight: number, nextPage: () => void): void {
  if (sheet.lines.length === 0) return
  const columns = placed(paper, sheet, columnsOf(sheet, format))
  const mainWidth = columns[0]!.width
  const table = tagged(paper, paper.root, 'Table')
  const head = () => drawHead(paper, columns, table)
  const breakPage = () => {
    nextPage()
    head()
  }

  // A head never stands alone at the foot of a page.
  if (paper.bottom - paper.y < 100) nextPage()
  head()
  for (const [index, line] of sheet.lines.entries()) {
    if (paper.doc.bufferedPageRange().count >= mostPages) {
      drawRest(paper, sheet.lines.length - index, nextPage)
      break
    }
    const row = rowOf(paper, line, columns, mainWidth, format)
    const isLast = index === sheet.lines.length - 1
    const room = paper.bottom - paper.y
    const needed = isLast && index > 0 ? row.height + tailHeight : row.height
    const pageRoom = paper.bottom - paper.top
    if (needed > room && row.height <= room && isLast && row.height + tailHeight < pageRoom / 2) breakPage()
    else if (row.height > room && (room < acceptableGap * pageRoom || room < 60)) breakPage()
    drawRow(paper, row, columns, table, breakPage)
  }
}

function columnsOf(sheet: Sheet, format: Format): Column[] {
  const columns: Column[] = [
    { head: 'Description', side: 'start', textOf: ({ name }) => name, style: nameStyle },
    { head: 'Quantity', side: 'end', textOf: ({ quantity }) => format.quantity(quantity), style: figureStyle },
    { head: 'Unit price', side: 'end', textOf: ({ unitPrice }) => format.price(unitPrice), style: figureStyle },
  ]
  if (sheet.lines.some(({ taxRate }) => taxRate))
    columns.push({
      head: 'Tax',
      side: 'end',
      textOf: ({ taxRate }) => (taxRate ? format.percent(taxRate.rate) : '–'),
      style: { ...figureStyle, color: colors.muted },
    })
  columns.push({ head: 'Amount', side: 'end', textOf: ({ lineTotal }) => format.money(lineTotal), style: figureStyle })
  return columns
}

/** Figures get the room their widest needs, up to a limit; the description gets the rest. */
function placed(paper: Paper, sheet: Sheet, columns: readonly Column[]): PlacedColumn[] {
  const figures = columns.slice(1).map((column) => {
    const widest = Math.max(
      paper.widthOf(column.head, headStyle),
      ...sheet.lines.map((line) => paper.widthOf(column.textOf(line), column.style)),
    )
    return { ...column, width: Math.min(widest, 128) + gap }
  })
  const taken = figures.reduce((sum, { width }) => sum + width, 0)
  const main = { ...columns[0]!, x: paper.left, width: paper.width - taken }
  let x = paper.left + main.width
  const after = figures.map((column) => {
    const place = { ...column, x: x + gap, width: column.width - gap }
    x += column.width
    return place
  })
  return [main, ...after]
}

function drawHead(paper: Paper, columns: readonly PlacedColumn[], table: PDFKit.PDFStructureElement): void {
  const row = tagged(paper, table, 'TR')
  for (const { head, x, width, side } of columns)
    tagged(paper, row, 'TH', () => paper.put(paper.set(head, headStyle, width), x, paper.y, width, side))
  paper.y += headStyle.size * headStyle.leading + 5
  paper.rule(paper.left, paper.y, paper.width, colors.ink, 0.9)
  paper.y += padding
}

function rowOf(
  paper: Paper,
  line: SheetLine,
  columns: readonly PlacedColumn[],
  mainWidth: number,
  format: Format,
): Row {
  const main = [
    ...paper.set(oneLine(line.name, 200), nameStyle, mainWidth),
    ...paper.setAtMost(mostDescriptionLines, line.description, textStyle, mainWidth),
    ...paper.setInARow(detailsOf(line, format), textStyle, mainWidth),
  ]
  const figures = columns.slice(1).map(({ textOf, style, width }) => paper.set(textOf(line), style, width))
  return { main, figures, height: Math.max(heightOf(main), ...figures.map(heightOf)) + 2 * padding }
}

/** A row too long for what is left goes on after the next head, never leaving one line alone. */
function drawRow(
  paper: Paper,
  row: Row,
  columns: readonly PlacedColumn[],
  table: PDFKit.PDFStructureElement,
  breakPage: () => void,
): void {
  const element = tagged(paper, table, 'TR')
  let left = row.main
  let figures = row.figures
  while (true) {
    const part = fitting(left, paper.bottom - paper.y - padding)
    const [main, ...others] = columns
    const height = Math.max(heightOf(part), ...figures.map(heightOf))
    tagged(paper, element, 'TD', () => paper.put(part, main!.x, paper.y, main!.width))
    for (const [index, column] of others.entries()) {
      const figure = figures[index]
      if (figure) tagged(paper, element, 'TD', () => paper.put(figure, column.x, paper.y, column.width, column.side))
    }
    paper.y += height + padding
    left = left.slice(part.length)
    figures = []
    if (left.length === 0) break
    breakPage()
  }
  paper.rule(paper.left, paper.y, paper.width)
  paper.y += padding
}

function drawRest(paper: Paper, count: number, nextPage: () => void): void {
  const lines = count === 1 ? 'One more line is' : `${count} more lines are`
  const text = paper.set(`${lines} in the online document.`, nameStyle, paper.width)
  if (heightOf(text) + padding > paper.bottom - paper.y) nextPage()
  tagged(paper, paper.root, 'P', () => paper.put(text, paper.left, paper.y, paper.width))
  paper.y += heightOf(text) + padding
}

function fitting(lines: readonly SetLine[], room: number): readonly SetLine[] {
  let height = 0
  let count = 0
  for (const { style } of lines) {
    height += style.size * style.leading
    if (height > room) break
    count++
  }
  if (count >= lines.length) return lines
  return lines.slice(0, Math.max(lines.length - count === 1 ? count - 1 : count, 1))
}
