/** What a 409 carries in `data`, by its code. */
export interface ConflictData {
    /** The job already has a calendar event; change that one instead. */
    CALENDAR_EVENT_EXISTS: undefined;
    /** The customer is being deleted; choose another one. */
    CUSTOMER_BEING_DELETED: undefined;
    /** The customer still has jobs; delete them first, or delete with cascade=true. */
    CUSTOMER_HAS_TICKETS: {
        ticketIds: string[];
    };
    /** The format needs settings that are not there, or do not fit each other; data.missing names them, set them with PUT on the organisation. Of the taxes that it names, all need their key but the one that the account knows by itself. */
    EXPORT_INCOMPLETE: {
        missing: string[];
    };
    /** Another record of this kind has this externalId of this externalSource; change that one, or use another id. */
    EXTERNAL_ID_TAKEN: undefined;
    /** Whoever reads the e-invoice would refuse it: what data.missing names is not there, or is wrong as data.problems says. Correct it on the organisation, the customer or the lines, and ask again. */
    E_INVOICE_INCOMPLETE: {
        missing: string[];
        problems: ({
            field: string;
            /** Why, in words that follow the name of the field. */
            reason: string;
        })[];
    };
    /** A job cannot be created in this status: forms must be completed first. */
    FORM_GATE_CREATE: {
        status: string;
    };
    /** Open forms must be submitted or voided before this can be deleted. */
    FORM_GATE_DELETE: {
        ticketIds: string[];
    } | undefined;
    /** The job has open invoice forms; submit or void them first. */
    FORM_GATE_INVOICE: {
        outstanding: number;
    };
    /** Open forms must be submitted or voided before the job can move to this status. Jobs in this status have open forms, which must be submitted or voided before its stage can change to this. */
    FORM_GATE_TRANSITION: {
        gate: 'start' | 'completion';
        outstanding: number;
        submissionIds: string[];
    } | {
        gate: 'start' | 'completion';
        outstanding: number;
        ticketIds: string[];
    };
    /** A request with this Idempotency-Key is still running; repeat it in a moment. */
    IDEMPOTENCY_IN_PROGRESS: undefined;
    /** Another import was written or undone since this one was judged, or is at it; judge it again then, and look. */
    IMPORT_IS_STALE: undefined;
    /** It was only to be tried; bring the files again to have them written. */
    IMPORT_IS_TRIAL: undefined;
    /** Another import is being written, which counts on what is here; undo this one when that is done. */
    IMPORT_MUST_WAIT: undefined;
    /** Judge the import first, and answer its questions; then write it. */
    IMPORT_NOT_JUDGED: undefined;
    /** The import is being judged or written already; make a new one. */
    IMPORT_NOT_OPEN: undefined;
    /** Only an import that is written, and not undone yet, can be undone. */
    IMPORT_NOT_WRITTEN: undefined;
    /** An import can be undone for 30 days. */
    IMPORT_TOO_OLD: undefined;
    /** A draft is no invoice yet; send it, or set its status to sent. */
    INVOICE_IS_DRAFT: undefined;
    /** The invoice is void; write a new one. */
    INVOICE_IS_VOID: undefined;
    /** An organisation needs at least one job status. */
    LAST_STATUS: undefined;
    /** The visit has no job yet; generate it first. */
    OCCURRENCE_NOT_GENERATED: undefined;
    /** The visit already has work on its job. */
    OCCURRENCE_WORKED: undefined;
    /** The payment is managed by a payment processor or accounting system; change it there. */
    PAYMENT_ACCOUNTING_MANAGED: undefined;
    /** The quote was already converted; repeat with force=true to convert it again. */
    QUOTE_ALREADY_INVOICED: undefined;
    /** The visit belongs to a recurring schedule; move it through the schedule. */
    RECURRING_VISIT: undefined;
    /** The schedule still has visits; end it instead. */
    SCHEDULE_IN_USE: undefined;
    /** This changes the shape of the series; repeat with resync=thisAndFuture. */
    SERIES_SHAPE_CHANGE: undefined;
    /** An active job is assigned to the station. */
    STATION_IN_USE: undefined;
    /** A job still has this status. */
    STATUS_IN_USE: undefined;
    /** An organisation can have at most 20 webhooks; delete one first. */
    WEBHOOK_LIMIT: undefined;
    /** The key or the app that made the webhook has ended, and the webhook with it; make a new one. */
    WEBHOOK_MAKER_ENDED: undefined;
}
/** The codes of each operation. */
export interface ConflictCodes {
    createCustomer: 'EXTERNAL_ID_TAKEN';
    updateCustomer: 'EXTERNAL_ID_TAKEN';
    deleteCustomer: 'CUSTOMER_HAS_TICKETS' | 'FORM_GATE_DELETE';
    createDevice: 'EXTERNAL_ID_TAKEN';
    updateDevice: 'EXTERNAL_ID_TAKEN';
    createTicket: 'FORM_GATE_CREATE' | 'CUSTOMER_BEING_DELETED' | 'EXTERNAL_ID_TAKEN';
    updateTicket: 'FORM_GATE_TRANSITION' | 'CUSTOMER_BEING_DELETED' | 'EXTERNAL_ID_TAKEN';
    deleteTicket: 'FORM_GATE_DELETE';
    setTicketStatus: 'FORM_GATE_TRANSITION';
    createService: 'EXTERNAL_ID_TAKEN';
    updateService: 'EXTERNAL_ID_TAKEN';
    createInventoryItem: 'EXTERNAL_ID_TAKEN';
    updateInventoryItem: 'EXTERNAL_ID_TAKEN';
    createQuote: 'EXTERNAL_ID_TAKEN';
    updateQuote: 'EXTERNAL_ID_TAKEN';
    convertQuote: 'QUOTE_ALREADY_INVOICED' | 'FORM_GATE_INVOICE';
    createInvoice: 'FORM_GATE_INVOICE' | 'EXTERNAL_ID_TAKEN';
    updateInvoice: 'FORM_GATE_INVOICE' | 'EXTERNAL_ID_TAKEN';
    deleteInvoice: 'PAYMENT_ACCOUNTING_MANAGED';
    getEInvoice: 'E_INVOICE_INCOMPLETE' | 'INVOICE_IS_DRAFT' | 'INVOICE_IS_VOID';
    updatePayment: 'PAYMENT_ACCOUNTING_MANAGED';
    deletePayment: 'PAYMENT_ACCOUNTING_MANAGED';
    createCalendarEvent: 'CALENDAR_EVENT_EXISTS';
    updateCalendarEvent: 'CALENDAR_EVENT_EXISTS' | 'RECURRING_VISIT';
    deleteCalendarEvent: 'RECURRING_VISIT';
    deleteStation: 'STATION_IN_USE';
    updateTicketStatus: 'FORM_GATE_TRANSITION';
    deleteTicketStatus: 'LAST_STATUS' | 'STATUS_IN_USE';
    createRecurringSchedule: 'CUSTOMER_BEING_DELETED';
    updateRecurringSchedule: 'SERIES_SHAPE_CHANGE';
    deleteRecurringSchedule: 'SCHEDULE_IN_USE';
    skipOccurrence: 'OCCURRENCE_WORKED';
    moveOccurrence: 'OCCURRENCE_NOT_GENERATED';
    resizeOccurrence: 'OCCURRENCE_NOT_GENERATED';
    createWebhook: 'WEBHOOK_LIMIT';
    updateWebhook: 'WEBHOOK_MAKER_ENDED';
    addImportRows: 'IMPORT_NOT_OPEN';
    judgeImport: 'IMPORT_NOT_OPEN';
    writeImport: 'IMPORT_NOT_JUDGED' | 'IMPORT_IS_TRIAL' | 'IMPORT_IS_STALE';
    undoImport: 'IMPORT_NOT_WRITTEN' | 'IMPORT_TOO_OLD' | 'IMPORT_MUST_WAIT';
    createExport: 'EXPORT_INCOMPLETE';
    previewInvoiceExport: 'EXPORT_INCOMPLETE';
    previewPaymentExport: 'EXPORT_INCOMPLETE';
}
/** Why a credential is refused. */
export type PermissionCode = 'insufficient_scope' | 'unknown_resource' | 'use_not_allowed' | 'ip_not_allowed' | 'organisation_mismatch' | 'subscription_required' | 'approver_not_admin' | 'origin_not_allowed' | 'admin_required' | 'totp_required' | 'totp_invalid' | 'totp_locked';
