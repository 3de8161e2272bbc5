// The cells of a sheet as they go by: each row is handed on when it is whole.
import type { FileLimits } from './limits.ts'
import type { NumberedRow } from './rows.ts'
import type { SharedTexts } from './shared-texts.ts'
import { columnOf, numberToText, serialToText } from './sheet-values.ts'
import { createXmlReader, type XmlReader } from './xml-reader.ts'

export interface SheetContext {
  readonly texts: SharedTexts
  /** Which styles of cells show days. */
  readonly dateStyles: readonly boolean[]
  readonly startsIn1904: boolean
}

/** A spreadsheet has no more. */
const lastColumn = 16_384

export function createSheetReader(
  { texts, dateStyles, startsIn1904 }: SheetContext,
  limits: FileLimits,
  onRow: (row: NumberedRow) => void,
): XmlReader {
  let row = 0
  let cells: string[] = []
  let place = 0
  let type = 'n'
  let style = 0
  /** Of the value or text that is being read. */
  let text: string | undefined
  let value = ''

  const toText = (): string => {
    if (type === 's') return texts.at(Number(value))
    if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
    if (type === 'e') return ''
    if (type !== 'n') return value
    return dateStyles[style] && value !== '' ? serialToText(Number(value), startsIn1904) : numberToText(value)
  }
  /** Rows ascend: a number that is none, or that was there before, is taken for the next one. */
  const numberOf = (given: string | undefined): number => {
    const number = Number(given)
    return Number.isInteger(number) && number > row && number <= limits.maxSheetRows ? number : row + 1
  }
  const onOpen = (name: string, attributes: () => Record<string, string>) => {
    if (name === 'row') {
      row = numberOf(attributes().r)
      cells = []
      place = -1
    } else if (name === 'c') {
      const { r, t, s } = attributes()
      place = r === undefined ? place + 1 : columnOf(r)
      type = t ?? 'n'
      style = Number(s ?? 0)
      value = ''
    } else if (name === 'v' || name === 't') text = ''
  }
  const onClose = (name: string) => {
    if (name === 'v' || name === 't') {
      value += text ?? ''
      text = undefined
    } else if (name === 'c' && place < lastColumn) {
      const shown = toText()
      // Cells that only have a colour take no place.
      if (shown === '') return
      while (cells.length < place) cells.push('')
      cells[place] = shown
    } else if (name === 'row') onRow([row, cells])
  }
  const onText = (piece: string) => {
    if (text !== undefined) text += piece
  }
  return createXmlReader({ onOpen, onText, onClose }, limits)
}
