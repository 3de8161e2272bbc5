// A quote whose invoice is deleted is again what it was before.
import { sql } from '../../db/database.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'

export const revertConvertedQuote = ({ orgId }: Context, invoiceId: string): Statement<void> =>
  statement(
    sql`update quotes set invoice_id = null, updated_at = now(),
          status = case when accepted_at is not null then 'accepted' when sent_at is not null then 'sent' else 'draft' end
        where org_id = ${orgId} and invoice_id = ${invoiceId}`,
    () => {},
  )
