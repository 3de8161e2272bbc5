// The form that changes a quote or an invoice, as it stands in the record or as somebody typed it.

import type { DocumentPage } from './document-data.ts'
import {
  documentFields,
  documentLabels,
  linesText,
  offsetText,
  type Row,
  rowsOf,
  typedOffset,
  typedRows,
} from './document-fields.ts'
import type { Refusal } from './perform.ts'
import { inWords } from './refusal-words.ts'
import type { DeskRequest } from './router.ts'

/** What was refused: in a row, in a field, or altogether. */
export interface Wrong {
  readonly key?: string | undefined
  readonly field?: string | undefined
  readonly words: string
}

export interface Editor {
  readonly rows: readonly Row[]
  readonly version: string
  /** What stands in a field. */
  readonly value: (name: string) => string
  /** What stood there when the page was made. */
  readonly was: (name: string) => string
  readonly offset: (name: 'discount' | 'deposit') => { value: string; type: string; reason: string }
  readonly wrong?: Wrong | undefined
  /** Whether something stands here that is not saved. */
  readonly isUnsaved: boolean
}

export function editorOf(request: DeskRequest, { kind, record, version }: DocumentPage): Editor {
  const texts = new Map(documentFields(request, kind).map(({ name, textOf }) => [name, textOf(record)]))
  const value = (name: string) => texts.get(name) ?? ''
  return {
    rows: rowsOf(record),
    version: version ?? '',
    value,
    was: value,
    offset(name) {
      const { type = 'percent', value = '', reason = '' } = record[name] ?? {}
      return { type, value: String(value), reason: reason ?? '' }
    },
    isUnsaved: false,
  }
}

/** As it was sent, so that nothing that was typed is lost. */
export function typedEditor({ form }: DeskRequest, wrong?: Wrong, rows = typedRows(form)): Editor {
  return {
    rows,
    version: form.get('version') ?? '',
    value: (name) => form.get(name) ?? '',
    was: (name) => form.get(`was.${name}`) ?? '',
    offset: (name) => ({
      type: form.get(`${name}.type`) ?? 'percent',
      value: form.get(`${name}.value`) ?? '',
      reason: form.get(`${name}.reason`) ?? '',
    }),
    wrong,
    isUnsaved: true,
  }
}

/** What a saved form was made from, as a script puts it into the page. */
export const gatheredTexts = (form: URLSearchParams): Readonly<Record<string, string>> => ({
  lineItems: linesText(typedRows(form)),
  discount: typedOffset(form, 'discount'),
  deposit: typedOffset(form, 'deposit'),
})

const subjects: Readonly<Record<string, string>> = { discount: 'Discount', deposit: 'Deposit' }

/** `lineItems[1].quantity must be …` becomes the row, the field, and “Repair work: the quantity must be …”. */
function wrongIn(message: string, rows: readonly Row[]): Wrong {
  const [, index] = /^lineItems\[(\d+)\]/.exec(message) ?? []
  const row = index === undefined ? undefined : rows[Number(index)]
  const [, outer = ''] = /^(\w+)\./.exec(message) ?? []
  const subject = row ? row.name.trim() || `Line ${Number(index) + 1}` : subjects[outer]
  const { field, words } = inWords(message, documentLabels, subject)
  return { key: row?.key, field: row ? field : subjects[outer] ? outer : field, words }
}

export const refusalIn = (refusal: Refusal, rows: readonly Row[]): { refusal: Refusal; wrong: Wrong } => {
  const wrong = wrongIn(refusal.message, rows)
  const data = { ...((refusal.data ?? {}) as object), key: wrong.key, field: wrong.field }
  return { refusal: { ...refusal, message: wrong.words, data }, wrong }
}

export { offsetText }
