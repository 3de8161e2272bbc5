// What people fill in: whether an answer fits its field, and what a form still lacks before it can be submitted.
import type { FieldType, FormField, SignatureRole } from './forms.ts'
import { hasForbiddenCharacters } from './text.ts'

export interface FormAnswer {
  readonly fieldId: string
  readonly label: string
  readonly type: FieldType
  readonly value: unknown
}
/** By the field's id; null takes an answer back. */
export type AnswerInput = Readonly<Record<string, unknown>>

/** The pictures that a form has already. They are stored apart from its answers, which refer to them. */
export interface KnownPhotos {
  /** What stands in the answers for a photo that was given by its address, or again as the same picture. */
  referenceTo(value: string): string | undefined
  /** Whether it is the address of a photo at all, of whichever form. */
  isAddress(value: string): boolean
}
const noPhotos: KnownPhotos = { referenceTo: () => undefined, isAddress: () => false }

/** What answers hold in place of a picture. Nobody can write it: it is neither an address nor a data URL. */
export const photoReference = (photoId: string) => `photo:${photoId}`
/** The photo that an answer refers to; undefined if it holds something else. */
export const referredPhoto = ({ type, value }: Pick<FormAnswer, 'type' | 'value'>): string | undefined =>
  type === 'photo' && typeof value === 'string' ? /^photo:([\w-]{1,128})$/.exec(value)?.[1] : undefined

export const photoMediaTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const

const maxText = 10_000
const maxUrl = 2_000
const maxPhoto = 300_000
export const maxSignature = 400_000
/** Of all answers of a form, as they are stored. */
export const maxAnswerCharacters = 1_000_000

/** The first thing wrong with what was given, in the order of the fields; undefined if all of it fits. */
export function answersProblem(
  fields: readonly FormField[],
  input: AnswerInput,
  photos = noPhotos,
): string | undefined {
  const unknownId = Object.keys(input).find((fieldId) => fields.every(({ id }) => id !== fieldId))
  if (unknownId !== undefined) return `answers.${unknownId.slice(0, 128)} is not a field of this form`
  for (const field of fields) {
    if (!Object.hasOwn(input, field.id) || isEmpty(trimText(input[field.id]))) continue
    const problem = valueProblem(field, trimText(input[field.id]), photos)
    if (problem) return `answers.${field.id} ${problem} (${field.label})`
  }
  return undefined
}

/** The answers once those given are added, in the order of the fields; what is empty is no answer. */
export function mergeAnswers(
  fields: readonly FormField[],
  before: readonly FormAnswer[],
  input: AnswerInput,
  { referenceTo } = noPhotos,
): FormAnswer[] {
  const storedValue = (given: unknown, type: FieldType) =>
    type === 'photo' && typeof given === 'string' ? (referenceTo(given) ?? given) : given
  return fields.flatMap(({ id, label, type }) => {
    const value = Object.hasOwn(input, id)
      ? storedValue(trimText(input[id]), type)
      : before.find((answer) => answer.fieldId === id)?.value
    return type === 'section' || isEmpty(value) ? [] : [{ fieldId: id, label, type, value }]
  })
}

/** The first thing that is missing; undefined if the form is complete. */
export function missingRequirement(
  fields: readonly FormField[],
  answers: readonly FormAnswer[],
  roles: readonly SignatureRole[],
  signed: readonly SignatureRole[],
): string | undefined {
  const unanswered = fields.find(({ id, required }) => required && answers.every(({ fieldId }) => fieldId !== id))
  if (unanswered) return `answers.${unanswered.id} is required (${unanswered.label})`
  const unsigned = roles.find((role) => !signed.includes(role))
  return unsigned && `signatures.${unsigned} is required: the ${unsigned} has not signed`
}

const trimText = (value: unknown) => (typeof value === 'string' ? value.trim() : value)

const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

function valueProblem({ type, options }: FormField, value: unknown, photos: KnownPhotos): string | undefined {
  switch (type) {
    case 'text':
      return textProblem(value, maxText)
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? undefined : 'must be a number'
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'choice':
      return options.includes(value as string) ? undefined : `must be one of ${options.join(', ')}`
    case 'multiChoice':
      return Array.isArray(value) && value.every((one, index) => options.includes(one) && value.indexOf(one) === index)
        ? undefined
        : `must be a list of some of ${options.join(', ')}`
    case 'date':
      return isDate(value) ? undefined : 'must be a date such as 2026-11-15'
    case 'photo':
      return photoProblem(value, photos)
    case 'signature':
      return textProblem(value, maxSignature)
    case 'section':
      return 'is a section, which has no answer'
  }
}

/** What is wrong with a text; undefined if nothing is. */
export function textProblem(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return 'must be a string'
  if (hasForbiddenCharacters(value)) return 'has characters that are not allowed'
  return value.length > maxLength ? `must be at most ${maxLength} characters` : undefined
}

function isDate(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false
  const day = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value)
}

function photoProblem(value: unknown, { referenceTo, isAddress }: KnownPhotos): string | undefined {
  if (typeof value === 'string' && value.length <= maxPhoto) {
    if (referenceTo(value) !== undefined) return undefined
    if (isAddress(value)) return 'is the address of a photo that this form does not have'
    if (value.startsWith('data:') ? parsePicture(value) !== undefined : isWebAddress(value)) return undefined
  }
  return `must be an https address, or a picture as a data URL of at most ${maxPhoto} characters`
}

const isWebAddress = (value: string) =>
  value.length <= maxUrl && URL.parse(value)?.protocol === 'https:' && !/[\s\p{Cc}]/u.test(value)

const pictureDataUrl = /^data:([a-z/]+);base64,([A-Za-z0-9+/]+)={0,2}$/

/** A picture that was given as a data URL; undefined if it is none that is taken. */
export function parsePicture(value: string): { mediaType: string; base64: string } | undefined {
  const [, mediaType, base64] = pictureDataUrl.exec(value) ?? []
  const isTaken = (photoMediaTypes as readonly (string | undefined)[]).includes(mediaType)
  // A single digit at the end would be no byte.
  return isTaken && base64!.length % 4 !== 1 ? { mediaType: mediaType!, base64: base64! } : undefined
}

/** How long the data URL of a picture is: limits count a photo by it, wherever it is stored. */
export const dataUrlLength = (mediaType: string, byteCount: number) =>
  `data:${mediaType};base64,`.length + 4 * Math.ceil(byteCount / 3)
