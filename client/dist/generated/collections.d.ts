import type { List } from '../list.js';
import type { ChangeOptions, CreateOptions, Options } from '../options.js';
import type { Organisation, OrganisationUpdate, Device, DeviceCreate, DeviceUpdate, Customer, CustomerCreate, CustomerUpdate, CustomerDeletion, TicketService, TicketServiceCreate, TicketServiceUpdate, TicketInventory, TicketInventoryCreate, TicketInventoryUpdate, TicketMessage, TicketMessageCreate, TicketMessageUpdate, TicketIncluding, TicketCreate, Ticket, TicketUpdate, TicketStatusChange, Discount, Totals, Signature, SignatureWrite, Service, ServiceCreate, ServiceUpdate, StockCorrection, InventoryItem, InventoryItemCreate, InventoryItemUpdate, Quote, QuoteCreate, QuoteUpdate, Invoice, Send, ShareLinkCreate, ShareLinkWithToken, Reminder, ReminderCreate, ReminderUpdate, InvoiceCreate, InvoiceUpdate, Payment, PaymentCreate, PaymentUpdate, CalendarEvent, CalendarEventCreate, CalendarEventUpdate, Station, StationCreate, StationUpdate, TaxRate, TaxRateCreate, TaxRateUpdate, TicketStatus, TicketStatusCreate, TicketStatusUpdate, Occurrence, OccurrenceSkipping, OccurrenceMove, OccurrenceResize, RecurringSchedule, RecurringScheduleCreate, RecurringScheduleUpdate, RecurringPause, RecurringEnd, RecurringEnded, RecurringResync, RecurringResynced, RecurringGenerate, RecurringGenerated, RecurringPreset, RecurringPresetCreate, RecurringPresetUpdate, InventoryCategory, InventoryCategoryCreate, InventoryCategoryUpdate, AssetCategory, AssetCategoryCreate, AssetCategoryUpdate, FormTemplate, FormRule, FormSignature, FormEvent, FormSubmission, Member, Event, WebhookDelivery, Webhook, WebhookCreate, WebhookWithSecret, WebhookUpdate, WebhookRotation, RotatedSecret, WebhookReplay, WebhookReplayCount, MoneyInReport, ReceivablesReport, JobsReport, TurnaroundReport, TechniciansReport, StockValueReport, QuotesReport, ImportProblem, Import, ImportCreate, ImportRows, ImportJudgement, Export, ExportCreate } from './records.js';
export interface Collections {
    /** Organisation: The business whose data this is, with the defaults that its documents take. */
    readonly organisation: OrganisationCollection;
    /** Customers: The people and businesses the work is done for. */
    readonly customers: CustomersCollection;
    /** Jobs: The work itself (a ticket, in the addresses), with its lines, discount, totals and signature. */
    readonly tickets: TicketsCollection;
    /** Services: Templates for work that is sold again and again, with price and warranty. */
    readonly services: ServicesCollection;
    /** Inventory: Parts and goods that are kept in stock and used on jobs. */
    readonly inventory: InventoryCollection;
    /** Quotes: Offers that a customer can accept and that become invoices. */
    readonly quotes: QuotesCollection;
    /** Invoices: What a customer owes, with reminders and a page to share. */
    readonly invoices: InvoicesCollection;
    /** Payments: Money that came in for an invoice, or went back as a refund. */
    readonly payments: PaymentsCollection;
    /** Calendar: When work happens and who does it; a job has at most one event. */
    readonly calendarEvents: CalendarEventsCollection;
    /** Stations: The benches, bays and vans that jobs are assigned to. */
    readonly stations: StationsCollection;
    /** Tax rates: The rates that lines are taxed at; one of them can be the default. */
    readonly taxRates: TaxRatesCollection;
    /** Job statuses: The stages a job goes through: the built-in ones and those an organisation adds. */
    readonly ticketStatuses: TicketStatusesCollection;
    /** Recurring agreements: Work that comes round by itself: schedules, their visits, and presets to start from. */
    readonly recurringSchedules: RecurringSchedulesCollection;
    /** Recurring agreements: Work that comes round by itself: schedules, their visits, and presets to start from. */
    readonly recurringPresets: RecurringPresetsCollection;
    /** Categories: Groups for inventory items and for devices. */
    readonly inventoryCategories: InventoryCategoriesCollection;
    /** Categories: Groups for inventory items and for devices. */
    readonly assetCategories: AssetCategoriesCollection;
    /** Forms: Compliance forms, the rules that ask for them, and what was filled in. Read only. */
    readonly formTemplates: FormTemplatesCollection;
    /** Forms: Compliance forms, the rules that ask for them, and what was filled in. Read only. */
    readonly formRules: FormRulesCollection;
    /** Forms: Compliance forms, the rules that ask for them, and what was filled in. Read only. */
    readonly formSubmissions: FormSubmissionsCollection;
    /** Members: The people who work in the organisation. Read only. */
    readonly members: MembersCollection;
    /** Events: Everything that changed, in order. Each event is told to those who may read the record that it is about. Kept for 30 days unless the operator says otherwise. */
    readonly events: EventsCollection;
    /** Webhooks: Addresses that events are posted to, signed, and what became of each delivery. */
    readonly webhooks: WebhooksCollection;
    /** Reports: What the records come to: by day, week or month of the organisation’s time zone, or as it is now. Whoever may read the records that a report sums may read it. */
    readonly reports: ReportsCollection;
    /** Imports: Files of other systems that are brought in: judged row by row, written in the background, undone within 30 days. */
    readonly imports: ImportsCollection;
    /** Exports: Files for the bookkeeper, in the formats of accounting programs. What was given out is remembered and left out of the next file. */
    readonly exports: ExportsCollection;
}
export interface OrganisationCollection {
    /**
     * Read the organisation.
     *
     * `GET /`, needs organisation:read.
     */
    get(options?: Options): Promise<Organisation>;
    /**
     * Change the organisation.
     *
     * `PUT /`, needs organisation:write.
     */
    update(body?: OrganisationUpdate, options?: ChangeOptions): Promise<Organisation>;
}
export interface CustomersDevicesCollection {
    /**
     * List a customer's devices, newest first.
     *
     * `GET /customers/:customerId/devices`, needs devices:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        externalId?: string;
        externalSource?: string;
    }, options?: Options): List<Device>;
    /**
     * Add a device to a customer.
     *
     * `POST /customers/:customerId/devices`, needs devices:write.
     * @throws {ConflictError} `EXTERNAL_ID_TAKEN`: Another record of this kind has this externalId of this externalSource; change that one, or use another id.
     */
    create(body?: DeviceCreate, options?: CreateOptions): Promise<Device>;
    /**
     * Read a device.
     *
     * `GET /customers/:customerId/devices/:deviceId`, needs devices:read.
     */
    get(deviceId: string, options?: Options): Promise<Device>;
    /**
     * Change a device; jobs that refer to it show what it is called now.
     *
     * `PUT /customers/:customerId/devices/:deviceId`, needs devices:write.
     * @throws {ConflictError} `EXTERNAL_ID_TAKEN`: Another record of this kind has this externalId of this externalSource; change that one, or use another id.
     */
    update(deviceId: string, body?: DeviceUpdate, options?: ChangeOptions): Promise<Device>;
    /**
     * Delete a device.
     *
     * `DELETE /customers/:customerId/devices/:deviceId`, needs devices:delete.
     */
    delete(deviceId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
}
export interface CustomersCollection {
    /**
     * List customers by first name.
     *
     * `GET /customers`, needs customers:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        updatedAfter?: string;
        externalId?: string;
        externalSource?: string;
        search?: string;
    }, options?: Options): List<Customer>;
    /**
     * Create a customer.
     *
     * `POST /customers`, needs customers:write.
     * @throws {ConflictError} `EXTERNAL_ID_TAKEN`: Another record of this kind has this externalId of this externalSource; change that one, or use another id.
     */
    create(body: CustomerCreate, options?: CreateOptions): Promise<Customer>;
    /**
     * Find customers by their exact phone number, email address or both: one is required.
     *
     * `GET /customers/lookup`, needs customers:read.
     */
    lookup(query?: {
        phone?: string;
        email?: string;
    }, options?: Options): Promise<{
        matches: Customer[];
        count: number;
    }>;
    /**
     * Read a customer.
     *
     * `GET /customers/:customerId`, needs customers:read.
     */
    get(customerId: string, options?: Options): Promise<Customer>;
    /**
     * Change a customer.
     *
     * `PUT /customers/:customerId`, needs customers:write.
     * @throws {ConflictError} `EXTERNAL_ID_TAKEN`: Another record of this kind has this externalId of this externalSource; change that one, or use another id.
     */
    update(customerId: string, body?: CustomerUpdate, options?: ChangeOptions): Promise<Customer>;
    /**
     * Delete a customer and, unless cascade=false, their devices, jobs and calendar events; their recurring schedules end.
     *
     * `DELETE /customers/:customerId`, needs customers:delete, tickets:delete (at times).
     * @throws {ConflictError} `CUSTOMER_HAS_TICKETS`: The customer still has jobs; delete them first, or delete with cascade=true.
     * @throws {ConflictError} `FORM_GATE_DELETE`: Open forms must be submitted or voided before this can be deleted.
     */
    delete(customerId: string, query?: {
        cascade?: boolean;
    }, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
    /**
     * Read how far the deletion of a customer with many jobs has come; it can be read for a week after its end.
     *
     * `GET /customers/:customerId/deletion`, needs customers:read.
     */
    getDeletion(customerId: string, options?: Options): Promise<CustomerDeletion>;
    /** Of one record: `devices(customerId).…`. */
    devices(customerId: string): CustomersDevicesCollection;
}
export interface TicketsServicesCollection {
    /**
     * List the service lines of a job.
     *
     * `GET /tickets/:ticketId/services`, needs tickets:read.
     */
    list(query?: Record<string, never>, options?: Options): List<TicketService>;
    /**
     * Add a service line to a job.
     *
     * `POST /tickets/:ticketId/services`, needs tickets:write.
     */
    create(body?: TicketServiceCreate, options?: CreateOptions): Promise<TicketService>;
    /**
     * Read a service line.
     *
     * `GET /tickets/:ticketId/services/:lineId`, needs tickets:read.
     */
    get(lineId: string, options?: Options): Promise<TicketService>;
    /**
     * Change a service line of a job.
     *
     * `PUT /tickets/:ticketId/services/:lineId`, needs tickets:write.
     */
    update(lineId: string, body?: TicketServiceUpdate, options?: ChangeOptions): Promise<TicketService>;
    /**
     * Delete a service line.
     *
     * `DELETE /tickets/:ticketId/services/:lineId`, needs tickets:write.
     */
    delete(lineId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
}
export interface TicketsInventoryCollection {
    /**
     * List the inventory lines of a job.
     *
     * `GET /tickets/:ticketId/inventory`, needs tickets:read.
     */
    list(query?: Record<string, never>, options?: Options): List<TicketInventory>;
    /**
     * Add an inventory line to a job.
     *
     * `POST /tickets/:ticketId/inventory`, needs tickets:write.
     */
    create(body?: TicketInventoryCreate, options?: CreateOptions): Promise<TicketInventory>;
    /**
     * Read an inventory line.
     *
     * `GET /tickets/:ticketId/inventory/:lineId`, needs tickets:read.
     */
    get(lineId: string, options?: Options): Promise<TicketInventory>;
    /**
     * Change an inventory line of a job.
     *
     * `PUT /tickets/:ticketId/inventory/:lineId`, needs tickets:write.
     */
    update(lineId: string, body?: TicketInventoryUpdate, options?: ChangeOptions): Promise<TicketInventory>;
    /**
     * Delete an inventory line.
     *
     * `DELETE /tickets/:ticketId/inventory/:lineId`, needs tickets:write.
     */
    delete(lineId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
}
export interface TicketsMessagesCollection {
    /**
     * List a job's messages, oldest first.
     *
     * `GET /tickets/:ticketId/messages`, needs messages:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
    }, options?: Options): List<TicketMessage>;
    /**
     * Write a message on a job.
     *
     * `POST /tickets/:ticketId/messages`, needs messages:write.
     */
    create(body: TicketMessageCreate, options?: CreateOptions): Promise<TicketMessage>;
    /**
     * Read a message.
     *
     * `GET /tickets/:ticketId/messages/:messageId`, needs messages:read.
     */
    get(messageId: string, options?: Options): Promise<TicketMessage>;
    /**
     * Change a message that people wrote.
     *
     * `PUT /tickets/:ticketId/messages/:messageId`, needs messages:write.
     */
    update(messageId: string, body?: TicketMessageUpdate, options?: ChangeOptions): Promise<TicketMessage>;
    /**
     * Delete a message.
     *
     * `DELETE /tickets/:ticketId/messages/:messageId`, needs messages:delete.
     */
    delete(messageId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
}
export interface TicketsCollection {
    /**
     * List jobs, newest first.
     *
     * `GET /tickets`, needs tickets:read, customers:read (at times), devices:read (at times).
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        search?: string;
        number?: number;
        status?: 'Open' | 'In Progress' | 'Closed';
        statusId?: string | readonly (string)[];
        stage?: 'open' | 'inProgress' | 'closed';
        customerId?: string;
        assignedTechnician?: string;
        stationId?: string;
        deviceId?: string;
        isScheduled?: boolean;
        closedAfter?: string;
        updatedAfter?: string;
        externalId?: string;
        externalSource?: string;
        scheduledFrom?: string;
        scheduledTo?: string;
        include?: string;
    }, options?: Options): List<TicketIncluding>;
    /**
     * Create a job.
     *
     * `POST /tickets`, needs tickets:write.
     * @throws {ConflictError} `FORM_GATE_CREATE`: A job cannot be created in this status: forms must be completed first.
     * @throws {ConflictError} `CUSTOMER_BEING_DELETED`: The customer is being deleted; choose another one.
     * @throws {ConflictError} `EXTERNAL_ID_TAKEN`: Another record of this kind has this externalId of this externalSource; change that one, or use another id.
     */
    create(body?: TicketCreate, options?: CreateOptions): Promise<Ticket>;
    /**
     * Read a job.
     *
     * `GET /tickets/:ticketId`, needs tickets:read, customers:read (at times), devices:read (at times).
     */
    get(ticketId: string, query?: {
        include?: string;
    }, options?: Options): Promise<TicketIncluding>;
    /**
     * Change a job.
     *
     * `PUT /tickets/:ticketId`, needs tickets:write.
     * @throws {ConflictError} `FORM_GATE_TRANSITION`: Open forms must be submitted or voided before the job can move to this status.
     * @throws {ConflictError} `CUSTOMER_BEING_DELETED`: The customer is being deleted; choose another one.
     * @throws {ConflictError} `EXTERNAL_ID_TAKEN`: Another record of this kind has this externalId of this externalSource; change that one, or use another id.
     */
    update(ticketId: string, body?: TicketUpdate, options?: ChangeOptions): Promise<Ticket>;
    /**
     * Delete a job with its lines, messages and calendar event; parts go back into stock.
     *
     * `DELETE /tickets/:ticketId`, needs tickets:delete.
     * @throws {ConflictError} `FORM_GATE_DELETE`: Open forms must be submitted or voided before this can be deleted.
     */
    delete(ticketId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
    /**
     * Move a job to another status.
     *
     * `PUT /tickets/:ticketId/status`, needs tickets:write.
     * @throws {ConflictError} `FORM_GATE_TRANSITION`: Open forms must be submitted or voided before the job can move to this status.
     */
    setStatus(ticketId: string, body: TicketStatusChange, options?: ChangeOptions): Promise<Ticket>;
    /**
     * Read a job's discount; null if there is none.
     *
     * `GET /tickets/:ticketId/discount`, needs tickets:read.
     */
    getDiscount(ticketId: string, options?: Options): Promise<Discount | null>;
    /**
     * Set a job's discount.
     *
     * `PUT /tickets/:ticketId/discount`, needs tickets:write.
     */
    setDiscount(ticketId: string, body: Discount, options?: ChangeOptions): Promise<Discount | null>;
    /**
     * Take a job's discount away.
     *
     * `DELETE /tickets/:ticketId/discount`, needs tickets:write.
     */
    deleteDiscount(ticketId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
    /**
     * Add up a job's lines, discount and taxes.
     *
     * `GET /tickets/:ticketId/totals`, needs tickets:read.
     */
    getTotals(ticketId: string, options?: Options): Promise<Totals>;
    /**
     * Read the signature on a job.
     *
     * `GET /tickets/:ticketId/signature`, needs tickets:read.
     */
    getSignature(ticketId: string, options?: Options): Promise<Signature>;
    /**
     * Set the signature on a job, or clear it with null.
     *
     * `PUT /tickets/:ticketId/signature`, needs tickets:write.
     */
    setSignature(ticketId: string, body: SignatureWrite, options?: ChangeOptions): Promise<Signature>;
    /** Of one record: `services(ticketId).…`. */
    services(ticketId: string): TicketsServicesCollection;
    /** Of one record: `inventory(ticketId).…`. */
    inventory(ticketId: string): TicketsInventoryCollection;
    /** Of one record: `messages(ticketId).…`. */
    messages(ticketId: string): TicketsMessagesCollection;
}
export interface ServicesCollection {
    /**
     * List services by name.
     *
     * `GET /services`, needs services:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        search?: string;
        externalId?: string;
        externalSource?: string;
    }, options?: Options): List<Service>;
    /**
     * Create a service.
     *
     * `POST /services`, needs services:write.
     * @throws {ConflictError} `EXTERNAL_ID_TAKEN`: Another record of this kind has this externalId of this externalSource; change that one, or use another id.
     */
    create(body: ServiceCreate, options?: CreateOptions): Promise<Service>;
    /**
     * Read a service.
     *
     * `GET /services/:serviceId`, needs services:read.
     */
    get(serviceId: string, options?: Options): Promise<Service>;
    /**
     * Change a service.
     *
     * `PUT /services/:serviceId`, needs services:write.
     * @throws {ConflictError} `EXTERNAL_ID_TAKEN`: Another record of this kind has this externalId of this externalSource; change that one, or use another id.
     */
    update(serviceId: string, body?: ServiceUpdate, options?: ChangeOptions): Promise<Service>;
    /**
     * Delete a service.
     *
     * `DELETE /services/:serviceId`, needs services:delete.
     */
    delete(serviceId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
}
export interface InventoryCorrectionsCollection {
    /**
     * List the corrections of an item’s stock, newest first.
     *
     * `GET /inventory/:itemId/corrections`, needs inventory:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
    }, options?: Options): List<StockCorrection>;
    /**
     * Read a stock correction.
     *
     * `GET /inventory/:itemId/corrections/:correctionId`, needs inventory:read.
     */
    get(correctionId: string, options?: Options): Promise<StockCorrection>;
}
export interface InventoryCollection {
    /**
     * List inventory items by name.
     *
     * `GET /inventory`, needs inventory:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        categoryId?: string;
        sku?: string;
        barcode?: string;
        isLow?: boolean;
        search?: string;
        externalId?: string;
        externalSource?: string;
    }, options?: Options): List<InventoryItem>;
    /**
     * Create an inventory item.
     *
     * `POST /inventory`, needs inventory:write.
     * @throws {ConflictError} `EXTERNAL_ID_TAKEN`: Another record of this kind has this externalId of this externalSource; change that one, or use another id.
     */
    create(body: InventoryItemCreate, options?: CreateOptions): Promise<InventoryItem>;
    /**
     * Read an inventory item.
     *
     * `GET /inventory/:itemId`, needs inventory:read.
     */
    get(itemId: string, options?: Options): Promise<InventoryItem>;
    /**
     * Change an inventory item.
     *
     * `PUT /inventory/:itemId`, needs inventory:write.
     * @throws {ConflictError} `EXTERNAL_ID_TAKEN`: Another record of this kind has this externalId of this externalSource; change that one, or use another id.
     */
    update(itemId: string, body?: InventoryItemUpdate, options?: ChangeOptions): Promise<InventoryItem>;
    /**
     * Delete an inventory item.
     *
     * `DELETE /inventory/:itemId`, needs inventory:delete.
     */
    delete(itemId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
    /** Of one record: `corrections(itemId).…`. */
    corrections(itemId: string): InventoryCorrectionsCollection;
}
export interface QuotesCollection {
    /**
     * List quotes, newest first.
     *
     * `GET /quotes`, needs quotes:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        customerId?: string;
        ticketId?: string;
        state?: 'draft' | 'sent' | 'expired' | 'accepted' | 'declined' | 'invoiced';
        search?: string;
        accepted?: boolean;
        updatedAfter?: string;
        externalId?: string;
        externalSource?: string;
    }, options?: Options): List<Quote>;
    /**
     * Create a quote.
     *
     * `POST /quotes`, needs quotes:write.
     * @throws {ConflictError} `EXTERNAL_ID_TAKEN`: Another record of this kind has this externalId of this externalSource; change that one, or use another id.
     */
    create(body?: QuoteCreate, options?: CreateOptions): Promise<Quote>;
    /**
     * Read a quote.
     *
     * `GET /quotes/:quoteId`, needs quotes:read.
     */
    get(quoteId: string, options?: Options): Promise<Quote>;
    /**
     * Change a quote, or record what the customer said to it.
     *
     * `PUT /quotes/:quoteId`, needs quotes:write.
     * @throws {ConflictError} `EXTERNAL_ID_TAKEN`: Another record of this kind has this externalId of this externalSource; change that one, or use another id.
     */
    update(quoteId: string, body?: QuoteUpdate, options?: ChangeOptions): Promise<Quote>;
    /**
     * Delete a quote.
     *
     * `DELETE /quotes/:quoteId`, needs quotes:delete.
     */
    delete(quoteId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
    /**
     * Make an invoice of a quote.
     *
     * `POST /quotes/:quoteId/convert`, needs quotes:write, invoices:write.
     * @throws {ConflictError} `QUOTE_ALREADY_INVOICED`: The quote was already converted; repeat with force=true to convert it again.
     * @throws {ConflictError} `FORM_GATE_INVOICE`: The job has open invoice forms; submit or void them first.
     */
    convert(quoteId: string, query?: {
        force?: boolean;
    }, options?: CreateOptions): Promise<Invoice>;
    /**
     * Send the quote to the customer by email, with the address under which it can be seen.
     *
     * `POST /quotes/:quoteId/send`, needs quotes:write.
     */
    send(quoteId: string, body?: Send, options?: CreateOptions): Promise<Quote>;
    /**
     * Make the address under which a customer sees the quote; the one there is stays unless rotated.
     *
     * `POST /quotes/:quoteId/share-link`, needs quotes:write.
     */
    createShareLink(quoteId: string, body?: ShareLinkCreate, options?: CreateOptions): Promise<ShareLinkWithToken>;
    /**
     * End the address under which a customer sees the quote.
     *
     * `DELETE /quotes/:quoteId/share-link`, needs quotes:write.
     */
    deleteShareLink(quoteId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
    /**
     * Read the quote as a PDF.
     *
     * `GET /quotes/:quoteId/pdf`, needs quotes:read.
     */
    getPdf(quoteId: string, query?: {
        preview?: boolean;
    }, options?: Options): Promise<Blob>;
}
export interface InvoicesRemindersCollection {
    /**
     * List the reminders of an invoice by their time.
     *
     * `GET /invoices/:invoiceId/reminders`, needs invoices:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
    }, options?: Options): List<Reminder>;
    /**
     * Have the customer reminded of an invoice.
     *
     * `POST /invoices/:invoiceId/reminders`, needs invoices:write.
     */
    create(body: ReminderCreate, options?: CreateOptions): Promise<Reminder>;
    /**
     * Read a reminder.
     *
     * `GET /invoices/:invoiceId/reminders/:reminderId`, needs invoices:read.
     */
    get(reminderId: string, options?: Options): Promise<Reminder>;
    /**
     * Change a reminder that was not sent yet.
     *
     * `PUT /invoices/:invoiceId/reminders/:reminderId`, needs invoices:write.
     */
    update(reminderId: string, body?: ReminderUpdate, options?: ChangeOptions): Promise<Reminder>;
    /**
     * Delete a reminder.
     *
     * `DELETE /invoices/:invoiceId/reminders/:reminderId`, needs invoices:write.
     */
    delete(reminderId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
}
export interface InvoicesCollection {
    /**
     * List invoices, newest first.
     *
     * `GET /invoices`, needs invoices:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        customerId?: string;
        ticketId?: string;
        state?: 'draft' | 'open' | 'overdue' | 'partlyPaid' | 'paid' | 'void';
        search?: string;
        paid?: boolean;
        updatedAfter?: string;
        externalId?: string;
        externalSource?: string;
    }, options?: Options): List<Invoice>;
    /**
     * Create an invoice.
     *
     * `POST /invoices`, needs invoices:write.
     * @throws {ConflictError} `FORM_GATE_INVOICE`: The job has open invoice forms; submit or void them first.
     * @throws {ConflictError} `EXTERNAL_ID_TAKEN`: Another record of this kind has this externalId of this externalSource; change that one, or use another id.
     */
    create(body?: InvoiceCreate, options?: CreateOptions): Promise<Invoice>;
    /**
     * Read an invoice.
     *
     * `GET /invoices/:invoiceId`, needs invoices:read.
     */
    get(invoiceId: string, options?: Options): Promise<Invoice>;
    /**
     * Change an invoice, or void it.
     *
     * `PUT /invoices/:invoiceId`, needs invoices:write.
     * @throws {ConflictError} `FORM_GATE_INVOICE`: The job has open invoice forms; submit or void them first.
     * @throws {ConflictError} `EXTERNAL_ID_TAKEN`: Another record of this kind has this externalId of this externalSource; change that one, or use another id.
     */
    update(invoiceId: string, body?: InvoiceUpdate, options?: ChangeOptions): Promise<Invoice>;
    /**
     * Delete an invoice with its payments, reminders and share link.
     *
     * `DELETE /invoices/:invoiceId`, needs invoices:delete.
     * @throws {ConflictError} `PAYMENT_ACCOUNTING_MANAGED`: The payment is managed by a payment processor or accounting system; change it there.
     */
    delete(invoiceId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
    /**
     * Send the invoice to the customer by email, with the address under which it can be seen.
     *
     * `POST /invoices/:invoiceId/send`, needs invoices:write.
     */
    send(invoiceId: string, body?: Send, options?: CreateOptions): Promise<Invoice>;
    /**
     * Make the address under which a customer sees the invoice; the one there is stays unless rotated.
     *
     * `POST /invoices/:invoiceId/share-link`, needs invoices:write.
     */
    createShareLink(invoiceId: string, body?: ShareLinkCreate, options?: CreateOptions): Promise<ShareLinkWithToken>;
    /**
     * End the address under which a customer sees the invoice.
     *
     * `DELETE /invoices/:invoiceId/share-link`, needs invoices:write.
     */
    deleteShareLink(invoiceId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
    /**
     * Read the invoice as a PDF.
     *
     * `GET /invoices/:invoiceId/pdf`, needs invoices:read.
     */
    getPdf(invoiceId: string, query?: {
        preview?: boolean;
    }, options?: Options): Promise<Blob>;
    /**
     * Read the invoice as an e-invoice of EN 16931.
     *
     * `GET /invoices/:invoiceId/e-invoice`, needs invoices:read.
     * @throws {ConflictError} `E_INVOICE_INCOMPLETE`: Whoever reads the e-invoice would refuse it: what data.missing names is not there, or is wrong as data.problems says. Correct it on the organisation, the customer or the lines, and ask again.
     * @throws {ConflictError} `INVOICE_IS_DRAFT`: A draft is no invoice yet; send it, or set its status to sent.
     * @throws {ConflictError} `INVOICE_IS_VOID`: The invoice is void; write a new one.
     */
    getEInvoice(invoiceId: string, query?: {
        format?: 'ubl' | 'xrechnung' | 'factur-x';
    }, options?: Options): Promise<Blob>;
    /** Of one record: `reminders(invoiceId).…`. */
    reminders(invoiceId: string): InvoicesRemindersCollection;
}
export interface PaymentsCollection {
    /**
     * List payments, newest first.
     *
     * `GET /payments`, needs payments:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        invoiceId?: string;
        updatedAfter?: string;
    }, options?: Options): List<Payment>;
    /**
     * Record a payment or, with an amount below zero, a refund.
     *
     * `POST /payments`, needs payments:write.
     */
    create(body: PaymentCreate, options?: CreateOptions): Promise<Payment>;
    /**
     * Read a payment.
     *
     * `GET /payments/:paymentId`, needs payments:read.
     */
    get(paymentId: string, options?: Options): Promise<Payment>;
    /**
     * Change a payment that was recorded by hand.
     *
     * `PUT /payments/:paymentId`, needs payments:write.
     * @throws {ConflictError} `PAYMENT_ACCOUNTING_MANAGED`: The payment is managed by a payment processor or accounting system; change it there.
     */
    update(paymentId: string, body?: PaymentUpdate, options?: ChangeOptions): Promise<Payment>;
    /**
     * Delete a payment that was recorded by hand; its invoice is open again by that much.
     *
     * `DELETE /payments/:paymentId`, needs payments:delete.
     * @throws {ConflictError} `PAYMENT_ACCOUNTING_MANAGED`: The payment is managed by a payment processor or accounting system; change it there.
     */
    delete(paymentId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
}
export interface CalendarEventsCollection {
    /**
     * List calendar events by their start.
     *
     * `GET /calendar-events`, needs calendar:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        from?: string;
        to?: string;
        assignedToId?: string;
        ticketId?: string;
    }, options?: Options): List<CalendarEvent>;
    /**
     * Add an event to the calendar, or a job to it.
     *
     * `POST /calendar-events`, needs calendar:write.
     * @throws {ConflictError} `CALENDAR_EVENT_EXISTS`: The job already has a calendar event; change that one instead.
     */
    create(body: CalendarEventCreate, options?: CreateOptions): Promise<CalendarEvent>;
    /**
     * Read a calendar event.
     *
     * `GET /calendar-events/:eventId`, needs calendar:read.
     */
    get(eventId: string, options?: Options): Promise<CalendarEvent>;
    /**
     * Change a calendar event; the schedule of its job follows.
     *
     * `PUT /calendar-events/:eventId`, needs calendar:write.
     * @throws {ConflictError} `CALENDAR_EVENT_EXISTS`: The job already has a calendar event; change that one instead.
     * @throws {ConflictError} `RECURRING_VISIT`: The visit belongs to a recurring schedule; move it through the schedule.
     */
    update(eventId: string, body?: CalendarEventUpdate, options?: ChangeOptions): Promise<CalendarEvent>;
    /**
     * Delete a calendar event; its job is no longer scheduled.
     *
     * `DELETE /calendar-events/:eventId`, needs calendar:delete.
     * @throws {ConflictError} `RECURRING_VISIT`: The visit belongs to a recurring schedule; move it through the schedule.
     */
    delete(eventId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
}
export interface StationsCollection {
    /**
     * List all stations in their order.
     *
     * `GET /stations`, needs stations:read.
     */
    list(query?: Record<string, never>, options?: Options): List<Station>;
    /**
     * Create a station.
     *
     * `POST /stations`, needs stations:write.
     */
    create(body: StationCreate, options?: CreateOptions): Promise<Station>;
    /**
     * Read a station.
     *
     * `GET /stations/:stationId`, needs stations:read.
     */
    get(stationId: string, options?: Options): Promise<Station>;
    /**
     * Change a station.
     *
     * `PUT /stations/:stationId`, needs stations:write.
     */
    update(stationId: string, body?: StationUpdate, options?: ChangeOptions): Promise<Station>;
    /**
     * Delete a station; closed jobs lose it, an active one forbids it.
     *
     * `DELETE /stations/:stationId`, needs stations:delete.
     * @throws {ConflictError} `STATION_IN_USE`: An active job is assigned to the station.
     */
    delete(stationId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
}
export interface TaxRatesCollection {
    /**
     * List all tax rates by name.
     *
     * `GET /tax-rates`, needs tax-rates:read.
     */
    list(query?: Record<string, never>, options?: Options): List<TaxRate>;
    /**
     * Create a tax rate.
     *
     * `POST /tax-rates`, needs tax-rates:write.
     */
    create(body: TaxRateCreate, options?: CreateOptions): Promise<TaxRate>;
    /**
     * Read a tax rate.
     *
     * `GET /tax-rates/:taxRateId`, needs tax-rates:read.
     */
    get(taxRateId: string, options?: Options): Promise<TaxRate>;
    /**
     * Change a tax rate.
     *
     * `PUT /tax-rates/:taxRateId`, needs tax-rates:write.
     */
    update(taxRateId: string, body?: TaxRateUpdate, options?: ChangeOptions): Promise<TaxRate>;
    /**
     * Delete a tax rate.
     *
     * `DELETE /tax-rates/:taxRateId`, needs tax-rates:delete.
     */
    delete(taxRateId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
}
export interface TicketStatusesCollection {
    /**
     * List all job statuses in their order.
     *
     * `GET /ticket-statuses`, needs ticket-statuses:read.
     */
    list(query?: Record<string, never>, options?: Options): List<TicketStatus>;
    /**
     * Create a job status.
     *
     * `POST /ticket-statuses`, needs ticket-statuses:write.
     */
    create(body: TicketStatusCreate, options?: CreateOptions): Promise<TicketStatus>;
    /**
     * Read a job status.
     *
     * `GET /ticket-statuses/:statusId`, needs ticket-statuses:read.
     */
    get(statusId: string, options?: Options): Promise<TicketStatus>;
    /**
     * Change a job status; a built-in one keeps its name and stage.
     *
     * `PUT /ticket-statuses/:statusId`, needs ticket-statuses:write.
     * @throws {ConflictError} `FORM_GATE_TRANSITION`: Jobs in this status have open forms, which must be submitted or voided before its stage can change to this.
     */
    update(statusId: string, body?: TicketStatusUpdate, options?: ChangeOptions): Promise<TicketStatus>;
    /**
     * Delete a job status that no job has.
     *
     * `DELETE /ticket-statuses/:statusId`, needs ticket-statuses:delete.
     * @throws {ConflictError} `LAST_STATUS`: An organisation needs at least one job status.
     * @throws {ConflictError} `STATUS_IN_USE`: A job still has this status.
     */
    delete(statusId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
}
export interface RecurringSchedulesOccurrencesCollection {
    /**
     * List the visits of a schedule in order, those that are only planned included.
     *
     * `GET /recurring-schedules/:scheduleId/occurrences`, needs recurring-schedules:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        from?: string;
        to?: string;
    }, options?: Options): List<Occurrence>;
    /**
     * Leave a visit out; its job is deleted unless somebody has begun it.
     *
     * `POST /recurring-schedules/:scheduleId/occurrences/:index/skip`, needs recurring-schedules:write.
     * @throws {ConflictError} `OCCURRENCE_WORKED`: The visit already has work on its job.
     */
    skip(index: number, body?: OccurrenceSkipping, options?: CreateOptions): Promise<Occurrence>;
    /**
     * Move one visit to another time; the series stays as it is.
     *
     * `POST /recurring-schedules/:scheduleId/occurrences/:index/move`, needs recurring-schedules:write.
     * @throws {ConflictError} `OCCURRENCE_NOT_GENERATED`: The visit has no job yet; generate it first.
     */
    move(index: number, body: OccurrenceMove, options?: CreateOptions): Promise<Occurrence>;
    /**
     * Make one visit longer or shorter.
     *
     * `POST /recurring-schedules/:scheduleId/occurrences/:index/resize`, needs recurring-schedules:write.
     * @throws {ConflictError} `OCCURRENCE_NOT_GENERATED`: The visit has no job yet; generate it first.
     */
    resize(index: number, body?: OccurrenceResize, options?: CreateOptions): Promise<Occurrence>;
}
export interface RecurringSchedulesCollection {
    /**
     * List recurring schedules, newest first.
     *
     * `GET /recurring-schedules`, needs recurring-schedules:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        customerId?: string;
        status?: 'active' | 'paused' | 'ended';
    }, options?: Options): List<RecurringSchedule>;
    /**
     * Create a recurring schedule; its jobs are made as their time comes near.
     *
     * `POST /recurring-schedules`, needs recurring-schedules:write.
     * @throws {ConflictError} `CUSTOMER_BEING_DELETED`: The customer is being deleted; choose another one.
     */
    create(body: RecurringScheduleCreate, options?: CreateOptions): Promise<RecurringSchedule>;
    /**
     * Read a recurring schedule.
     *
     * `GET /recurring-schedules/:scheduleId`, needs recurring-schedules:read.
     */
    get(scheduleId: string, options?: Options): Promise<RecurringSchedule>;
    /**
     * Change a recurring schedule; a new shape needs resync=thisAndFuture.
     *
     * `PUT /recurring-schedules/:scheduleId`, needs recurring-schedules:write.
     * @throws {ConflictError} `SERIES_SHAPE_CHANGE`: This changes the shape of the series; repeat with resync=thisAndFuture.
     */
    update(scheduleId: string, body?: RecurringScheduleUpdate, query?: {
        resync?: 'thisAndFuture';
    }, options?: ChangeOptions): Promise<RecurringSchedule>;
    /**
     * Delete a recurring schedule none of whose visits has a job.
     *
     * `DELETE /recurring-schedules/:scheduleId`, needs recurring-schedules:delete.
     * @throws {ConflictError} `SCHEDULE_IN_USE`: The schedule still has visits; end it instead.
     */
    delete(scheduleId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
    /**
     * Make no more jobs until the schedule is resumed; those there are stay.
     *
     * `POST /recurring-schedules/:scheduleId/pause`, needs recurring-schedules:write.
     */
    pause(scheduleId: string, body?: RecurringPause, options?: CreateOptions): Promise<RecurringSchedule>;
    /**
     * Make jobs again; visits whose time passed meanwhile are skipped.
     *
     * `POST /recurring-schedules/:scheduleId/resume`, needs recurring-schedules:write.
     */
    resume(scheduleId: string, options?: CreateOptions): Promise<RecurringSchedule>;
    /**
     * End the schedule for good; jobs from then on that nobody has begun are deleted.
     *
     * `POST /recurring-schedules/:scheduleId/end`, needs recurring-schedules:write.
     */
    end(scheduleId: string, body?: RecurringEnd, options?: CreateOptions): Promise<RecurringEnded>;
    /**
     * Apply the schedule as it is now to the jobs made before that nobody has touched.
     *
     * `POST /recurring-schedules/:scheduleId/resync`, needs recurring-schedules:write.
     */
    resync(scheduleId: string, body?: RecurringResync, options?: CreateOptions): Promise<RecurringResynced>;
    /**
     * Make the jobs of visits to come; those that are there already are answered as they are.
     *
     * `POST /recurring-schedules/:scheduleId/generate`, needs recurring-schedules:write.
     */
    generate(scheduleId: string, body?: RecurringGenerate, options?: CreateOptions): Promise<RecurringGenerated>;
    /** Of one record: `occurrences(scheduleId).…`. */
    occurrences(scheduleId: string): RecurringSchedulesOccurrencesCollection;
}
export interface RecurringPresetsCollection {
    /**
     * List recurring presets by name.
     *
     * `GET /recurring-presets`, needs recurring-schedules:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
    }, options?: Options): List<RecurringPreset>;
    /**
     * Create a recurring preset.
     *
     * `POST /recurring-presets`, needs recurring-schedules:write.
     */
    create(body: RecurringPresetCreate, options?: CreateOptions): Promise<RecurringPreset>;
    /**
     * Read a recurring preset.
     *
     * `GET /recurring-presets/:presetId`, needs recurring-schedules:read.
     */
    get(presetId: string, options?: Options): Promise<RecurringPreset>;
    /**
     * Change a recurring preset; schedules made from it stay as they are.
     *
     * `PUT /recurring-presets/:presetId`, needs recurring-schedules:write.
     */
    update(presetId: string, body?: RecurringPresetUpdate, options?: ChangeOptions): Promise<RecurringPreset>;
    /**
     * Delete a recurring preset.
     *
     * `DELETE /recurring-presets/:presetId`, needs recurring-schedules:delete.
     */
    delete(presetId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
}
export interface InventoryCategoriesCollection {
    /**
     * List all inventory categories in their order.
     *
     * `GET /inventory-categories`, needs categories:read.
     */
    list(query?: Record<string, never>, options?: Options): List<InventoryCategory>;
    /**
     * Create an inventory category.
     *
     * `POST /inventory-categories`, needs categories:write.
     */
    create(body: InventoryCategoryCreate, options?: CreateOptions): Promise<InventoryCategory>;
    /**
     * Read an inventory category.
     *
     * `GET /inventory-categories/:categoryId`, needs categories:read.
     */
    get(categoryId: string, options?: Options): Promise<InventoryCategory>;
    /**
     * Change an inventory category.
     *
     * `PUT /inventory-categories/:categoryId`, needs categories:write.
     */
    update(categoryId: string, body?: InventoryCategoryUpdate, options?: ChangeOptions): Promise<InventoryCategory>;
    /**
     * Delete an inventory category.
     *
     * `DELETE /inventory-categories/:categoryId`, needs categories:delete.
     */
    delete(categoryId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
}
export interface AssetCategoriesCollection {
    /**
     * List all asset categories in their order.
     *
     * `GET /asset-categories`, needs categories:read.
     */
    list(query?: Record<string, never>, options?: Options): List<AssetCategory>;
    /**
     * Create an asset category.
     *
     * `POST /asset-categories`, needs categories:write.
     */
    create(body: AssetCategoryCreate, options?: CreateOptions): Promise<AssetCategory>;
    /**
     * Read an asset category.
     *
     * `GET /asset-categories/:categoryId`, needs categories:read.
     */
    get(categoryId: string, options?: Options): Promise<AssetCategory>;
    /**
     * Change an asset category.
     *
     * `PUT /asset-categories/:categoryId`, needs categories:write.
     */
    update(categoryId: string, body?: AssetCategoryUpdate, options?: ChangeOptions): Promise<AssetCategory>;
    /**
     * Delete an asset category.
     *
     * `DELETE /asset-categories/:categoryId`, needs categories:delete.
     */
    delete(categoryId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
}
export interface FormTemplatesCollection {
    /**
     * List form templates by name.
     *
     * `GET /form-templates`, needs forms:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        status?: 'draft' | 'published' | 'archived';
    }, options?: Options): List<FormTemplate>;
    /**
     * Read a form template.
     *
     * `GET /form-templates/:templateId`, needs forms:read.
     */
    get(templateId: string, options?: Options): Promise<FormTemplate>;
}
export interface FormRulesCollection {
    /**
     * List form rules by name.
     *
     * `GET /form-rules`, needs forms:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        templateId?: string;
    }, options?: Options): List<FormRule>;
    /**
     * Read a form rule.
     *
     * `GET /form-rules/:ruleId`, needs forms:read.
     */
    get(ruleId: string, options?: Options): Promise<FormRule>;
}
export interface FormSubmissionsPhotosCollection {
    /**
     * Read a photo of a form, at the address that its answer holds.
     *
     * `GET /form-submissions/:submissionId/photos/:photoId`, needs forms:read.
     */
    get(photoId: string, options?: Options): Promise<Blob>;
}
export interface FormSubmissionsSignaturesCollection {
    /**
     * List the signatures on a form, oldest first.
     *
     * `GET /form-submissions/:submissionId/signatures`, needs forms:read.
     */
    list(query?: Record<string, never>, options?: Options): List<FormSignature>;
}
export interface FormSubmissionsEventsCollection {
    /**
     * List what happened to a form and who did it, oldest first.
     *
     * `GET /form-submissions/:submissionId/events`, needs forms:read.
     */
    list(query?: Record<string, never>, options?: Options): List<FormEvent>;
}
export interface FormSubmissionsCollection {
    /**
     * List form submissions, newest first.
     *
     * `GET /form-submissions`, needs forms:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        ticketId?: string;
        templateId?: string;
        status?: 'open' | 'inProgress' | 'submitted' | 'voided';
        gate?: 'start' | 'completion' | 'invoice' | 'none';
    }, options?: Options): List<FormSubmission>;
    /**
     * Read a form submission.
     *
     * `GET /form-submissions/:submissionId`, needs forms:read.
     */
    get(submissionId: string, options?: Options): Promise<FormSubmission>;
    /** Of one record: `photos(submissionId).…`. */
    photos(submissionId: string): FormSubmissionsPhotosCollection;
    /** Of one record: `signatures(submissionId).…`. */
    signatures(submissionId: string): FormSubmissionsSignaturesCollection;
    /** Of one record: `events(submissionId).…`. */
    events(submissionId: string): FormSubmissionsEventsCollection;
}
export interface MembersCollection {
    /**
     * List members by first name.
     *
     * `GET /members`, needs members:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        isActive?: boolean;
        role?: 'admin' | 'manager' | 'technician';
    }, options?: Options): List<Member>;
    /**
     * Read a member.
     *
     * `GET /members/:memberId`, needs members:read.
     */
    get(memberId: string, options?: Options): Promise<Member>;
}
export interface EventsCollection {
    /**
     * List what changed, oldest first; nextCursor leads on to what changes later, too.
     *
     * `GET /events`, needs events:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        from?: number;
        type?: string | readonly (string)[];
        resource?: string;
        recordId?: string;
        since?: string;
    }, options?: Options): List<Event>;
    /**
     * Follow what changes as Server-Sent Events; Last-Event-ID goes on where a connection ended.
     *
     * `GET /events/stream`, needs events:read.
     */
    stream(query?: {
        startAfter?: string;
        from?: number;
        type?: string | readonly (string)[];
        resource?: string;
        recordId?: string;
        since?: string;
    }, options?: Options): Promise<Blob>;
    /**
     * Read one event.
     *
     * `GET /events/:eventId`, needs events:read.
     */
    get(eventId: string, options?: Options): Promise<Event>;
}
export interface WebhooksDeliveriesCollection {
    /**
     * List the deliveries of a webhook, newest first.
     *
     * `GET /webhooks/:webhookId/deliveries`, needs webhooks:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        status?: 'waiting' | 'delivered' | 'failed';
    }, options?: Options): List<WebhookDelivery>;
    /**
     * Read a delivery.
     *
     * `GET /webhooks/:webhookId/deliveries/:deliveryId`, needs webhooks:read.
     */
    get(deliveryId: string, options?: Options): Promise<WebhookDelivery>;
    /**
     * Try a delivery again at once.
     *
     * `POST /webhooks/:webhookId/deliveries/:deliveryId/retry`, needs webhooks:write.
     */
    retry(deliveryId: string, options?: CreateOptions): Promise<WebhookDelivery>;
}
export interface WebhooksCollection {
    /**
     * List all webhooks, oldest first.
     *
     * `GET /webhooks`, needs webhooks:read.
     */
    list(query?: Record<string, never>, options?: Options): List<Webhook>;
    /**
     * Create a webhook; the answer holds its secret, and no other does.
     *
     * `POST /webhooks`, needs webhooks:write.
     * @throws {ConflictError} `WEBHOOK_LIMIT`: An organisation can have at most 20 webhooks; delete one first.
     */
    create(body: WebhookCreate, options?: CreateOptions): Promise<WebhookWithSecret>;
    /**
     * Read a webhook.
     *
     * `GET /webhooks/:webhookId`, needs webhooks:read.
     */
    get(webhookId: string, options?: Options): Promise<Webhook>;
    /**
     * Change, pause or resume a webhook.
     *
     * `PUT /webhooks/:webhookId`, needs webhooks:write.
     * @throws {ConflictError} `WEBHOOK_MAKER_ENDED`: The key or the app that made the webhook has ended, and the webhook with it; make a new one.
     */
    update(webhookId: string, body?: WebhookUpdate, options?: ChangeOptions): Promise<Webhook>;
    /**
     * Delete a webhook with its deliveries.
     *
     * `DELETE /webhooks/:webhookId`, needs webhooks:delete.
     */
    delete(webhookId: string, options?: ChangeOptions): Promise<{
        message: string;
        id: string;
    }>;
    /**
     * Give a webhook a new secret; the one before signs beside it for a while.
     *
     * `POST /webhooks/:webhookId/rotate-secret`, needs webhooks:write.
     */
    rotateSecret(webhookId: string, body?: WebhookRotation, options?: CreateOptions): Promise<RotatedSecret>;
    /**
     * Send a webhook an event of type webhook.test.
     *
     * `POST /webhooks/:webhookId/test`, needs webhooks:write.
     */
    test(webhookId: string, options?: CreateOptions): Promise<WebhookDelivery>;
    /**
     * Send a webhook past events again: a range of positions, or the deliveries that failed.
     *
     * `POST /webhooks/:webhookId/replay`, needs webhooks:write.
     */
    replay(webhookId: string, body?: WebhookReplay, options?: CreateOptions): Promise<WebhookReplayCount>;
    /** Of one record: `deliveries(webhookId).…`. */
    deliveries(webhookId: string): WebhooksDeliveriesCollection;
}
export interface ReportsCollection {
    /**
     * Report what came in, by when it was paid: payments, refunds, and the difference.
     *
     * `GET /reports/money-in`, needs payments:read, invoices:read.
     */
    moneyIn(query?: {
        from?: string;
        to?: string;
        groupBy?: 'day' | 'week' | 'month';
    }, options?: Options): Promise<MoneyInReport>;
    /**
     * Report what came in, by when it was paid: payments, refunds, and the difference, as rows as a table.
     *
     * `GET /reports/money-in`, needs payments:read, invoices:read.
     */
    moneyInFile(query?: {
        from?: string;
        to?: string;
        groupBy?: 'day' | 'week' | 'month';
    }, options?: Options): Promise<Blob>;
    /**
     * Report what is still owed today, by how late it is.
     *
     * `GET /reports/receivables`, needs invoices:read.
     */
    receivables(options?: Options): Promise<ReceivablesReport>;
    /**
     * Report what is still owed today, by how late it is, as rows as a table.
     *
     * `GET /reports/receivables`, needs invoices:read.
     */
    receivablesFile(options?: Options): Promise<Blob>;
    /**
     * Report how many jobs were opened and closed.
     *
     * `GET /reports/jobs`, needs tickets:read.
     */
    jobs(query?: {
        from?: string;
        to?: string;
        groupBy?: 'day' | 'week' | 'month';
    }, options?: Options): Promise<JobsReport>;
    /**
     * Report how many jobs were opened and closed, as rows as a table.
     *
     * `GET /reports/jobs`, needs tickets:read.
     */
    jobsFile(query?: {
        from?: string;
        to?: string;
        groupBy?: 'day' | 'week' | 'month';
    }, options?: Options): Promise<Blob>;
    /**
     * Report how long jobs took from being made to being closed.
     *
     * `GET /reports/turnaround`, needs tickets:read.
     */
    turnaround(query?: {
        from?: string;
        to?: string;
        groupBy?: 'day' | 'week' | 'month';
    }, options?: Options): Promise<TurnaroundReport>;
    /**
     * Report how long jobs took from being made to being closed, as rows as a table.
     *
     * `GET /reports/turnaround`, needs tickets:read.
     */
    turnaroundFile(query?: {
        from?: string;
        to?: string;
        groupBy?: 'day' | 'week' | 'month';
    }, options?: Options): Promise<Blob>;
    /**
     * Report the work of each technician: jobs closed, hours planned, invoiced.
     *
     * `GET /reports/technicians`, needs tickets:read, invoices:read, members:read.
     */
    technicians(query?: {
        from?: string;
        to?: string;
    }, options?: Options): Promise<TechniciansReport>;
    /**
     * Report the work of each technician: jobs closed, hours planned, invoiced, as rows as a table.
     *
     * `GET /reports/technicians`, needs tickets:read, invoices:read, members:read.
     */
    techniciansFile(query?: {
        from?: string;
        to?: string;
    }, options?: Options): Promise<Blob>;
    /**
     * Report what the stock is worth now, by category.
     *
     * `GET /reports/stock-value`, needs inventory:read, categories:read.
     */
    stockValue(options?: Options): Promise<StockValueReport>;
    /**
     * Report what the stock is worth now, by category, as rows as a table.
     *
     * `GET /reports/stock-value`, needs inventory:read, categories:read.
     */
    stockValueFile(options?: Options): Promise<Blob>;
    /**
     * Report how many quotes were made, and how many of them were won.
     *
     * `GET /reports/quotes`, needs quotes:read.
     */
    quotes(query?: {
        from?: string;
        to?: string;
        groupBy?: 'day' | 'week' | 'month';
    }, options?: Options): Promise<QuotesReport>;
    /**
     * Report how many quotes were made, and how many of them were won, as rows as a table.
     *
     * `GET /reports/quotes`, needs quotes:read.
     */
    quotesFile(query?: {
        from?: string;
        to?: string;
        groupBy?: 'day' | 'week' | 'month';
    }, options?: Options): Promise<Blob>;
}
export interface ImportsProblemsCollection {
    /**
     * List what is wrong, row by row; as csv the rows themselves, to be mended and brought again.
     *
     * `GET /imports/:importId/problems`, needs imports:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
        file?: number;
    }, options?: Options): List<ImportProblem>;
    /**
     * List what is wrong, row by row; as csv the rows themselves, to be mended and brought again, as table.
     *
     * `GET /imports/:importId/problems`, needs imports:read.
     */
    listFile(query?: {
        limit?: number;
        startAfter?: string;
        file?: number;
    }, options?: Options): Promise<Blob>;
}
export interface ImportsCollection {
    /**
     * List imports, newest first; each is kept for 30 days.
     *
     * `GET /imports`, needs imports:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
    }, options?: Options): List<Import>;
    /**
     * Begin an import: the columns of a file, and what they mean.
     *
     * `POST /imports`, needs imports:write, customers:write (at times), devices:write (at times), services:write (at times), inventory:write (at times), categories:write (at times), tickets:write (at times), messages:write (at times), quotes:write (at times), tax-rates:write (at times), invoices:write (at times), payments:write (at times).
     */
    create(body: ImportCreate, options?: CreateOptions): Promise<Import>;
    /**
     * Read an import.
     *
     * `GET /imports/:importId`, needs imports:read.
     */
    get(importId: string, options?: Options): Promise<Import>;
    /**
     * Send rows of an import, in chunks under 1 MB.
     *
     * `POST /imports/:importId/rows`, needs imports:write, customers:write (at times), devices:write (at times), services:write (at times), inventory:write (at times), categories:write (at times), tickets:write (at times), messages:write (at times), quotes:write (at times), tax-rates:write (at times), invoices:write (at times), payments:write (at times).
     * @throws {ConflictError} `IMPORT_NOT_OPEN`: The import is being judged or written already; make a new one.
     */
    rows(importId: string, body: ImportRows, options?: CreateOptions): Promise<Import>;
    /**
     * Have each record judged: what would be created, filled, skipped, and what is wrong; answers at once.
     *
     * `POST /imports/:importId/judge`, needs imports:write, customers:write (at times), devices:write (at times), services:write (at times), inventory:write (at times), categories:write (at times), tickets:write (at times), messages:write (at times), quotes:write (at times), tax-rates:write (at times), invoices:write (at times), payments:write (at times).
     * @throws {ConflictError} `IMPORT_NOT_OPEN`: The import is being judged or written already; make a new one.
     */
    judge(importId: string, body?: ImportJudgement, options?: CreateOptions): Promise<Import>;
    /**
     * Write what was judged, in the background; answers at once.
     *
     * `POST /imports/:importId/write`, needs imports:write, customers:write (at times), devices:write (at times), services:write (at times), inventory:write (at times), categories:write (at times), tickets:write (at times), messages:write (at times), quotes:write (at times), tax-rates:write (at times), invoices:write (at times), payments:write (at times).
     * @throws {ConflictError} `IMPORT_NOT_JUDGED`: Judge the import first, and answer its questions; then write it.
     * @throws {ConflictError} `IMPORT_IS_TRIAL`: It was only to be tried; bring the files again to have them written.
     * @throws {ConflictError} `IMPORT_IS_STALE`: Another import was written or undone since this one was judged, or is at it; judge it again then, and look.
     */
    write(importId: string, options?: CreateOptions): Promise<Import>;
    /**
     * Take back what an import wrote and nobody has worked on since, in the background; answers at once.
     *
     * `POST /imports/:importId/undo`, needs imports:write, customers:write (at times), customers:delete (at times), devices:write (at times), devices:delete (at times), services:write (at times), services:delete (at times), inventory:write (at times), inventory:delete (at times), categories:write (at times), categories:delete (at times), tickets:write (at times), tickets:delete (at times), messages:write (at times), messages:delete (at times), quotes:write (at times), quotes:delete (at times), tax-rates:write (at times), tax-rates:delete (at times), invoices:write (at times), invoices:delete (at times), payments:write (at times), payments:delete (at times).
     * @throws {ConflictError} `IMPORT_NOT_WRITTEN`: Only an import that is written, and not undone yet, can be undone.
     * @throws {ConflictError} `IMPORT_TOO_OLD`: An import can be undone for 30 days.
     * @throws {ConflictError} `IMPORT_MUST_WAIT`: Another import is being written, which counts on what is here; undo this one when that is done.
     */
    undo(importId: string, options?: CreateOptions): Promise<Import>;
    /** Of one record: `problems(importId).…`. */
    problems(importId: string): ImportsProblemsCollection;
}
export interface ExportsCollection {
    /**
     * List the files that were given out, newest first; those of payments only with `payments:read`.
     *
     * `GET /exports`, needs invoices:read.
     */
    list(query?: {
        limit?: number;
        startAfter?: string;
    }, options?: Options): List<Export>;
    /**
     * Make a file for the bookkeeper, and remember what it holds.
     *
     * `POST /exports`, needs invoices:write, payments:read (at times).
     * @throws {ConflictError} `EXPORT_INCOMPLETE`: The format needs settings that are not there, or do not fit each other; data.missing names them, set them with PUT on the organisation. Of the taxes that it names, all need their key but the one that the account knows by itself.
     */
    create(body: ExportCreate, options?: CreateOptions): Promise<Export>;
    /**
     * Look at invoices as a file for the bookkeeper, without remembering it.
     *
     * `GET /exports/invoices`, needs invoices:read.
     * @throws {ConflictError} `EXPORT_INCOMPLETE`: The format needs settings that are not there, or do not fit each other; data.missing names them, set them with PUT on the organisation. Of the taxes that it names, all need their key but the one that the account knows by itself.
     */
    invoices(query?: {
        format?: 'csv' | 'xero' | 'quickbooks' | 'datev' | 'journal';
        from?: string;
        to?: string;
        onlyNew?: boolean;
    }, options?: Options): Promise<Blob>;
    /**
     * Look at payments as a file for the bookkeeper, without remembering it.
     *
     * `GET /exports/payments`, needs payments:read.
     * @throws {ConflictError} `EXPORT_INCOMPLETE`: The format needs settings that are not there, or do not fit each other; data.missing names them, set them with PUT on the organisation. Of the taxes that it names, all need their key but the one that the account knows by itself.
     */
    payments(query?: {
        format?: 'csv' | 'xero' | 'quickbooks';
        from?: string;
        to?: string;
        onlyNew?: boolean;
    }, options?: Options): Promise<Blob>;
    /**
     * Read an export.
     *
     * `GET /exports/:exportId`, needs invoices:read, payments:read (at times).
     */
    get(exportId: string, options?: Options): Promise<Export>;
    /**
     * Read a file that was given out, as it was.
     *
     * `GET /exports/:exportId/file`, needs invoices:read, payments:read (at times).
     */
    getFile(exportId: string, options?: Options): Promise<Blob>;
}
