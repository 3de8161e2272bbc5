// The rows of one record, read by what their columns mean. What cannot be read and what was repaired is noted on the way.
import { type AmountStyle, readAmount, readPercent } from './amounts.ts'
import { expandExponent, readFlag, squeeze, tidyCell } from './cells.ts'
import { type AddressParts, joinAddress } from './contacts.ts'
import { type DateOrder, readDate, toInstant } from './dates.ts'
import type { Problem, Repair } from './draft.ts'
import { type Kind, meaningName, meaningOf } from './kinds.ts'

export interface Row {
  /** As a spreadsheet counts it. */
  readonly row: number
  readonly cells: readonly string[]
}

export interface ReadingFile {
  readonly kind: Kind
  readonly columns: readonly string[]
  readonly targets: readonly (string | null)[]
  /** Which columns of days have which order, by their place. */
  readonly dateOrders: Readonly<Record<number, DateOrder>>
  /** The places of columns with a comma before the decimals. */
  readonly decimalCommas: readonly number[]
  readonly timeZone: string
}

interface Found {
  readonly row: number
  readonly index: number
  readonly target: string
  readonly value: string
}

/** Of one record; whoever has more to mend begins with these. */
const maxNoted = 100
/** More than any record keeps: what comes behind it is cut anyway, and the names of columns make much of little. */
const longestNotes = 20_000

export type RecordReader = ReturnType<typeof createReader>

export function createReader(rows: readonly Row[], file: ReadingFile) {
  const { kind, columns, targets, dateOrders, decimalCommas, timeZone } = file
  const problems: Problem[] = []
  const repairs: Repair[] = []
  const note = (repair: Repair): void => void (repairs.length < maxNoted && repairs.push(repair))
  const found: Found[] = rows.flatMap(({ row, cells }) =>
    targets.flatMap((said, index) => {
      if (said === null) return []
      const { value, repair } = tidyCell(cells[index] ?? '')
      const target = said === 'due' ? dueOf(value) : said
      if (repair !== undefined) note({ row, column: columns[index]!, value: cells[index]!, reason: repair })
      if (value === '') return []
      if (meaningOf(kind, target)?.type !== 'id') return [{ row, index, target, value }]
      const whole = expandExponent(value)
      if (whole !== value)
        note({
          row,
          column: columns[index]!,
          value,
          reason: whole === undefined ? 'a spreadsheet has lost digits of it: left out' : 'the number was written out',
        })
      return whole === undefined ? [] : [{ row, index, target, value: whole }]
    }),
  )
  const firstRow = rows[0]?.row ?? 0
  const byTarget = Map.groupBy(found, ({ target }) => target)
  const all = (name: string) => byTarget.get(name) ?? []
  const first = (name: string) => byTarget.get(name)?.[0]
  /** By row and meaning: records of many rows and columns would otherwise be searched again for each of them. */
  const byRow = new Map<number, Map<string, Found>>(rows.map(({ row }) => [row, new Map()]))
  for (const one of found) {
    const its = byRow.get(one.row)!
    if (!its.has(one.target)) its.set(one.target, one)
  }
  const inRow = (row: number, name: string) => byRow.get(row)?.get(name)
  const columnOf = (name: string): string | null =>
    columns[targets.findIndex((target) => target !== null && meaningName(target) === name)] ?? null
  const styleOf = ({ index }: Found): AmountStyle => ({ hasDecimalComma: decimalCommas.includes(index) })
  const complain = (one: Found | undefined, reason: string, fix: string): undefined => {
    if (problems.length < maxNoted)
      problems.push({
        row: one?.row ?? firstRow,
        column: one ? columns[one.index]! : null,
        value: one?.value ?? null,
        reason,
        fix,
      })
    return undefined
  }
  const readNumber = (one: Found): number | undefined =>
    readAmount(one.value, styleOf(one)) ??
    complain(one, `"${one.value}" cannot be read as a number`, 'write it as 1234.50, or leave the cell empty')

  // Rates have four places at most.
  const readRate = (one: Found | undefined): number | undefined => {
    const rate = one && readPercent(one.value)
    return rate === undefined ? undefined : Math.round(rate * 10_000) / 10_000
  }

  return {
    problems,
    repairs,
    firstRow,
    rows,
    columnOf,
    /** Whether the file has such a column at all. */
    has: (name: string): boolean => targets.includes(name),
    text: (name: string): string | undefined => first(name)?.value,
    texts: (name: string): string[] => all(name).map(({ value }) => value),
    flag: (name: string): boolean | undefined => {
      const one = first(name)
      return one && readFlag(one.value)
    },
    /** Of columns that several may be, the sum. */
    amount(name: string): number | undefined {
      const values = all(name)
      if (values.length === 0) return undefined
      if (!meaningOf(kind, name)?.isMany) return readNumber(values[0]!)
      const numbers = values.map(readNumber)
      return numbers.includes(undefined) ? undefined : numbers.reduce((sum, one) => sum! + one!, 0)
    },
    /** In one row of several. */
    amountIn(row: number, name: string): number | undefined {
      const one = inRow(row, name)
      return one && readNumber(one)
    },
    /** Where it may be something else that stands there, such as the name of a discount. */
    likelyAmountIn(row: number, name: string): number | undefined {
      const one = inRow(row, name)
      return one && readAmount(one.value, styleOf(one))
    },
    textIn: (row: number, name: string): string | undefined => inRow(row, name)?.value,
    flagIn(row: number, name: string): boolean | undefined {
      const one = inRow(row, name)
      return one && readFlag(one.value)
    },
    percent: (name: string): number | undefined => readRate(first(name)),
    percentIn: (row: number, name: string): number | undefined => readRate(inRow(row, name)),
    /** Every cell that holds an amount. */
    amountCells: () =>
      found
        .filter(({ target }) => meaningOf(kind, target)?.type === 'amount')
        .map(({ row, index, value }) => ({ row, column: columns[index]!, value })),
    /** The days that the rows say, each once; what is no day is as good as another one. */
    days: (name: string): string[] => [
      ...new Set(all(name).map(({ value, index }) => readDate(value, dateOrders[index] ?? 'dmy')?.day ?? value)),
    ],
    date(name: string): { readonly instant: string; readonly isDay: boolean } | undefined {
      const one = first(name)
      if (!one) return undefined
      const read = readDate(one.value, dateOrders[one.index] ?? 'dmy')
      if (!read || read.day < '1970-01-02')
        return complain(
          one,
          `"${one.value}" cannot be read as a day`,
          'write it as 2026-04-03, or leave the cell empty',
        )
      return { instant: toInstant(read, timeZone), isDay: read.time === undefined }
    },
    /** Columns that go to the notes, with their names where those say more than that. */
    notes(): string[] {
      let characters = 0
      const lines: string[] = []
      for (const { index, value } of all('notes')) {
        const column = columns[index]!
        const line =
          /^(notes?|memo|comments?|remarks|invoicenotes|jobnotes|vcardnote|notizen|clientprivatenotes)$/.test(
            squeeze(column),
          )
            ? value
            : `${column}: ${value}`
        lines.push(line)
        characters += line.length
        if (characters > longestNotes) break
      }
      return lines
    },
    /** Every address there is, in the order of rows and groups. */
    addresses(): string[] {
      const groups = new Set(['', ...[...byTarget.keys()].flatMap((target) => /#\d+$/.exec(target)?.[0] ?? [])])
      return rows.flatMap(({ row }) =>
        [...groups].flatMap((group) => {
          const part = (name: string) => inRow(row, `${name}${group}`)?.value
          const parts: AddressParts = {
            whole: group === '' ? part('address') : undefined,
            street: part('street'),
            street2: part('street2'),
            city: part('city'),
            state: part('state'),
            postalCode: part('postalCode'),
            country: part('country'),
          }
          return joinAddress(parts) ?? []
        }),
      )
    },
    repair(name: string | null, value: string | null, reason: string): void {
      const one = name === null ? undefined : first(name)
      note({ row: one?.row ?? firstRow, column: one ? columns[one.index]! : null, value, reason })
    },
    repairRow: (row: number, reason: string): void => note({ row, column: null, value: null, reason }),
    problem: (name: string | null, reason: string, fix: string): undefined =>
      complain(name === null ? undefined : first(name), reason, fix),
  }
}

/** A column that is called Due holds days, or what is owed. */
const dueOf = (value: string) => (readAmount(value) === undefined ? 'dueAt' : 'balance')

/** A text that is too long is cut; the rest is kept apart, to stand in the notes. */
export function cut(reader: RecordReader, name: string, text: string | undefined, length: number, rest: string[]) {
  if (text === undefined || text.length <= length) return text
  const end = wholeCharacters(text, length)
  reader.repair(name, `${text.slice(0, 60)}…`, `it has more than ${length} characters: the rest stands in the notes`)
  rest.push(text.slice(end))
  return text.slice(0, end).trimEnd()
}

/** Not in the middle of a character that takes two places. */
const wholeCharacters = (text: string, length: number) =>
  /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length
export const truncate = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, wholeCharacters(text, length))
