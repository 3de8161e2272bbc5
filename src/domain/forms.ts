// Forms: which jobs a rule asks for one, what is wrong with a template, and what may be done with a form when.
import type { FormGate } from './gates.ts'

/** Empty lists stand for any; a job must meet every list, and any entry of it. */
export interface Match {
  readonly serviceIds: readonly string[]
  readonly deviceTypes: readonly string[]
  readonly assetCategoryIds: readonly string[]
  readonly recurringScheduleIds: readonly string[]
}

/** What rules look at in a job. */
export interface JobFacts {
  /** Of its service lines. */
  readonly serviceIds: readonly string[]
  readonly deviceType: string | null
  readonly assetCategoryId: string | null
  readonly recurringScheduleId: string | null
}

export function isMatch(match: Match, job: JobFacts): boolean {
  return (
    meets(match.serviceIds, job.serviceIds) &&
    meets(match.deviceTypes.map(asTyped), job.deviceType === null ? [] : [asTyped(job.deviceType)]) &&
    meets(match.assetCategoryIds, [job.assetCategoryId]) &&
    meets(match.recurringScheduleIds, [job.recurringScheduleId])
  )
}

const meets = (wanted: readonly string[], has: readonly (string | null)[]) =>
  wanted.length === 0 || has.some((one) => one !== null && wanted.includes(one))

/** People type `boiler`, `Boiler ` and `BOILER` for the same thing. */
const asTyped = (deviceType: string) => deviceType.trim().replace(/\s+/g, ' ').toLowerCase()

/** A rule as it stands: one that is switched off, or whose template is not published, asks for nothing. */
export interface Rule {
  readonly id: string
  readonly name: string
  readonly match: Match
  readonly isAsking: boolean
}

/** A form that some rule asked for, and that was not voided. */
export interface AskedForm {
  readonly id: string
  readonly ruleId: string
  readonly status: FormStatus
}

/** Which rules must ask a job for their form now, and which forms nobody has touched are no longer asked for. */
export function formsDue(
  job: JobFacts,
  rules: readonly Rule[],
  forms: readonly AskedForm[],
): { asked: readonly Rule[]; dropped: readonly AskedForm[] } {
  const matching = new Set(rules.filter(({ match }) => isMatch(match, job)).map(({ id }) => id))
  const known = new Set(rules.map(({ id }) => id))
  return {
    asked: rules.filter(({ id, isAsking }) => isAsking && matching.has(id) && forms.every((one) => one.ruleId !== id)),
    dropped: forms.filter(({ ruleId, status }) => status === 'open' && known.has(ruleId) && !matching.has(ruleId)),
  }
}

/** The gates at which a new job would have forms to fill in. */
export const gatesFor = (
  job: JobFacts,
  rules: readonly { readonly gate: FormGate; readonly match: Match }[],
): FormGate[] => rules.filter(({ match }) => isMatch(match, job)).map(({ gate }) => gate)

export const formStatuses = ['open', 'inProgress', 'submitted', 'voided'] as const
export type FormStatus = (typeof formStatuses)[number]

export const formActs = ['start', 'answer', 'sign', 'submit', 'void', 'reopen'] as const
export type FormAct = (typeof formActs)[number]

/** Why something cannot be done with a form as it stands; undefined if it can. */
export function refusedAct(act: FormAct, status: FormStatus): string | undefined {
  const isUnfinished = status === 'open' || status === 'inProgress'
  if (act === 'reopen' ? status === 'submitted' : isUnfinished) return undefined
  const words = { open: 'not submitted yet', inProgress: 'not submitted yet', submitted: 'submitted', voided: 'voided' }
  return `The form is ${words[status]} and cannot be ${done[act]}`
}

const done: Readonly<Record<FormAct, string>> = {
  start: 'started',
  answer: 'answered',
  sign: 'signed',
  submit: 'submitted',
  void: 'voided',
  reopen: 'reopened',
}

export const fieldTypes = [
  'text',
  'number',
  'boolean',
  'choice',
  'multiChoice',
  'date',
  'photo',
  'signature',
  'section',
] as const
export type FieldType = (typeof fieldTypes)[number]

export const signatureRoles = ['technician', 'customer'] as const
export type SignatureRole = (typeof signatureRoles)[number]

export interface Field {
  readonly id: string
  readonly label: string
  readonly type: FieldType
  readonly required: boolean
  /** What can be chosen; empty where nothing is. */
  readonly options: readonly string[]
}

/** The first thing wrong with the fields of a template, with the place it is at: `fields[2].options is required`. */
export function wrongField(fields: readonly Field[]): string | undefined {
  for (const [index, { id, type, required, options }] of fields.entries()) {
    const here = `fields[${index}]`
    const isChoice = type === 'choice' || type === 'multiChoice'
    if (fields.findIndex((one) => one.id === id) !== index) return `${here}.id is used twice`
    if (isChoice && options.length === 0) return `${here}.options is required for ${type}`
    if (!isChoice && options.length > 0) return `${here}.options is only for choice and multiChoice`
    const twice = options.findIndex((option, place) => options.indexOf(option) !== place)
    if (twice >= 0) return `${here}.options[${twice}] is there twice`
    if (type === 'section' && required) return `${here}.required is not for a section, which has no answer`
  }
  return undefined
}
