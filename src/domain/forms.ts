// Forms: which jobs a rule asks for one, what is wrong with a template, and what may be done with a form when.
import type { FormGate } from './gates.ts'

/** Empty lists stand for any; a job must meet every list, and any entry of it. */
export interface RuleMatch {
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

export function matchesRule(match: RuleMatch, job: JobFacts): boolean {
  return (
    matchesAny(match.serviceIds, job.serviceIds) &&
    matchesAny(
      match.deviceTypes.map(normalizeDeviceType),
      job.deviceType === null ? [] : [normalizeDeviceType(job.deviceType)],
    ) &&
    matchesAny(match.assetCategoryIds, [job.assetCategoryId]) &&
    matchesAny(match.recurringScheduleIds, [job.recurringScheduleId])
  )
}

const matchesAny = (required: readonly string[], actual: readonly (string | null)[]) =>
  required.length === 0 || actual.some((one) => one !== null && required.includes(one))

/** People type `boiler`, `Boiler ` and `BOILER` for the same thing. */
const normalizeDeviceType = (deviceType: string) => deviceType.trim().replace(/\s+/g, ' ').toLowerCase()

/** A rule as it stands: one that is switched off, or whose template is not published, asks for nothing. */
export interface FormRule {
  readonly id: string
  readonly name: string
  readonly match: RuleMatch
  readonly isActive: boolean
}

/** A form that some rule asked for, and that was not voided. */
export interface RequestedForm {
  readonly id: string
  readonly ruleId: string
  readonly status: FormStatus
}

/** Which rules must ask a job for their form now, and which forms nobody has touched are no longer asked for. */
export function reconcileForms(
  job: JobFacts,
  rules: readonly FormRule[],
  forms: readonly RequestedForm[],
): { missing: readonly FormRule[]; obsolete: readonly RequestedForm[] } {
  const matching = new Set(rules.filter(({ match }) => matchesRule(match, job)).map(({ id }) => id))
  const knownRules = new Set(rules.map(({ id }) => id))
  return {
    missing: rules.filter(
      ({ id, isActive }) => isActive && matching.has(id) && forms.every((one) => one.ruleId !== id),
    ),
    obsolete: forms.filter(
      ({ ruleId, status }) => status === 'open' && knownRules.has(ruleId) && !matching.has(ruleId),
    ),
  }
}

/** The gates at which a new job would have forms to fill in. */
export const gatesOfNewJob = (
  job: JobFacts,
  rules: readonly { readonly gate: FormGate; readonly match: RuleMatch }[],
): FormGate[] => rules.filter(({ match }) => matchesRule(match, job)).map(({ gate }) => gate)

export const formStatuses = ['open', 'inProgress', 'submitted', 'voided'] as const
export type FormStatus = (typeof formStatuses)[number]

export const formActions = ['start', 'answer', 'sign', 'submit', 'void', 'reopen'] as const
export type FormAction = (typeof formActions)[number]

/** Why something cannot be done with a form as it stands; undefined if it can. */
export function actionProblem(action: FormAction, status: FormStatus): string | undefined {
  const isUnfinished = status === 'open' || status === 'inProgress'
  if (action === 'reopen' ? status === 'submitted' : isUnfinished) return undefined
  const words = { open: 'not submitted yet', inProgress: 'not submitted yet', submitted: 'submitted', voided: 'voided' }
  return `The form is ${words[status]} and cannot be ${actionParticiples[action]}`
}

const actionParticiples: Readonly<Record<FormAction, string>> = {
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

export interface FormField {
  readonly id: string
  readonly label: string
  readonly type: FieldType
  readonly required: boolean
  /** What can be chosen; empty where nothing is. */
  readonly options: readonly string[]
}

/** The first thing wrong with the fields of a template, with the place it is at: `fields[2].options is required`. */
export function fieldsProblem(fields: readonly FormField[]): string | undefined {
  for (const [index, { id, type, required, options }] of fields.entries()) {
    const path = `fields[${index}]`
    const isChoice = type === 'choice' || type === 'multiChoice'
    if (fields.findIndex((one) => one.id === id) !== index) return `${path}.id is used twice`
    if (isChoice && options.length === 0) return `${path}.options is required for ${type}`
    if (!isChoice && options.length > 0) return `${path}.options is only for choice and multiChoice`
    const repeated = options.findIndex((option, optionIndex) => options.indexOf(option) !== optionIndex)
    if (repeated >= 0) return `${path}.options[${repeated}] is there twice`
    if (type === 'section' && required) return `${path}.required is not for a section, which has no answer`
  }
  return undefined
}
