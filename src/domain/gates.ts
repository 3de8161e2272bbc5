// Form gates: given how many forms are still open on a job, what may not happen to it yet.

export type Stage = 'open' | 'inProgress' | 'closed'
export type Gate = 'start' | 'completion'

export interface OpenForms {
  readonly openStartFormCount: number
  readonly openCompletionFormCount: number
  readonly openInvoiceFormCount: number
}

/** The gate that keeps a job out of a stage: closing needs what starting needs, and completion besides. */
export function closedGate(stage: Stage, forms: OpenForms): { gate: Gate; outstanding: number } | undefined {
  if (stage === 'open') return undefined
  if (forms.openStartFormCount > 0) return { gate: 'start', outstanding: forms.openStartFormCount }
  if (stage === 'closed' && forms.openCompletionFormCount > 0) {
    return { gate: 'completion', outstanding: forms.openCompletionFormCount }
  }
  return undefined
}

/** A job with any open form cannot be deleted. */
export const isHeldByForms = (forms: OpenForms): boolean =>
  forms.openStartFormCount + forms.openCompletionFormCount + forms.openInvoiceFormCount > 0
