// The signature on a job as it is stored and answered.
import type { EventExtension } from '../../operations/event-source.ts'
import { dateTime, nullable, text } from '../../operations/fields.ts'
import { rowCodec } from '../../operations/row-codec.ts'
import { t } from '../../operations/schemas.ts'

export const signature = t.String({ maxLength: 400_000, examples: ['data:image/png;base64,iVBORw0KGgo='] })
const fields = {
  signature: nullable(signature),
  signedByName: nullable(text(120, { examples: ['Amara Okafor'] })),
  signedAt: nullable(dateTime()),
}
export const signatureRecord = t.Object(fields, { title: 'Signature' })
export const signatureCodec = rowCodec(fields, 'ticket_signatures')

/** To whoever follows jobs, to sign one is to change it. */
export const signatureExtension: EventExtension = {
  table: 'ticket_signatures',
  field: 'signature',
  codec: signatureCodec,
}
