// What is refused while forms are open: the conflicts that jobs, invoices and customers share.
import { conflictCode, withoutData } from '../../operations/errors.ts'
import { exampleId } from '../../operations/ids.ts'
import { t } from '../../operations/schemas.ts'

const outstanding = t.Integer({ minimum: 1, examples: [2] })

export const formGateCreate = conflictCode(
  'FORM_GATE_CREATE',
  'A job cannot be created in this status: forms must be completed first.',
  t.Object({ status: t.String({ examples: ['In Progress'] }) }),
)

/** Of several jobs: the data names those in the way. */
export const formGateDelete = conflictCode(
  'FORM_GATE_DELETE',
  'Open forms must be submitted or voided before this can be deleted.',
  t.Object({ ticketIds: t.Array(t.String(), { examples: [[exampleId('tkt')]] }) }),
)

export const formGateDeleteTicket = withoutData(formGateDelete)

export const formGateInvoice = conflictCode(
  'FORM_GATE_INVOICE',
  'The job has open invoice forms; submit or void them first.',
  t.Object({ outstanding }),
)

export const formGateTransition = conflictCode(
  'FORM_GATE_TRANSITION',
  'Open forms must be submitted or voided before the job can move to this status.',
  t.Object({
    gate: t.Enum(['start', 'completion']),
    outstanding,
    submissionIds: t.Array(t.String(), { examples: [[exampleId('sub')]] }),
  }),
)

/** A status whose stage changes moves all of its jobs: the data names those in the way. */
export const formGateRestage = conflictCode(
  formGateTransition.code,
  'Jobs in this status have open forms, which must be submitted or voided before its stage can change to this.',
  t.Object({
    gate: t.Enum(['start', 'completion']),
    outstanding,
    ticketIds: t.Array(t.String(), { examples: [[exampleId('tkt')]] }),
  }),
)
