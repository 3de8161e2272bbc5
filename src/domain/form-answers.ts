// What people fill in: whether an answer fits its field, and what a form still lacks before it can be submitted.
import type { Field, FieldType, SignatureRole } from './forms.ts'

export interface Answer {
  readonly fieldId: string
  readonly label: string
  readonly type: FieldType
  readonly value: unknown
}
/** By the field's id; null takes an answer back. */
export type Given = Readonly<Record<string, unknown>>

const mostText = 10_000
const mostAddress = 2_000
const mostPhoto = 300_000
export const mostSignature = 400_000
/** Of all answers of a form, as they are stored. */
export const mostAnswered = 1_000_000

/** The first thing wrong with what was given, in the order of the fields; undefined if all of it fits. */
export function wrongAnswer(fields: readonly Field[], given: Given): string | undefined {
  const stranger = Object.keys(given).find((fieldId) => fields.every(({ id }) => id !== fieldId))
  if (stranger !== undefined) return `answers.${stranger.slice(0, 128)} is not a field of this form`
  for (const field of fields) {
    if (!Object.hasOwn(given, field.id) || isNothing(tidied(given[field.id]))) continue
    const problem = misfit(field, tidied(given[field.id]))
    if (problem) return `answers.${field.id} ${problem} (${field.label})`
  }
  return undefined
}

/** The answers once those given are added, in the order of the fields; what is empty is no answer. */
export function answersWith(fields: readonly Field[], before: readonly Answer[], given: Given): Answer[] {
  return fields.flatMap(({ id, label, type }) => {
    const value = Object.hasOwn(given, id) ? tidied(given[id]) : before.find((answer) => answer.fieldId === id)?.value
    return type === 'section' || isNothing(value) ? [] : [{ fieldId: id, label, type, value }]
  })
}

/** The first thing that is missing; undefined if the form is complete. */
export function lacking(
  fields: readonly Field[],
  answers: readonly Answer[],
  roles: readonly SignatureRole[],
  signed: readonly SignatureRole[],
): string | undefined {
  const unanswered = fields.find(({ id, required }) => required && answers.every(({ fieldId }) => fieldId !== id))
  if (unanswered) return `answers.${unanswered.id} is required (${unanswered.label})`
  const unsigned = roles.find((role) => !signed.includes(role))
  return unsigned && `signatures.${unsigned} is required: the ${unsigned} has not signed`
}

const tidied = (value: unknown) => (typeof value === 'string' ? value.trim() : value)

const isNothing = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

function misfit({ type, options }: Field, value: unknown): string | undefined {
  switch (type) {
    case 'text':
      return unfitText(value, mostText)
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? undefined : 'must be a number'
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'choice':
      return options.includes(value as string) ? undefined : `must be one of ${options.join(', ')}`
    case 'multiChoice':
      return Array.isArray(value) && value.every((one, place) => options.includes(one) && value.indexOf(one) === place)
        ? undefined
        : `must be a list of some of ${options.join(', ')}`
    case 'date':
      return isDate(value) ? undefined : 'must be a date such as 2026-11-15'
    case 'photo':
      return isPhoto(value)
        ? undefined
        : `must be an https address, or a picture as a data URL of at most ${mostPhoto} characters`
    case 'signature':
      return unfitText(value, mostSignature)
    case 'section':
      return 'is a section, which has no answer'
  }
}

/** NUL, which PostgreSQL cannot store, and the other controls that have no place in text: all but tab and newline. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose
const unfit = /[\u0000-\u0008\u000b-\u001f\u007f]/

/** What is wrong with a text; undefined if nothing is. */
export function unfitText(value: unknown, most: number): string | undefined {
  if (typeof value !== 'string') return 'must be a string'
  if (unfit.test(value) || !value.isWellFormed()) return 'has characters that are not allowed'
  return value.length > most ? `must be at most ${most} characters` : undefined
}

function isDate(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false
  const day = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value)
}

const picture = /^data:image\/(png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$/

function isPhoto(value: unknown): boolean {
  if (typeof value !== 'string') return false
  if (value.startsWith('data:')) return value.length <= mostPhoto && picture.test(value)
  return value.length <= mostAddress && URL.parse(value)?.protocol === 'https:' && !/[\s\p{Cc}]/u.test(value)
}
