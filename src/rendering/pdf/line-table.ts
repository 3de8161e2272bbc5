// The table of a document's lines on paper: measured columns, a head on every page, rows that break where it helps.
import { lineDetails } from '../document-rows.ts'
import type { Format } from '../format.ts'
import type { PrintDocument, PrintLine } from '../print-document.ts'
import { oneLine } from '../sanitize-text.ts'
import { addElement, colors, type Paper, type Side, type Style, type StyledLine, totalHeight } from './paper.ts'

interface Column {
  readonly head: string
  readonly side: Side
  readonly textOf: (line: PrintLine) => string
  readonly style: Style
}

interface PlacedColumn extends Column {
  readonly x: number
  readonly width: number
}

interface Row {
  readonly main: readonly StyledLine[]
  readonly cells: readonly (readonly StyledLine[])[]
  readonly height: number
}

const headStyle: Style = { weight: 'strong', size: 7.5, color: colors.muted, leading: 1.3 }
const nameStyle: Style = { weight: 'strong', size: 9.25, color: colors.ink, leading: 1.42 }
const textStyle: Style = { weight: 'regular', size: 8.5, color: colors.muted, leading: 1.45 }
const numberStyle: Style = { weight: 'regular', size: 9.25, color: colors.ink, leading: 1.42 }

const gap = 14
const padding = 6.5
/** A row is cut only if it would otherwise leave more of the page empty than this part. */
const acceptableGap = 0.25

/** More of a description than this fills a page by itself, and nobody reads it there. */
const maxDescriptionLines = 60
/** What comes after the lines is bounded by itself; with it, a document has at most a hundred pages. */
const maxPages = 70

/** Draws the lines; `tailHeight` is what must still fit below the last of them. */
export function drawLineTable(
  paper: Paper,
  document: PrintDocument,
  format: Format,
  tailHeight: number,
  nextPage: () => void,
): void {
  if (document.lines.length === 0) return
  const columns = placeColumns(paper, document, columnsOf(document, format))
  const mainWidth = columns[0]!.width
  const table = addElement(paper, paper.root, 'Table')
  const head = () => drawHead(paper, columns, table)
  const breakPage = () => {
    nextPage()
    head()
  }

  // A head never stands alone at the foot of a page.
  if (paper.bottom - paper.y < 100) nextPage()
  head()
  for (const [index, line] of document.lines.entries()) {
    if (paper.doc.bufferedPageRange().count >= maxPages) {
      drawRemainingCount(paper, document.lines.length - index, nextPage)
      break
    }
    const row = layoutRow(paper, line, columns, mainWidth, format)
    const isLast = index === document.lines.length - 1
    const room = paper.bottom - paper.y
    const needed = isLast && index > 0 ? row.height + tailHeight : row.height
    const pageRoom = paper.bottom - paper.top
    if (needed > room && row.height <= room && isLast && row.height + tailHeight < pageRoom / 2) breakPage()
    else if (row.height > room && (room < acceptableGap * pageRoom || room < 60)) breakPage()
    drawRow(paper, row, columns, table, breakPage)
  }
}

function columnsOf(document: PrintDocument, format: Format): Column[] {
  const columns: Column[] = [
    { head: 'Description', side: 'start', textOf: ({ name }) => name, style: nameStyle },
    { head: 'Quantity', side: 'end', textOf: ({ quantity }) => format.quantity(quantity), style: numberStyle },
    { head: 'Unit price', side: 'end', textOf: ({ unitPrice }) => format.price(unitPrice), style: numberStyle },
  ]
  if (document.lines.some(({ taxRate }) => taxRate))
    columns.push({
      head: 'Tax',
      side: 'end',
      textOf: ({ taxRate }) => (taxRate ? format.percent(taxRate.rate) : '–'),
      style: { ...numberStyle, color: colors.muted },
    })
  columns.push({ head: 'Amount', side: 'end', textOf: ({ lineTotal }) => format.money(lineTotal), style: numberStyle })
  return columns
}

/** Amounts get the room their widest needs, up to a limit; the description gets the rest. */
function placeColumns(paper: Paper, document: PrintDocument, columns: readonly Column[]): PlacedColumn[] {
  const numberColumns = columns.slice(1).map((column) => {
    const widest = Math.max(
      paper.widthOf(column.head, headStyle),
      ...document.lines.map((line) => paper.widthOf(column.textOf(line), column.style)),
    )
    return { ...column, width: Math.min(widest, 128) + gap }
  })
  const usedWidth = numberColumns.reduce((sum, { width }) => sum + width, 0)
  const main = { ...columns[0]!, x: paper.left, width: paper.width - usedWidth }
  let x = paper.left + main.width
  const numberCells = numberColumns.map((column) => {
    const placedColumn = { ...column, x: x + gap, width: column.width - gap }
    x += column.width
    return placedColumn
  })
  return [main, ...numberCells]
}

function drawHead(paper: Paper, columns: readonly PlacedColumn[], table: PDFKit.PDFStructureElement): void {
  const row = addElement(paper, table, 'TR')
  for (const { head, x, width, side } of columns)
    addElement(paper, row, 'TH', () => paper.drawText(paper.layout(head, headStyle, width), x, paper.y, width, side))
  paper.y += headStyle.size * headStyle.leading + 5
  paper.drawRule(paper.left, paper.y, paper.width, colors.ink, 0.9)
  paper.y += padding
}

function layoutRow(
  paper: Paper,
  line: PrintLine,
  columns: readonly PlacedColumn[],
  mainWidth: number,
  format: Format,
): Row {
  const main = [
    ...paper.layout(oneLine(line.name, 200), nameStyle, mainWidth),
    ...paper.layoutClamped(maxDescriptionLines, line.description, textStyle, mainWidth),
    ...paper.layoutInline(lineDetails(line, format), textStyle, mainWidth),
  ]
  const cells = columns.slice(1).map(({ textOf, style, width }) => paper.layout(textOf(line), style, width))
  return { main, cells, height: Math.max(totalHeight(main), ...cells.map(totalHeight)) + 2 * padding }
}

/** A row too long for what is left goes on after the next head, never leaving one line alone. */
function drawRow(
  paper: Paper,
  row: Row,
  columns: readonly PlacedColumn[],
  table: PDFKit.PDFStructureElement,
  breakPage: () => void,
): void {
  const element = addElement(paper, table, 'TR')
  let remaining = row.main
  let cells = row.cells
  while (true) {
    const part = linesThatFit(remaining, paper.bottom - paper.y - padding)
    const [main, ...others] = columns
    const height = Math.max(totalHeight(part), ...cells.map(totalHeight))
    addElement(paper, element, 'TD', () => paper.drawText(part, main!.x, paper.y, main!.width))
    for (const [index, column] of others.entries()) {
      const cell = cells[index]
      if (cell)
        addElement(paper, element, 'TD', () => paper.drawText(cell, column.x, paper.y, column.width, column.side))
    }
    paper.y += height + padding
    remaining = remaining.slice(part.length)
    cells = []
    if (remaining.length === 0) break
    breakPage()
  }
  paper.drawRule(paper.left, paper.y, paper.width)
  paper.y += padding
}

function drawRemainingCount(paper: Paper, count: number, nextPage: () => void): void {
  const lines = count === 1 ? 'One more line is' : `${count} more lines are`
  const text = paper.layout(`${lines} in the online document.`, nameStyle, paper.width)
  if (totalHeight(text) + padding > paper.bottom - paper.y) nextPage()
  addElement(paper, paper.root, 'P', () => paper.drawText(text, paper.left, paper.y, paper.width))
  paper.y += totalHeight(text) + padding
}

function linesThatFit(lines: readonly StyledLine[], room: number): readonly StyledLine[] {
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
