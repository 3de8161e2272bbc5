// Form gates: given how many forms are still open on a job, what may not happen to it yet.

/** What a status means for a job, in the order of the work. */
export const stages = ['open', 'inProgress', 'closed'] as const
export type Stage = (typeof stages)[number]
export type Gate = 'start' | 'completion'
/** What an open form blocks; `none` blocks nothing. */
export const formGates = ['start', 'completion', 'invoice', 'none'] as const
export type FormGate = (typeof formGates)[number]

export interface OpenForms {
  readonly openStartFormCount: number
  readonly openCompletionFormCount: number
  readonly openInvoiceFormCount: number
}

/** The gates on the way into a stage, in order: closing needs what starting needs, and completion besides. */
const gatesBefore: Readonly<Record<Stage, readonly FormGate[]>> = {
  open: [],
  inProgress: ['start'],
  closed: ['start', 'completion'],
}

/** The gate that keeps a job out of a stage. */
export function blockingGate(stage: Stage, forms: OpenForms): { gate: Gate; outstanding: number } | undefined {
  const open = { start: forms.openStartFormCount, completion: forms.openCompletionFormCount }
  const gate = (['start', 'completion'] as const).find((one) => gatesBefore[stage].includes(one) && open[one] > 0)
  return gate && { gate, outstanding: open[gate] }
}

/** The first gate that keeps any of several jobs out of a stage, those it keeps, and how many forms that takes. */
export function blockingGateOfAny<Job extends OpenForms>(
  stage: Stage,
  jobs: readonly Job[],
): { gate: Gate; outstanding: number; blocked: Job[] } | undefined {
  const judged = jobs.map((job) => ({ job, ...blockingGate(stage, job) }))
  for (const gate of ['start', 'completion'] as const) {
    const held = judged.filter((one) => one.gate === gate)
    const outstanding = held.reduce((sum, one) => sum + one.outstanding!, 0)
    if (held.length > 0) return { gate, outstanding, blocked: held.map(({ job }) => job) }
  }
  return undefined
}

/** A job that would need a form at one of these gates cannot begin beyond it. */
export const isBeyondGate = (stage: Stage, gates: readonly FormGate[]): boolean =>
  gates.some((gate) => gatesBefore[stage].includes(gate))

/** A job with any open form cannot be deleted. */
export const isBlockedByForms = (forms: OpenForms): boolean =>
  forms.openStartFormCount + forms.openCompletionFormCount + forms.openInvoiceFormCount > 0
