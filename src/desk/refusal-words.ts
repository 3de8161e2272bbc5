// What the service refuses, in the words of the page: fields by what people call them, not by their names in the API.
import type { Performed, Refusal } from './perform.ts'

/** What people call each field, as it stands in a sentence: `the quantity`. */
export type Labels = Readonly<Record<string, string>>

export interface Worded {
  /** The field it is about, where it is about one. */
  readonly field: string | undefined
  readonly words: string
}

/** `lineItems[1].quantity must be greater than 0` becomes “Repair work: the quantity must be more than 0”. */
export function inWords(message: string, labels: Labels, subject?: string): Worded {
  const [, path = '', rest = ''] = /^([A-Za-z][\w.[\]]*) (.+)$/s.exec(message) ?? []
  const field = path
    .split(/[.[\]]+/)
    .filter((part) => part !== '' && !/^\d+$/.test(part))
    .at(-1)
  if (field === undefined || !Object.hasOwn(labels, field)) return { field: undefined, words: message }
  const said = rest
    .replace('greater than', 'more than')
    .replace(/ or null\b/, '')
    .replaceAll(/\b[a-z]+[A-Z]\w*\b/g, (name) => (Object.hasOwn(labels, name) ? labels[name]! : name))
  const words = `${labels[field]} ${said}`
  return {
    field,
    words: subject === undefined ? `${words[0]!.toUpperCase()}${words.slice(1)}` : `${subject}: ${words}`,
  }
}

/** The same for what was performed. */
export function wordRefusal<T>(performed: Performed<T>, labels: Labels, subject?: string): Performed<T> {
  if (performed.isDone) return performed
  const { refusal } = performed
  return {
    isDone: false,
    refusal: { ...refusal, message: inWords(refusal.message, labels, subject).words } satisfies Refusal,
  }
}
