// Changing a record that somebody else may have changed meanwhile: only what was really changed here is sent, what others
// changed besides stays, and where both changed the same, both are shown.
import type { Act, Performed } from './perform.ts'
import type { DeskRequest } from './router.ts'

/** A field of a form: how it stands in a record, and what is sent when it changes. */
export interface EditedField<Record> {
  readonly name: string
  readonly label: string
  /** As the form shows it. */
  readonly textOf: (record: Record) => string
  readonly bodyOf: (typed: string) => Readonly<{ [field: string]: unknown }>
}

export interface FieldConflict {
  readonly name: string
  readonly label: string
  readonly theirs: string
  readonly yours: string
}

export interface Conflict {
  readonly fields: readonly FieldConflict[]
  /** What was changed besides, and is nobody else's: it is not saved yet either. */
  readonly others: readonly { readonly name: string; readonly was: string; readonly yours: string }[]
  /** The version that is there now. */
  readonly version: string | undefined
}

export type Changed<T> =
  | Performed<T>
  | { readonly isDone: false; readonly refusal?: undefined; readonly conflict: Conflict }

interface Change<Record> extends Omit<Act, 'body' | 'version'> {
  /** The operation that reads the record. */
  readonly read: string
  readonly params: Readonly<{ [name: string]: string }>
  readonly fields: readonly EditedField<Record>[]
}

/** What it was when the form was made; `was.priority` beside `priority`. */
const wasName = (name: string): string => `was.${name}`

const maxAttempts = 5

/** Of the fields of the form those that were changed in it; undefined where none was. */
export async function changeRecord<Record extends object>(
  request: DeskRequest,
  { read, fields, ...act }: Change<Record>,
): Promise<Changed<Record> | undefined> {
  const { form } = request
  const seen = form.get('version') || undefined
  const edits = fields
    .filter(({ name }) => form.has(name))
    .map((field) => ({ field, typed: form.get(field.name)!.trim(), was: form.get(wasName(field.name))?.trim() }))
    .filter(({ typed, was }) => typed !== was)
  if (edits.length === 0) return undefined
  for (let attempt = 1; ; attempt++) {
    const { data, version } = await request.readRecord<Record>(read, act.params)
    const isSeen = seen !== undefined && seen === version
    const conflicts = isSeen
      ? []
      : edits.flatMap(({ field, typed, was }) => {
          const theirs = field.textOf(data).trim()
          const isUntouched = was === undefined ? seen === undefined : theirs === was
          if (isUntouched || theirs === typed) return []
          return [{ name: field.name, label: field.label, theirs, yours: typed }]
        })
    const conflict = { fields: conflicts, others: besides(edits, conflicts), version }
    if (conflicts.length > 0) return { isDone: false, conflict }
    const body = Object.assign({}, ...edits.map(({ field, typed }) => field.bodyOf(typed)))
    const performed = await request.perform<Record>({ ...act, body, version })
    // Somebody was quicker between reading and writing: what they did is looked at once more.
    const isOvertaken = !performed.isDone && performed.refusal.status === 412
    if (isOvertaken && attempt < maxAttempts) continue
    // The version stands for having seen the whole record: whoever wrote beside a change of somebody else has not.
    const hasSeenAll = isSeen || seen === undefined
    return performed.isDone && !hasSeenAll ? { ...performed, version: undefined } : performed
  }
}

const besides = (
  edits: readonly { field: { name: string }; typed: string; was: string | undefined }[],
  conflicts: readonly FieldConflict[],
): Conflict['others'] =>
  edits
    .filter(({ field }) => !conflicts.some(({ name }) => name === field.name))
    .map(({ field, typed, was = '' }) => ({ name: field.name, was, yours: typed }))

/** What a script is told of a conflict, which it shows without losing what was typed. */
export const conflictSentence = ({ fields: [first] }: Conflict): string =>
  `${first!.label} was changed by somebody else meanwhile${first!.theirs === '' ? '' : `, to “${shorten(first!.theirs)}”`}. Yours is not saved yet.`

const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 79)}…` : text)
