// What an agreement sells on each visit, as rows of its form. A price or a tax that is left open is that of the day.
import { parseTyped } from '../domain/typed-numbers.ts'
import { type Html, html } from '../http/html.ts'
import type { TemplateLine } from '../resources/recurring/template.ts'
import type { TaxRate } from './document-data.ts'
import { parseJson, parseLines } from './document-fields.ts'
import { taxWords } from './document-sums.ts'
import { icon } from './icons.ts'

export interface TemplateRow {
  /** Names it within the page. */
  readonly key: string
  /** The line as it was, as JSON. */
  readonly line: string
  readonly name: string
  readonly quantity: string
  /** Empty: the price of the day. */
  readonly unitPrice: string
  /** Empty: as usual; `none`: untaxed. */
  readonly taxRateId: string
}

/** In one order and without what is open, so that two of them are compared as text. Untaxed is null, and said. */
const sentLine = (line: TemplateLine): TemplateLine => {
  const { kind, serviceId, inventoryItemId, name, description, quantity, unitPrice, taxRateId, warrantyDays } = line
  const written = { kind, serviceId, inventoryItemId, name, description, quantity, unitPrice, warrantyDays }
  const given = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined && value !== null))
  return { ...given, ...(taxRateId !== undefined && { taxRateId }) }
}

export const linesText = (lines: readonly TemplateLine[]): string => JSON.stringify(lines.map(sentLine))

export const templateRow = (line: TemplateLine, key: string): TemplateRow => ({
  key,
  line: JSON.stringify(sentLine(line)),
  name: line.name ?? '',
  quantity: String(line.quantity ?? 1),
  unitPrice: line.unitPrice === undefined ? '' : String(line.unitPrice),
  taxRateId: line.taxRateId === undefined ? '' : (line.taxRateId ?? 'none'),
})

/** The rows of a form: as they were typed, or as the record has them. */
export function rowsOf(form: URLSearchParams): readonly TemplateRow[] {
  if (form.has('rows')) return typedTemplateRows(form)
  const lines = parseLines<TemplateLine>(form.get('lineItems') ?? '[]')
  return lines.map((line, index) => templateRow(line, String(index + 1)))
}

export function typedTemplateRows(form: URLSearchParams): readonly TemplateRow[] {
  const [lines, names, quantities, prices, rates] = ['line', 'lineName', 'quantity', 'unitPrice', 'taxRateId'].map(
    (name) => form.getAll(name),
  )
  return form.getAll('key').map((key, index) => ({
    key,
    line: lines![index] ?? '{}',
    name: names![index] ?? '',
    quantity: quantities![index] ?? '',
    unitPrice: prices![index] ?? '',
    taxRateId: rates![index] ?? '',
  }))
}

/** Whatever is in a row is judged by the operation. */
export const templateLinesText = (rows: readonly TemplateRow[]): string =>
  JSON.stringify(
    rows.map(({ line, name, quantity, unitPrice, taxRateId }) => {
      const { unitPrice: _price, taxRateId: _rate, ...kept } = parseJson(line) as TemplateLine
      return sentLine({
        ...kept,
        name: name.trim(),
        quantity: parseTyped(quantity) as number,
        ...(unitPrice.trim() !== '' && { unitPrice: parseTyped(unitPrice) as number }),
        ...(taxRateId !== '' && { taxRateId: taxRateId === 'none' ? null : taxRateId }),
      })
    }),
  )

function taxOptions(rates: readonly TaxRate[], chosen: string): Html {
  const isKnown = chosen === '' || chosen === 'none' || rates.some(({ id }) => id === chosen)
  const option = (value: string, words: string) =>
    html`<option value="${value}"${value === chosen && html` selected`}>${words}</option>`
  return html`${option('', 'As usual')}${option('none', 'No tax')}${rates.map(({ id, name, rate }) => option(id, taxWords(name, rate, false)))}${!isKnown && option(chosen, 'As it was')}`
}

export function templateRowView(row: TemplateRow, taxRates: readonly TaxRate[]): Html {
  const { key, line, name } = row
  const called = name.trim() || 'this line'
  return html`<tr id="r-${key}" data-row="${key}"><td><input type="hidden" name="key" value="${key}"><input type="hidden" name="line" value="${line}"><input name="lineName" value="${name}" maxlength="200" autocomplete="off" aria-label="What"></td><td class="r q"><input name="quantity" value="${row.quantity}" inputmode="decimal" autocomplete="off" aria-label="Quantity of ${called}"></td><td class="r p"><input name="unitPrice" value="${row.unitPrice}" inputmode="decimal" autocomplete="off" placeholder="of the day" aria-label="Price of ${called}"></td><td class="tax"><select name="taxRateId" aria-label="Tax on ${called}">${taxOptions(taxRates, row.taxRateId)}</select></td><td class="k"><button class="btn quiet icon" name="remove" value="${key}" aria-label="Remove ${called}">${icon('cross')}</button></td></tr>`
}
