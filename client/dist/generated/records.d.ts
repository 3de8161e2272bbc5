export interface Organisation {
    id: string;
    name: string;
    email: string | null;
    phone: string | null;
    website: string | null;
    address: string | null;
    /** Printed on documents. */
    taxNumber: string | null;
    /** ISO 4217 code of all amounts. */
    currency: string;
    /** IANA name. */
    timeZone: string;
    /** Formats documents and email. */
    locale: string;
    logoUrl: string | null;
    /** What new quote numbers begin with. */
    quoteNumberPrefix: string;
    /** What new invoice numbers begin with. */
    invoiceNumberPrefix: string;
    /** How long a new quote can be accepted. */
    quoteValidDays: number;
    /** How long after its date a new invoice is due. */
    invoiceDueDays: number;
    documentTerms: string | null;
    paymentInstructions: string | null;
    /** As it is registered; the name if left out. */
    legalName: string | null;
    /** ISO 3166, two letters. */
    countryCode: string | null;
    /** Begins with the country. */
    vatId: string | null;
    /** Where e-invoices go, as on Peppol. */
    electronicAddress: ElectronicAddress | null;
    /** Where customers pay. */
    iban: string | null;
    bic: string | null;
    /** The e-invoice that goes along when an invoice is sent by email; none if left out. */
    eInvoiceFormat: OrganisationEInvoiceFormat | null;
    /** How the books are kept. It is changed as a whole. */
    accounting: Accounting | null;
    /** Which members sign in with a second factor: `managers` are managers and admins. Admins always do. */
    secondFactor: OrganisationSecondFactor;
    entitlement: OrganisationEntitlement;
    trialEndsAt: string | null;
    createdAt: string;
    updatedAt: string;
}
/** Where e-invoices go, as on Peppol. */
export interface ElectronicAddress {
    /** Such as 0088 (GLN) or EM (email). */
    scheme: string;
    value: string;
}
export type OrganisationEInvoiceFormat = 'ubl' | 'xrechnung' | 'factur-x';
/** How the books are kept. It is changed as a whole. */
export interface Accounting {
    /** The account of work that was sold. */
    salesAccount?: string | null;
    /** The account of parts that were sold; the salesAccount if left out. */
    partsAccount?: string | null;
    /** What the accounting program calls each tax, by the id of the tax rate; `none` is for lines without tax. The name of the rate where it is not named here. For DATEV it is the tax key (BU-Schlüssel), 1 to 4 digits, which every tax needs but the one that `revenueAccount` knows by itself. */
    taxNames?: Record<string, string> | null;
    /** How files write days; as the program expects if left out. */
    dateFormat?: AccountingDateFormat | null;
    datev?: DatevSettings | null;
}
export type AccountingDateFormat = 'YYYY-MM-DD' | 'DD/MM/YYYY' | 'MM/DD/YYYY' | 'DD.MM.YYYY';
export interface DatevSettings {
    /** The number of the tax consultant (Berater). */
    consultant?: string | null;
    /** The number of the client (Mandant). */
    client?: string | null;
    /** Month and day on which fiscal years begin; 01-01 if left out. */
    fiscalYearStart?: string | null;
    /** The account of what customers owe (Debitor): as many digits as `revenueAccount`, or one more. */
    debtorAccount?: string | null;
    /** The account of what was sold (Erlöse). */
    revenueAccount?: string | null;
}
export type OrganisationSecondFactor = 'admins' | 'managers' | 'everybody';
export type OrganisationEntitlement = 'pro' | 'trial' | 'basic' | 'none';
export interface OrganisationUpdate {
    name?: string;
    email?: string | null;
    phone?: string | null;
    website?: string | null;
    address?: string | null;
    /** Printed on documents. */
    taxNumber?: string | null;
    /** ISO 4217 code of all amounts. */
    currency?: string;
    /** IANA name. */
    timeZone?: string;
    /** Formats documents and email. */
    locale?: string;
    logoUrl?: string | null;
    /** What new quote numbers begin with. */
    quoteNumberPrefix?: string;
    /** What new invoice numbers begin with. */
    invoiceNumberPrefix?: string;
    /** How long a new quote can be accepted. */
    quoteValidDays?: number;
    /** How long after its date a new invoice is due. */
    invoiceDueDays?: number;
    documentTerms?: string | null;
    paymentInstructions?: string | null;
    /** As it is registered; the name if left out. */
    legalName?: string | null;
    /** ISO 3166, two letters. */
    countryCode?: string | null;
    /** Begins with the country. */
    vatId?: string | null;
    /** Where e-invoices go, as on Peppol. */
    electronicAddress?: ElectronicAddress | null;
    /** Where customers pay. */
    iban?: string | null;
    bic?: string | null;
    /** The e-invoice that goes along when an invoice is sent by email; none if left out. */
    eInvoiceFormat?: OrganisationEInvoiceFormat | null;
    /** How the books are kept. It is changed as a whole. */
    accounting?: Accounting | null;
    /** Which members sign in with a second factor: `managers` are managers and admins. Admins always do. */
    secondFactor?: OrganisationSecondFactor;
}
export interface Device {
    id: string;
    customerId: string;
    type: string | null;
    brand: string | null;
    make: string | null;
    model: string | null;
    /** Serial number, IMEI, VIN or plate. */
    identifier: string | null;
    /** What people call it; made from the other fields if unset. */
    name: string | null;
    /** An asset category. */
    categoryId: string | null;
    /** Its id elsewhere. */
    externalId: string | null;
    /** Which system. */
    externalSource: string | null;
    /** Its number there. */
    externalNumber: string | null;
    createdAt: string;
    updatedAt: string;
}
export interface DeviceCreate {
    type?: string | null;
    brand?: string | null;
    make?: string | null;
    model?: string | null;
    /** Serial number, IMEI, VIN or plate. */
    identifier?: string | null;
    /** What people call it; made from the other fields if unset. */
    name?: string | null;
    /** An asset category. */
    categoryId?: string | null;
    /** Its id elsewhere. */
    externalId?: string | null;
    /** Which system. */
    externalSource?: string | null;
    /** Its number there. */
    externalNumber?: string | null;
}
export interface DeviceUpdate {
    type?: string | null;
    brand?: string | null;
    make?: string | null;
    model?: string | null;
    /** Serial number, IMEI, VIN or plate. */
    identifier?: string | null;
    /** What people call it; made from the other fields if unset. */
    name?: string | null;
    /** An asset category. */
    categoryId?: string | null;
    /** Its id elsewhere. */
    externalId?: string | null;
    /** Which system. */
    externalSource?: string | null;
    /** Its number there. */
    externalNumber?: string | null;
}
export interface Customer {
    id: string;
    firstName: string;
    lastName: string | null;
    email: string | null;
    phone: string | null;
    businessName: string | null;
    address: string | null;
    /** For staff only. */
    notes: string | null;
    /** ISO 3166, two letters. */
    countryCode: string | null;
    /** Begins with the country. */
    vatId: string | null;
    /** Where e-invoices go, as on Peppol. */
    electronicAddress: ElectronicAddress | null;
    /** Stands on e-invoices, such as a Leitweg-ID. */
    buyerReference: string | null;
    /** Its id elsewhere. */
    externalId: string | null;
    /** Which system. */
    externalSource: string | null;
    /** Its number there. */
    externalNumber: string | null;
    createdAt: string;
    updatedAt: string;
}
export interface CustomerCreate {
    firstName: string;
    lastName?: string | null;
    email?: string | null;
    phone?: string | null;
    businessName?: string | null;
    address?: string | null;
    /** For staff only. */
    notes?: string | null;
    /** ISO 3166, two letters. */
    countryCode?: string | null;
    /** Begins with the country. */
    vatId?: string | null;
    /** Where e-invoices go, as on Peppol. */
    electronicAddress?: ElectronicAddress | null;
    /** Stands on e-invoices, such as a Leitweg-ID. */
    buyerReference?: string | null;
    /** Its id elsewhere. */
    externalId?: string | null;
    /** Which system. */
    externalSource?: string | null;
    /** Its number there. */
    externalNumber?: string | null;
}
export interface CustomerUpdate {
    firstName?: string;
    lastName?: string | null;
    email?: string | null;
    phone?: string | null;
    businessName?: string | null;
    address?: string | null;
    /** For staff only. */
    notes?: string | null;
    /** ISO 3166, two letters. */
    countryCode?: string | null;
    /** Begins with the country. */
    vatId?: string | null;
    /** Where e-invoices go, as on Peppol. */
    electronicAddress?: ElectronicAddress | null;
    /** Stands on e-invoices, such as a Leitweg-ID. */
    buyerReference?: string | null;
    /** Its id elsewhere. */
    externalId?: string | null;
    /** Which system. */
    externalSource?: string | null;
    /** Its number there. */
    externalNumber?: string | null;
}
export interface CustomerDeletion {
    customerId: string;
    status: CustomerDeletionStatus;
    /** How many of their jobs are deleted. */
    done: number;
    /** How many jobs they had, with those that came meanwhile. */
    total: number;
    startedAt: string;
    finishedAt: string | null;
}
export type CustomerDeletionStatus = 'running' | 'finished';
export interface TicketService {
    id: string;
    ticketId: string;
    serviceId: string | null;
    /** Required unless a source is given. */
    name: string;
    description: string | null;
    quantity: number;
    /** That of the source, else 0. */
    unitPrice: number;
    /** That of the source, else the default; null is untaxed. */
    taxRateId: string | null;
    warrantyDays: number | null;
    taxRate: TaxSnapshot | null;
    lineTotal: number;
    createdAt: string;
    updatedAt: string;
}
export interface TaxSnapshot {
    name: string;
    rate: number;
    isInclusive: boolean;
}
export interface TicketServiceCreate {
    serviceId?: string | null;
    /** Required unless a source is given. */
    name?: string;
    description?: string | null;
    /** Unless given: `1`. */
    quantity?: number;
    /** That of the source, else 0. */
    unitPrice?: number;
    /** That of the source, else the default; null is untaxed. */
    taxRateId?: string | null;
    warrantyDays?: number | null;
}
export interface TicketServiceUpdate {
    serviceId?: string | null;
    /** Required unless a source is given. */
    name?: string;
    description?: string | null;
    quantity?: number;
    /** That of the source, else 0. */
    unitPrice?: number;
    /** That of the source, else the default; null is untaxed. */
    taxRateId?: string | null;
    warrantyDays?: number | null;
}
export interface TicketInventory {
    id: string;
    ticketId: string;
    inventoryItemId: string | null;
    /** Required unless a source is given. */
    name: string;
    description: string | null;
    quantity: number;
    /** That of the source, else 0. */
    unitPrice: number;
    /** That of the source, else the default; null is untaxed. */
    taxRateId: string | null;
    warrantyDays: number | null;
    serialNumber: string | null;
    sku: string | null;
    taxRate: TaxSnapshot | null;
    lineTotal: number;
    createdAt: string;
    updatedAt: string;
}
export interface TicketInventoryCreate {
    inventoryItemId?: string | null;
    /** Required unless a source is given. */
    name?: string;
    description?: string | null;
    /** Unless given: `1`. */
    quantity?: number;
    /** That of the source, else 0. */
    unitPrice?: number;
    /** That of the source, else the default; null is untaxed. */
    taxRateId?: string | null;
    warrantyDays?: number | null;
    serialNumber?: string | null;
}
export interface TicketInventoryUpdate {
    inventoryItemId?: string | null;
    /** Required unless a source is given. */
    name?: string;
    description?: string | null;
    quantity?: number;
    /** That of the source, else 0. */
    unitPrice?: number;
    /** That of the source, else the default; null is untaxed. */
    taxRateId?: string | null;
    warrantyDays?: number | null;
    serialNumber?: string | null;
}
export interface TicketMessage {
    id: string;
    ticketId: string;
    text: string;
    /** `customer` shows it on the pages of the documents of the job. */
    visibility: TicketMessageVisibility;
    isSystem: boolean;
    systemEvent: string | null;
    systemData: Record<string, unknown> | null;
    authorId: string | null;
    authorName: string | null;
    createdAt: string;
    updatedAt: string;
}
export type TicketMessageVisibility = 'internal' | 'customer';
export interface TicketMessageCreate {
    text: string;
    /** `customer` shows it on the pages of the documents of the job. Unless given: `"internal"`. */
    visibility?: TicketMessageVisibility;
}
export interface TicketMessageUpdate {
    text?: string;
    /** `customer` shows it on the pages of the documents of the job. */
    visibility?: TicketMessageVisibility;
}
export interface TicketIncluding {
    id: string;
    customerId: string | null;
    /** The customer's name if left out. */
    customerName: string | null;
    customerEmail: string | null;
    /** The job's title. */
    serviceRequired: string | null;
    description: string | null;
    /** The exact name of a job status. */
    status: string;
    /** An active member. */
    assignedTechnician: string | null;
    /** A device of the customer. */
    deviceId: string | null;
    /** Follows the device, if there is one. */
    customerDeviceType: string | null;
    /** Follows the device, if there is one. */
    customerDeviceName: string | null;
    stationId: string | null;
    priority: TicketPriority;
    /** The customer's if left out. */
    address: string | null;
    scheduledFrom: string | null;
    scheduledTo: string | null;
    scheduledAllDay: boolean;
    /** Its id elsewhere. */
    externalId: string | null;
    /** Which system. */
    externalSource: string | null;
    /** Its number there. */
    externalNumber: string | null;
    ticketNumber: number;
    statusId: string;
    calendarEventId: string | null;
    openStartFormCount: number;
    openCompletionFormCount: number;
    openInvoiceFormCount: number;
    recurringScheduleId: string | null;
    occurrenceIndex: number | null;
    closedAt: string | null;
    createdAt: string;
    updatedAt: string;
    customer?: Customer | null;
    device?: Device | null;
    lines?: TicketLines;
}
export type TicketPriority = 'low' | 'normal' | 'high' | 'urgent';
export interface TicketLines {
    services: TicketService[];
    inventory: TicketInventory[];
}
export interface TicketCreate {
    customerId?: string | null;
    /** The customer's name if left out. */
    customerName?: string | null;
    customerEmail?: string | null;
    /** The job's title. */
    serviceRequired?: string | null;
    description?: string | null;
    /** The exact name of a job status. */
    status?: string;
    /** An active member. */
    assignedTechnician?: string | null;
    /** A device of the customer. */
    deviceId?: string | null;
    /** Follows the device, if there is one. */
    customerDeviceType?: string | null;
    /** Follows the device, if there is one. */
    customerDeviceName?: string | null;
    stationId?: string | null;
    /** Unless given: `"normal"`. */
    priority?: TicketPriority;
    /** The customer's if left out. */
    address?: string | null;
    scheduledFrom?: string | null;
    scheduledTo?: string | null;
    /** Unless given: `false`. */
    scheduledAllDay?: boolean;
    /** Its id elsewhere. */
    externalId?: string | null;
    /** Which system. */
    externalSource?: string | null;
    /** Its number there. */
    externalNumber?: string | null;
}
export interface Ticket {
    id: string;
    customerId: string | null;
    /** The customer's name if left out. */
    customerName: string | null;
    customerEmail: string | null;
    /** The job's title. */
    serviceRequired: string | null;
    description: string | null;
    /** The exact name of a job status. */
    status: string;
    /** An active member. */
    assignedTechnician: string | null;
    /** A device of the customer. */
    deviceId: string | null;
    /** Follows the device, if there is one. */
    customerDeviceType: string | null;
    /** Follows the device, if there is one. */
    customerDeviceName: string | null;
    stationId: string | null;
    priority: TicketPriority;
    /** The customer's if left out. */
    address: string | null;
    scheduledFrom: string | null;
    scheduledTo: string | null;
    scheduledAllDay: boolean;
    /** Its id elsewhere. */
    externalId: string | null;
    /** Which system. */
    externalSource: string | null;
    /** Its number there. */
    externalNumber: string | null;
    ticketNumber: number;
    statusId: string;
    calendarEventId: string | null;
    openStartFormCount: number;
    openCompletionFormCount: number;
    openInvoiceFormCount: number;
    recurringScheduleId: string | null;
    occurrenceIndex: number | null;
    closedAt: string | null;
    createdAt: string;
    updatedAt: string;
}
export interface TicketUpdate {
    customerId?: string | null;
    /** The customer's name if left out. */
    customerName?: string | null;
    customerEmail?: string | null;
    /** The job's title. */
    serviceRequired?: string | null;
    description?: string | null;
    /** The exact name of a job status. */
    status?: string;
    /** An active member. */
    assignedTechnician?: string | null;
    /** A device of the customer. */
    deviceId?: string | null;
    /** Follows the device, if there is one. */
    customerDeviceType?: string | null;
    /** Follows the device, if there is one. */
    customerDeviceName?: string | null;
    stationId?: string | null;
    priority?: TicketPriority;
    /** The customer's if left out. */
    address?: string | null;
    scheduledFrom?: string | null;
    scheduledTo?: string | null;
    scheduledAllDay?: boolean;
    /** Its id elsewhere. */
    externalId?: string | null;
    /** Which system. */
    externalSource?: string | null;
    /** Its number there. */
    externalNumber?: string | null;
}
export interface TicketStatusChange {
    status: string;
}
export interface Discount {
    type: DiscountType;
    /** Percent up to 100, or a sum. */
    value: number;
    reason?: string | null;
}
export type DiscountType = 'percent' | 'fixed';
export interface Totals {
    currency: string;
    serviceSubtotal: number;
    inventorySubtotal: number;
    subtotal: number;
    discountTotal: number;
    netTotal: number;
    taxTotal: number;
    total: number;
    taxes: TaxTotal[];
}
export interface TaxTotal {
    taxRateId: string | null;
    name: string;
    /** Percent. */
    rate: number;
    isInclusive: boolean;
    taxable: number;
    amount: number;
}
export interface Signature {
    signature: string | null;
    signedByName: string | null;
    signedAt: string | null;
}
export interface SignatureWrite {
    signature: string | null;
    signedByName?: string | null;
}
export interface Service {
    id: string;
    name: string;
    description: string | null;
    price: number;
    /** What it costs the shop itself. */
    cost: number | null;
    /** The tax rate its lines begin with. */
    taxRateId: string | null;
    durationMinutes: number | null;
    warrantyDays: number | null;
    warrantyTerms: string | null;
    /** Whether it is still sold. */
    isActive: boolean;
    /** Its id elsewhere. */
    externalId: string | null;
    /** Which system. */
    externalSource: string | null;
    /** Its number there. */
    externalNumber: string | null;
    createdAt: string;
    updatedAt: string;
}
export interface ServiceCreate {
    name: string;
    description?: string | null;
    /** Unless given: `0`. */
    price?: number;
    /** What it costs the shop itself. */
    cost?: number | null;
    /** The tax rate its lines begin with. */
    taxRateId?: string | null;
    durationMinutes?: number | null;
    warrantyDays?: number | null;
    warrantyTerms?: string | null;
    /** Whether it is still sold. Unless given: `true`. */
    isActive?: boolean;
    /** Its id elsewhere. */
    externalId?: string | null;
    /** Which system. */
    externalSource?: string | null;
    /** Its number there. */
    externalNumber?: string | null;
}
export interface ServiceUpdate {
    name?: string;
    description?: string | null;
    price?: number;
    /** What it costs the shop itself. */
    cost?: number | null;
    /** The tax rate its lines begin with. */
    taxRateId?: string | null;
    durationMinutes?: number | null;
    warrantyDays?: number | null;
    warrantyTerms?: string | null;
    /** Whether it is still sold. */
    isActive?: boolean;
    /** Its id elsewhere. */
    externalId?: string | null;
    /** Which system. */
    externalSource?: string | null;
    /** Its number there. */
    externalNumber?: string | null;
}
export interface StockCorrection {
    id: string;
    itemId: string;
    /** Why the quantity is corrected; kept with it. */
    reason: string | null;
    /** What was added, or taken away. */
    quantityDelta: number;
    /** What was on hand after it. */
    quantityAfter: number;
    /** The key, app or member. */
    madeBy: {
        kind: StockCorrectionKind;
        id: string | null;
        name: string | null;
    };
    createdAt: string;
    updatedAt: string;
}
export type StockCorrectionKind = 'key' | 'app' | 'member' | 'customer' | 'schedule' | 'operator' | 'system';
export interface InventoryItem {
    id: string;
    name: string;
    /** Yours; no two items have the same. */
    sku: string | null;
    barcode: string | null;
    description: string | null;
    /** An inventory category. */
    categoryId: string | null;
    price: number;
    /** What the shop pays for it. */
    cost: number | null;
    /** The tax rate its lines begin with. */
    taxRateId: string | null;
    /** Whether jobs that use it change the quantity on hand. */
    trackStock: boolean;
    /** Below zero when more was used than counted. */
    quantityOnHand: number;
    reorderLevel: number | null;
    supplier: string | null;
    warrantyDays: number | null;
    /** Its id elsewhere. */
    externalId: string | null;
    /** Which system. */
    externalSource: string | null;
    /** Its number there. */
    externalNumber: string | null;
    /** Whether a tracked item is at its reorder level or below. */
    isLowStock: boolean;
    createdAt: string;
    updatedAt: string;
}
export interface InventoryItemCreate {
    name: string;
    /** Yours; no two items have the same. */
    sku?: string | null;
    barcode?: string | null;
    description?: string | null;
    /** An inventory category. */
    categoryId?: string | null;
    /** Unless given: `0`. */
    price?: number;
    /** What the shop pays for it. */
    cost?: number | null;
    /** The tax rate its lines begin with. */
    taxRateId?: string | null;
    /** Whether jobs that use it change the quantity on hand. Unless given: `true`. */
    trackStock?: boolean;
    /** Below zero when more was used than counted. Unless given: `0`. */
    quantityOnHand?: number;
    reorderLevel?: number | null;
    supplier?: string | null;
    warrantyDays?: number | null;
    /** Its id elsewhere. */
    externalId?: string | null;
    /** Which system. */
    externalSource?: string | null;
    /** Its number there. */
    externalNumber?: string | null;
}
export interface InventoryItemUpdate {
    name?: string;
    /** Yours; no two items have the same. */
    sku?: string | null;
    barcode?: string | null;
    description?: string | null;
    /** An inventory category. */
    categoryId?: string | null;
    price?: number;
    /** What the shop pays for it. */
    cost?: number | null;
    /** The tax rate its lines begin with. */
    taxRateId?: string | null;
    /** Whether jobs that use it change the quantity on hand. */
    trackStock?: boolean;
    /** Below zero when more was used than counted. */
    quantityOnHand?: number;
    reorderLevel?: number | null;
    supplier?: string | null;
    warrantyDays?: number | null;
    /** Its id elsewhere. */
    externalId?: string | null;
    /** Which system. */
    externalSource?: string | null;
    /** Its number there. */
    externalNumber?: string | null;
    /** Added to the quantity on hand, whatever that is by then; in place of quantityOnHand. */
    quantityDelta?: number;
    /** Why the quantity is corrected; kept with it. */
    reason?: string | null;
}
export interface Quote {
    id: string;
    quoteNumber: string;
    /** The job's customer if left out. */
    customerId: string | null;
    /** The job it is for. */
    ticketId: string | null;
    /** The customer's name if left out. */
    customerName: string | null;
    customerEmail: string | null;
    title: string | null;
    /** For staff only. */
    notes: string | null;
    /** Printed on the document; the organisation's if left out. */
    terms: string | null;
    /** Its id elsewhere. */
    externalId: string | null;
    /** Which system. */
    externalSource: string | null;
    /** Its number there. */
    externalNumber: string | null;
    lineItems: LineItem[];
    discount: Discount | null;
    deposit: Deposit | null;
    currency: string;
    subtotal: number;
    discountTotal: number;
    netTotal: number;
    taxTotal: number;
    total: number;
    taxes: TaxTotal[];
    depositAmount: number;
    sentAt: string | null;
    /** When the customer first opened the shared page. */
    viewedAt: string | null;
    shareLink: ShareLink | null;
    delivery: Delivery | null;
    validUntil: string | null;
    /** Only converting makes a quote `invoiced`. */
    status: QuoteStatus;
    /** True from acceptance on, also when invoiced. */
    accepted: boolean;
    acceptedAt: string | null;
    acceptedByName: string | null;
    declinedAt: string | null;
    declineReason: string | null;
    /** Past validUntil without an answer. */
    isExpired: boolean;
    /** The newest invoice it was converted to. */
    invoiceId: string | null;
    createdAt: string;
    updatedAt: string;
}
export interface LineItem {
    /** By its source if left out. */
    kind: LineItemKind;
    serviceId: string | null;
    inventoryItemId: string | null;
    /** Required unless a source is given. */
    name: string;
    description: string | null;
    /** 1 if left out. */
    quantity: number;
    /** That of the source, else 0. */
    unitPrice: number;
    /** That of the source, else the default; null is untaxed. */
    taxRateId: string | null;
    warrantyDays: number | null;
    serialNumber: string | null;
    /** C62 pieces (if left out), HUR hours, DAY, KMT, MTR … */
    unitCode?: LineItemUnitCode;
    sku: string | null;
    taxRate: TaxSnapshot | null;
    lineTotal: number;
}
export type LineItemKind = 'service' | 'inventory' | 'custom';
export type LineItemUnitCode = 'C62' | 'H87' | 'EA' | 'SET' | 'PR' | 'DZN' | 'LS' | 'E48' | 'ACT' | 'HUR' | 'MIN' | 'SEC' | 'DAY' | 'WEE' | 'MON' | 'ANN' | 'KMT' | 'MTR' | 'CMT' | 'MMT' | 'SMI' | 'FOT' | 'INH' | 'YRD' | 'MTK' | 'MTQ' | 'LTR' | 'MLT' | 'GLL' | 'KGM' | 'GRM' | 'TNE' | 'LBR' | 'ONZ' | 'KWH' | 'XPK' | 'XBX' | 'XBG' | 'XRO' | 'XCT' | 'XPA';
export interface Deposit {
    type: DepositType;
    /** Percent up to 100, or a sum. */
    value: number;
    reason?: string | null;
}
export type DepositType = 'percent' | 'fixed';
export interface ShareLink {
    /** Null for callers who may only read: whoever has it can answer a quote. */
    url: string | null;
    expiresAt: string | null;
    createdAt: string;
    lastViewedAt: string | null;
    viewCount: number;
}
export interface Delivery {
    id: string;
    to: string;
    status: DeliveryStatus;
    queuedAt: string;
    sentAt: string | null;
    failureReason: string | null;
}
export type DeliveryStatus = 'queued' | 'sent' | 'failed';
export type QuoteStatus = 'draft' | 'sent' | 'accepted' | 'declined' | 'invoiced';
export interface QuoteCreate {
    /** The job's customer if left out. */
    customerId?: string | null;
    /** The job it is for. */
    ticketId?: string | null;
    /** The customer's name if left out. */
    customerName?: string | null;
    customerEmail?: string | null;
    title?: string | null;
    /** For staff only. */
    notes?: string | null;
    /** Printed on the document; the organisation's if left out. */
    terms?: string | null;
    /** Its id elsewhere. */
    externalId?: string | null;
    /** Which system. */
    externalSource?: string | null;
    /** Its number there. */
    externalNumber?: string | null;
    lineItems?: LineItemWrite[];
    discount?: Discount | null;
    deposit?: Deposit | null;
    /** After the organisation's quoteValidDays if left out. */
    validUntil?: string | null;
    /** Only converting makes a quote `invoiced`. */
    status?: QuoteStatus;
    /** True from acceptance on, also when invoiced. */
    accepted?: boolean;
}
export interface LineItemWrite {
    /** By its source if left out. */
    kind?: LineItemKind;
    serviceId?: string | null;
    inventoryItemId?: string | null;
    /** Required unless a source is given. */
    name?: string;
    description?: string | null;
    /** 1 if left out. */
    quantity?: number;
    /** That of the source, else 0. */
    unitPrice?: number;
    /** That of the source, else the default; null is untaxed. */
    taxRateId?: string | null;
    warrantyDays?: number | null;
    serialNumber?: string | null;
    /** C62 pieces (if left out), HUR hours, DAY, KMT, MTR … */
    unitCode?: LineItemUnitCode;
}
export interface QuoteUpdate {
    /** The job's customer if left out. */
    customerId?: string | null;
    /** The job it is for. */
    ticketId?: string | null;
    /** The customer's name if left out. */
    customerName?: string | null;
    customerEmail?: string | null;
    title?: string | null;
    /** For staff only. */
    notes?: string | null;
    /** Printed on the document; the organisation's if left out. */
    terms?: string | null;
    /** Its id elsewhere. */
    externalId?: string | null;
    /** Which system. */
    externalSource?: string | null;
    /** Its number there. */
    externalNumber?: string | null;
    lineItems?: LineItemWrite[];
    discount?: Discount | null;
    deposit?: Deposit | null;
    /** After the organisation's quoteValidDays if left out. */
    validUntil?: string | null;
    /** Only converting makes a quote `invoiced`. */
    status?: QuoteStatus;
    /** True from acceptance on, also when invoiced. */
    accepted?: boolean;
}
export interface Invoice {
    id: string;
    invoiceNumber: string;
    /** The quote it was converted from. */
    quoteId: string | null;
    /** The job's customer if left out. */
    customerId: string | null;
    /** The job it is for. */
    ticketId: string | null;
    /** The customer's name if left out. */
    customerName: string | null;
    customerEmail: string | null;
    title: string | null;
    /** For staff only. */
    notes: string | null;
    /** Printed on the document; the organisation's if left out. */
    terms: string | null;
    /** Its id elsewhere. */
    externalId: string | null;
    /** Which system. */
    externalSource: string | null;
    /** Its number there. */
    externalNumber: string | null;
    lineItems: LineItem[];
    discount: Discount | null;
    deposit: Deposit | null;
    currency: string;
    subtotal: number;
    discountTotal: number;
    netTotal: number;
    taxTotal: number;
    total: number;
    taxes: TaxTotal[];
    depositAmount: number;
    sentAt: string | null;
    /** When the customer first opened the shared page. */
    viewedAt: string | null;
    shareLink: ShareLink | null;
    delivery: Delivery | null;
    /** How to pay; the organisation's if left out. */
    paymentInstructions: string | null;
    issuedAt: string;
    dueAt: string;
    /** Whether it is paid is told by `paid`. */
    status: InvoiceStatus;
    /** Whether all of it is paid. */
    paid: boolean;
    /** Whether what was asked for in advance is paid. */
    depositPaid: boolean;
    /** Whether something is still to be paid. */
    hasBalance: boolean;
    /** Sent, past its due date, and not paid. */
    isOverdue: boolean;
    /** All payments, less refunds. */
    amountPaid: number;
    /** What is still to be paid; below zero where the customer is in credit. */
    balance: number;
    paidAt: string | null;
    voidedAt: string | null;
    createdAt: string;
    updatedAt: string;
}
export type InvoiceStatus = 'draft' | 'sent' | 'void';
export interface Send {
    /** The document's customerEmail if left out. */
    to?: string | null;
    cc?: string[];
    /** Such as "Quote Q-0007 from Harbour Repairs" if left out. */
    subject?: string | null;
    message?: string | null;
    /** Whether the PDF goes along. Unless given: `true`. */
    attachPdf?: boolean;
}
export interface ShareLinkCreate {
    /** When the address stops working; never if left out. */
    expiresAt?: string | null;
    /** Whether to make a new address and end the one there is. Unless given: `false`. */
    rotate?: boolean;
}
export interface ShareLinkWithToken {
    url: string;
    token: string;
    expiresAt: string | null;
    createdAt: string;
    viewCount: number;
    lastViewedAt: string | null;
}
export interface Reminder {
    id: string;
    invoiceId: string;
    /** In the future, at most two years ahead. */
    remindAt: string;
    message: string | null;
    /** The invoice's if left out. */
    to: string | null;
    /** `skipped` where nothing was owed, or the invoice was not sent, when the time came. */
    status: ReminderStatus;
    sentAt: string | null;
    failureReason: string | null;
    createdAt: string;
    updatedAt: string;
}
export type ReminderStatus = 'scheduled' | 'sent' | 'skipped' | 'failed';
export interface ReminderCreate {
    /** In the future, at most two years ahead. */
    remindAt: string;
    message?: string | null;
    /** The invoice's if left out. */
    to?: string | null;
}
export interface ReminderUpdate {
    /** In the future, at most two years ahead. */
    remindAt?: string;
    message?: string | null;
    /** The invoice's if left out. */
    to?: string | null;
}
export interface InvoiceCreate {
    /** The job's customer if left out. */
    customerId?: string | null;
    /** The job it is for. */
    ticketId?: string | null;
    /** The customer's name if left out. */
    customerName?: string | null;
    customerEmail?: string | null;
    title?: string | null;
    /** For staff only. */
    notes?: string | null;
    /** Printed on the document; the organisation's if left out. */
    terms?: string | null;
    /** Its id elsewhere. */
    externalId?: string | null;
    /** Which system. */
    externalSource?: string | null;
    /** Its number there. */
    externalNumber?: string | null;
    lineItems?: LineItemWrite[];
    discount?: Discount | null;
    deposit?: Deposit | null;
    /** How to pay; the organisation's if left out. */
    paymentInstructions?: string | null;
    /** Now if left out. */
    issuedAt?: string;
    /** After the organisation's invoiceDueDays if left out. */
    dueAt?: string;
    /** Whether it is paid is told by `paid`. */
    status?: InvoiceStatus;
}
export interface InvoiceUpdate {
    /** The job's customer if left out. */
    customerId?: string | null;
    /** The job it is for. */
    ticketId?: string | null;
    /** The customer's name if left out. */
    customerName?: string | null;
    customerEmail?: string | null;
    title?: string | null;
    /** For staff only. */
    notes?: string | null;
    /** Printed on the document; the organisation's if left out. */
    terms?: string | null;
    /** Its id elsewhere. */
    externalId?: string | null;
    /** Which system. */
    externalSource?: string | null;
    /** Its number there. */
    externalNumber?: string | null;
    lineItems?: LineItemWrite[];
    discount?: Discount | null;
    deposit?: Deposit | null;
    /** How to pay; the organisation's if left out. */
    paymentInstructions?: string | null;
    /** Now if left out. */
    issuedAt?: string;
    /** After the organisation's invoiceDueDays if left out. */
    dueAt?: string;
    /** Whether it is paid is told by `paid`. */
    status?: InvoiceStatus;
}
export interface Payment {
    id: string;
    invoiceId: string;
    /** Below zero for a refund. */
    amount: number;
    /** Such as cash, card, bankTransfer, cheque or other. */
    paymentMethod: string;
    notes: string | null;
    /** Now if left out. */
    paidAt: string;
    source: PaymentSource;
    /** Whether another system keeps it: it is changed there. */
    isManaged: boolean;
    externalId: string | null;
    customerId: string | null;
    ticketId: string | null;
    createdAt: string;
    updatedAt: string;
}
export type PaymentSource = 'manual' | 'processor' | 'accounting';
export interface PaymentCreate {
    invoiceId: string;
    /** Below zero for a refund. */
    amount: number;
    /** Such as cash, card, bankTransfer, cheque or other. Unless given: `"other"`. */
    paymentMethod?: string;
    notes?: string | null;
    /** Now if left out. */
    paidAt?: string;
}
export interface PaymentUpdate {
    invoiceId?: string;
    /** Below zero for a refund. */
    amount?: number;
    /** Such as cash, card, bankTransfer, cheque or other. */
    paymentMethod?: string;
    notes?: string | null;
    /** Now if left out. */
    paidAt?: string;
}
export interface CalendarEvent {
    id: string;
    /** Made from the job if left out. */
    title: string;
    from: string;
    to: string;
    /** Whole days of the organisation's time zone. */
    allDay: boolean;
    /** An active member. */
    assignedToId: string | null;
    /** The job; each has at most one event. */
    ticketId: string | null;
    location: string | null;
    notes: string | null;
    recurringScheduleId: string | null;
    occurrenceIndex: number | null;
    createdAt: string;
    updatedAt: string;
}
export interface CalendarEventCreate {
    /** Made from the job if left out. */
    title?: string;
    from: string;
    to: string;
    /** Whole days of the organisation's time zone. Unless given: `false`. */
    allDay?: boolean;
    /** An active member. */
    assignedToId?: string | null;
    /** The job; each has at most one event. */
    ticketId?: string | null;
    location?: string | null;
    notes?: string | null;
}
export interface CalendarEventUpdate {
    /** Made from the job if left out. */
    title?: string;
    from?: string;
    to?: string;
    /** Whole days of the organisation's time zone. */
    allDay?: boolean;
    /** An active member. */
    assignedToId?: string | null;
    /** The job; each has at most one event. */
    ticketId?: string | null;
    location?: string | null;
    notes?: string | null;
}
export interface Station {
    id: string;
    name: string;
    /** Its place in the list; a new one goes to the end. */
    index: number;
    /** How many active jobs fit; null is any number. More can be assigned all the same. */
    capacity: number | null;
    /** Jobs assigned to it whose status is not of the stage closed. */
    activeJobCount: number;
    isOverCapacity: boolean;
    createdAt: string;
    updatedAt: string;
}
export interface StationCreate {
    name: string;
    /** Its place in the list; a new one goes to the end. */
    index?: number;
    /** How many active jobs fit; null is any number. More can be assigned all the same. Unless given: `1`. */
    capacity?: number | null;
}
export interface StationUpdate {
    name?: string;
    /** Its place in the list; a new one goes to the end. */
    index?: number;
    /** How many active jobs fit; null is any number. More can be assigned all the same. */
    capacity?: number | null;
}
export interface TaxRate {
    id: string;
    name: string;
    /** Percent. */
    rate: number;
    /** Whether prices contain it already. */
    isInclusive: boolean;
    /** Whether it is the default; no other one is then. */
    defaultEnabled: boolean;
    /** For e-invoices: S standard, Z zero rated, E exempt, AE reverse charge, O outside VAT. S, or Z at 0 %, if left out; E, AE and O need an `exemptionReason`. */
    vatCategory: TaxRateVatCategory | null;
    /** Why no tax is charged, on e-invoices. */
    exemptionReason: string | null;
    createdAt: string;
    updatedAt: string;
}
export type TaxRateVatCategory = 'S' | 'Z' | 'E' | 'AE' | 'O';
export interface TaxRateCreate {
    name: string;
    /** Percent. */
    rate: number;
    /** Whether prices contain it already. Unless given: `false`. */
    isInclusive?: boolean;
    /** Whether it is the default; no other one is then. Unless given: `false`. */
    defaultEnabled?: boolean;
    /** For e-invoices: S standard, Z zero rated, E exempt, AE reverse charge, O outside VAT. S, or Z at 0 %, if left out; E, AE and O need an `exemptionReason`. */
    vatCategory?: TaxRateVatCategory | null;
    /** Why no tax is charged, on e-invoices. */
    exemptionReason?: string | null;
}
export interface TaxRateUpdate {
    name?: string;
    /** Percent. */
    rate?: number;
    /** Whether prices contain it already. */
    isInclusive?: boolean;
    /** Whether it is the default; no other one is then. */
    defaultEnabled?: boolean;
    /** For e-invoices: S standard, Z zero rated, E exempt, AE reverse charge, O outside VAT. S, or Z at 0 %, if left out; E, AE and O need an `exemptionReason`. */
    vatCategory?: TaxRateVatCategory | null;
    /** Why no tax is charged, on e-invoices. */
    exemptionReason?: string | null;
}
export interface TicketStatus {
    id: string;
    name: string;
    /** ARGB as one number. */
    color: number;
    /** Its place in the list; a new one goes to the end. */
    index: number;
    /** What it means for a job; closed jobs are not active. */
    stage: TicketStatusStage;
    /** `default` is built in. */
    type: TicketStatusType;
    createdAt: string;
    updatedAt: string;
}
export type TicketStatusStage = 'open' | 'inProgress' | 'closed';
export type TicketStatusType = 'default' | 'custom';
export interface TicketStatusCreate {
    name: string;
    /** ARGB as one number. Unless given: `4288585374`. */
    color?: number;
    /** Its place in the list; a new one goes to the end. */
    index?: number;
    /** What it means for a job; closed jobs are not active. Unless given: `"open"`. */
    stage?: TicketStatusStage;
}
export interface TicketStatusUpdate {
    name?: string;
    /** ARGB as one number. */
    color?: number;
    /** Its place in the list; a new one goes to the end. */
    index?: number;
    /** What it means for a job; closed jobs are not active. */
    stage?: TicketStatusStage;
}
export interface Occurrence {
    /** Counts from 0 in the order of the series; never reused. */
    index: number;
    /** When the series would have it. */
    originalFrom: string;
    from: string;
    to: string;
    status: OccurrenceStatus;
    ticketId: string | null;
    isMoved: boolean;
    isResized: boolean;
    skipReason: string | null;
}
export type OccurrenceStatus = 'planned' | 'generated' | 'skipped' | 'cancelled';
export interface OccurrenceSkipping {
    reason?: string | null;
}
export interface OccurrenceMove {
    from: string;
    to?: string | null;
}
export interface OccurrenceResize {
    to?: string;
    durationMinutes?: number;
}
export interface RecurringSchedule {
    id: string;
    name: string | null;
    /** Cannot change; null once the customer is deleted. */
    customerId: string | null;
    /** A device of the customer. */
    deviceId: string | null;
    /** From when on the rule holds; its time of day is the time of every visit. */
    startsAt: string;
    /** The clock that visits go by, whatever the season: an IANA name; the organisation's if left out. */
    timeZone: string;
    /** An RRULE of RFC 5545: FREQ (DAILY, WEEKLY, MONTHLY, YEARLY), INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, COUNT or UNTIL. */
    rrule: string;
    durationMinutes: number;
    /** The title of each visit's job. */
    serviceRequired: string;
    description: string | null;
    /** An active member. */
    assignedTechnician: string | null;
    stationId: string | null;
    /** What is sold on each visit; the lines of its job. */
    lineItems: RecurringLine[];
    /** How far ahead jobs are made. */
    horizonDays: number;
    status: RecurringScheduleStatus;
    nextOccurrenceAt: string | null;
    /** Up to when jobs were made for all visits. */
    generatedThrough: string | null;
    /** How many visits have a job. */
    generatedCount: number;
    /** What the service is still doing after a request that was answered 202. */
    pendingWork: RecurringPendingWork | null;
    pausedAt: string | null;
    resumesAt: string | null;
    endedAt: string | null;
    createdAt: string;
    updatedAt: string;
}
export interface RecurringLine {
    /** Follows from the source. */
    kind?: RecurringLineKind;
    serviceId?: string | null;
    inventoryItemId?: string | null;
    /** Required unless a source is given. */
    name?: string;
    description?: string | null;
    /** 1 if left out. */
    quantity?: number;
    /** The source's price of the day if left out. */
    unitPrice?: number;
    /** The source's or the default rate if left out; null is untaxed. */
    taxRateId?: string | null;
    warrantyDays?: number | null;
}
export type RecurringLineKind = 'service' | 'inventory' | 'custom';
export type RecurringScheduleStatus = 'active' | 'paused' | 'ended';
/** What the service is still doing after a request that was answered 202. */
export interface RecurringPendingWork {
    kind: RecurringPendingWorkKind;
    /** How many visits are done. */
    done: number;
    /** How many there are in all, as far as is known. */
    total: number;
}
export type RecurringPendingWorkKind = 'generate' | 'resync' | 'end';
export interface RecurringScheduleCreate {
    customerId: string;
    /** From when on the rule holds; its time of day is the time of every visit. */
    startsAt: string;
    /** Values that are left out are copied from it, once. */
    presetId?: string | null;
    name?: string | null;
    /** A device of the customer. */
    deviceId?: string | null;
    /** The clock that visits go by, whatever the season: an IANA name; the organisation's if left out. */
    timeZone?: string;
    /** An RRULE of RFC 5545: FREQ (DAILY, WEEKLY, MONTHLY, YEARLY), INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, COUNT or UNTIL. */
    rrule?: string;
    durationMinutes?: number;
    /** The title of each visit's job. */
    serviceRequired?: string;
    description?: string | null;
    /** An active member. */
    assignedTechnician?: string | null;
    stationId?: string | null;
    /** What is sold on each visit; the lines of its job. */
    lineItems?: RecurringLine[];
    /** How far ahead jobs are made. */
    horizonDays?: number;
}
export interface RecurringScheduleUpdate {
    name?: string | null;
    /** Cannot change; null once the customer is deleted. */
    customerId?: string | null;
    /** A device of the customer. */
    deviceId?: string | null;
    /** From when on the rule holds; its time of day is the time of every visit. */
    startsAt?: string;
    /** The clock that visits go by, whatever the season: an IANA name; the organisation's if left out. */
    timeZone?: string;
    /** An RRULE of RFC 5545: FREQ (DAILY, WEEKLY, MONTHLY, YEARLY), INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, COUNT or UNTIL. */
    rrule?: string;
    durationMinutes?: number;
    /** The title of each visit's job. */
    serviceRequired?: string;
    description?: string | null;
    /** An active member. */
    assignedTechnician?: string | null;
    stationId?: string | null;
    /** What is sold on each visit; the lines of its job. */
    lineItems?: RecurringLine[];
    /** How far ahead jobs are made. */
    horizonDays?: number;
}
export interface RecurringPause {
    /** When it resumes by itself. */
    until?: string | null;
}
export interface RecurringEnd {
    /** Now if left out; visits before it still take place. */
    endsAt?: string | null;
}
export interface RecurringEnded {
    removed: number;
    kept: number;
}
export interface RecurringResync {
    /** Visits from then on; now if left out. */
    from?: string | null;
}
export interface RecurringResynced {
    updated: number;
    created: number;
    removed: number;
    kept: number;
}
export interface RecurringGenerate {
    /** Up to when, 365 days ahead at most; horizonDays if left out. */
    through?: string | null;
}
export interface RecurringGenerated {
    generated: GeneratedVisit[];
    generatedThrough: string;
}
export interface GeneratedVisit {
    index: number;
    ticketId: string;
}
export interface RecurringPreset {
    id: string;
    name: string;
    /** An RRULE of RFC 5545: FREQ (DAILY, WEEKLY, MONTHLY, YEARLY), INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, COUNT or UNTIL. */
    rrule: string | null;
    durationMinutes: number | null;
    /** How far ahead jobs are made. */
    horizonDays: number | null;
    /** The title of each visit's job. */
    serviceRequired: string | null;
    description: string | null;
    /** An active member. */
    assignedTechnician: string | null;
    stationId: string | null;
    /** What is sold on each visit; the lines of its job. */
    lineItems: RecurringLine[];
    createdAt: string;
    updatedAt: string;
}
export interface RecurringPresetCreate {
    name: string;
    /** An RRULE of RFC 5545: FREQ (DAILY, WEEKLY, MONTHLY, YEARLY), INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, COUNT or UNTIL. */
    rrule?: string | null;
    durationMinutes?: number | null;
    /** How far ahead jobs are made. */
    horizonDays?: number | null;
    /** The title of each visit's job. */
    serviceRequired?: string | null;
    description?: string | null;
    /** An active member. */
    assignedTechnician?: string | null;
    stationId?: string | null;
    /** What is sold on each visit; the lines of its job. Unless given: `[]`. */
    lineItems?: RecurringLine[];
}
export interface RecurringPresetUpdate {
    name?: string;
    /** An RRULE of RFC 5545: FREQ (DAILY, WEEKLY, MONTHLY, YEARLY), INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, COUNT or UNTIL. */
    rrule?: string | null;
    durationMinutes?: number | null;
    /** How far ahead jobs are made. */
    horizonDays?: number | null;
    /** The title of each visit's job. */
    serviceRequired?: string | null;
    description?: string | null;
    /** An active member. */
    assignedTechnician?: string | null;
    stationId?: string | null;
    /** What is sold on each visit; the lines of its job. */
    lineItems?: RecurringLine[];
}
export interface InventoryCategory {
    id: string;
    name: string;
    /** Its place in the list; a new one goes to the end. */
    index: number;
    /** As an ARGB number. */
    color: number | null;
    createdAt: string;
    updatedAt: string;
}
export interface InventoryCategoryCreate {
    name: string;
    /** Its place in the list; a new one goes to the end. */
    index?: number;
    /** As an ARGB number. */
    color?: number | null;
}
export interface InventoryCategoryUpdate {
    name?: string;
    /** Its place in the list; a new one goes to the end. */
    index?: number;
    /** As an ARGB number. */
    color?: number | null;
}
export interface AssetCategory {
    id: string;
    name: string;
    /** Its place in the list; a new one goes to the end. */
    index: number;
    /** As an ARGB number. */
    color: number | null;
    createdAt: string;
    updatedAt: string;
}
export interface AssetCategoryCreate {
    name: string;
    /** Its place in the list; a new one goes to the end. */
    index?: number;
    /** As an ARGB number. */
    color?: number | null;
}
export interface AssetCategoryUpdate {
    name?: string;
    /** Its place in the list; a new one goes to the end. */
    index?: number;
    /** As an ARGB number. */
    color?: number | null;
}
export interface FormTemplate {
    id: string;
    name: string;
    description: string | null;
    /** Goes up when what it asks changes. */
    version: number;
    /** Rules ask for published templates only. */
    status: FormTemplateStatus;
    fields: FormField[];
    /** Whose signatures it needs. */
    signatureRoles: FormTemplateSignatureRoles[];
    createdAt: string;
    updatedAt: string;
}
export type FormTemplateStatus = 'draft' | 'published' | 'archived';
export interface FormField {
    id: string;
    label: string;
    /** A section is a heading; it has no answer. */
    type: FormFieldType;
    /** Whether it must be answered before the form is submitted. */
    required: boolean;
    /** What can be chosen; empty for other types. */
    options: string[];
}
export type FormFieldType = 'text' | 'number' | 'boolean' | 'choice' | 'multiChoice' | 'date' | 'photo' | 'signature' | 'section';
export type FormTemplateSignatureRoles = 'technician' | 'customer';
export interface FormRule {
    id: string;
    name: string;
    templateId: string;
    /** What waits until the form is submitted or voided: starting the job, closing it, invoicing it, or nothing. */
    gate: FormRuleGate;
    isActive: boolean;
    /** Which jobs: those that meet every list. An empty list means any. */
    match: FormMatch;
    createdAt: string;
    updatedAt: string;
}
export type FormRuleGate = 'start' | 'completion' | 'invoice' | 'none';
/** Which jobs: those that meet every list. An empty list means any. */
export interface FormMatch {
    /** Services on the lines of the job. */
    serviceIds: string[];
    /** Types of its device (`customerDeviceType`), without regard to case and outer spaces. */
    deviceTypes: string[];
    /** Categories of its device. */
    assetCategoryIds: string[];
    /** Schedules that it was made by. */
    recurringScheduleIds: string[];
}
export interface FormSignature {
    id: string;
    role: FormSignatureRole;
    signerName: string;
    /** A typed name or a data URL. */
    signature: string;
    signedAt: string;
}
export type FormSignatureRole = 'technician' | 'customer';
export interface FormEvent {
    id: string;
    type: FormEventType;
    /** A member or a key; null for the command line. */
    actorId: string | null;
    actorName: string | null;
    at: string;
    detail: Record<string, unknown> | null;
}
export type FormEventType = 'created' | 'opened' | 'answered' | 'signed' | 'submitted' | 'reopened' | 'voided';
export interface FormSubmission {
    id: string;
    templateId: string;
    /** As it was when the form was asked for. */
    templateName: string;
    templateVersion: number;
    /** The rule that asked for it; null if a person did. */
    ruleId: string | null;
    /** What was submitted is kept when the job is deleted. */
    ticketId: string;
    customerId: string | null;
    deviceId: string | null;
    /** What waits until the form is submitted or voided: starting the job, closing it, invoicing it, or nothing. */
    gate: FormSubmissionGate;
    /** Open until somebody begins to fill it in. */
    status: FormSubmissionStatus;
    /** As they were when the form was asked for. */
    fields: FormField[];
    /** Whose signatures it needs. */
    signatureRoles: FormSubmissionSignatureRoles[];
    /** In the order of the fields; those without an answer are left out. */
    answers: FormAnswer[];
    /** Who does the job. */
    assignedToId: string | null;
    submittedAt: string | null;
    /** Null for the command line. */
    submittedById: string | null;
    voidReason: string | null;
    createdAt: string;
    updatedAt: string;
}
export type FormSubmissionGate = 'start' | 'completion' | 'invoice' | 'none';
export type FormSubmissionStatus = 'open' | 'inProgress' | 'submitted' | 'voided';
export type FormSubmissionSignatureRoles = 'technician' | 'customer';
export interface FormAnswer {
    fieldId: string;
    label: string;
    type: FormAnswerType;
    /** As the type of the field asks; a date is `YYYY-MM-DD`, a photo an address: of a picture here, which getFormPhoto reads, or elsewhere. */
    value: string | number | boolean | string[];
}
export type FormAnswerType = 'text' | 'number' | 'boolean' | 'choice' | 'multiChoice' | 'date' | 'photo' | 'signature' | 'section';
export interface Member {
    id: string;
    firstName: string;
    lastName: string | null;
    email: string;
    phone: string | null;
    role: MemberRole;
    /** Whether they can sign in and be given work. */
    isActive: boolean;
    /** ARGB as one number. */
    color: number | null;
    createdAt: string;
    updatedAt: string;
}
export type MemberRole = 'admin' | 'manager' | 'technician';
export interface Event {
    /** The same wherever the event is told. */
    id: string;
    /** Counts from 1 without gaps in the organisation; what you may not read is skipped. */
    position: number | null;
    type: string;
    /** When the change was made. */
    at: string;
    /** Who made the change. */
    actor: EventActor;
    /** The path of the collection without ids. */
    resource: string;
    recordId: string;
    parentId: string | null;
    /** The fields that changed. */
    changed: string[];
    /** Their values before; the whole record, where it was deleted. */
    previous: Record<string, unknown> | null;
    /** The record as it is read, moments after the change; null once it is gone. */
    data: Record<string, unknown> | null;
    /** Fields that are too long to be told. */
    omitted: string[];
}
/** Who made the change. */
export interface EventActor {
    kind: EventActorKind;
    id: string | null;
    name: string | null;
}
export type EventActorKind = 'key' | 'app' | 'member' | 'customer' | 'schedule' | 'operator' | 'system';
export interface WebhookDelivery {
    id: string;
    webhookId: string;
    eventId: string;
    eventType: string;
    status: WebhookDeliveryStatus;
    /** Oldest first, the last twenty. */
    attempts: ({
        at: string;
        statusCode: number | null;
        durationMs: number;
        /** The first 1,000 characters of the answer. */
        response: string | null;
        /** Why there was no answer, or why it does not count. */
        error: string | null;
    })[];
    /** Null while it waits behind another delivery about the same record. */
    nextAttemptAt: string | null;
    createdAt: string;
    updatedAt: string;
}
export type WebhookDeliveryStatus = 'waiting' | 'delivered' | 'failed';
export interface Webhook {
    id: string;
    /** Where events are posted to: https, without a user name or a password. It is changed by who may read all that the webhook tells. */
    url: string;
    /** Types of events: `ticket.created`, `ticket.*`, or `*` for all. */
    types: string[];
    description: string | null;
    /** While it is paused nothing is queued for it; a replay sends what it missed. */
    isPaused: boolean;
    /** Why it is paused: by somebody, because the receiver answered 410, after failing for five days, or because the key or app that made it has ended. */
    pausedReason: WebhookPausedReason | null;
    createdBy: {
        kind: WebhookKind;
        id: string | null;
        name: string;
    };
    /** Since when no attempt has succeeded, if the last one failed. */
    failingSince: string | null;
    lastDeliveredAt: string | null;
    createdAt: string;
    updatedAt: string;
}
export type WebhookPausedReason = 'manual' | 'gone' | 'failing' | 'maker_revoked';
export type WebhookKind = 'key' | 'app' | 'member' | 'operator';
export interface WebhookCreate {
    /** Where events are posted to: https, without a user name or a password. It is changed by who may read all that the webhook tells. */
    url: string;
    /** Types of events: `ticket.created`, `ticket.*`, or `*` for all. Unless given: `["*"]`. */
    types?: string[];
    description?: string | null;
    /** While it is paused nothing is queued for it; a replay sends what it missed. Unless given: `false`. */
    isPaused?: boolean;
}
export interface WebhookWithSecret {
    id: string;
    /** Where events are posted to: https, without a user name or a password. It is changed by who may read all that the webhook tells. */
    url: string;
    /** Types of events: `ticket.created`, `ticket.*`, or `*` for all. */
    types: string[];
    description: string | null;
    /** While it is paused nothing is queued for it; a replay sends what it missed. */
    isPaused: boolean;
    /** Why it is paused: by somebody, because the receiver answered 410, after failing for five days, or because the key or app that made it has ended. */
    pausedReason: WebhookWithSecretPausedReason | null;
    createdBy: {
        kind: WebhookWithSecretKind;
        id: string | null;
        name: string;
    };
    /** Since when no attempt has succeeded, if the last one failed. */
    failingSince: string | null;
    lastDeliveredAt: string | null;
    createdAt: string;
    updatedAt: string;
    /** What signatures are made with. No other answer holds it. */
    secret: string;
}
export type WebhookWithSecretPausedReason = 'manual' | 'gone' | 'failing' | 'maker_revoked';
export type WebhookWithSecretKind = 'key' | 'app' | 'member' | 'operator';
export interface WebhookUpdate {
    /** Where events are posted to: https, without a user name or a password. It is changed by who may read all that the webhook tells. */
    url?: string;
    /** Types of events: `ticket.created`, `ticket.*`, or `*` for all. */
    types?: string[];
    description?: string | null;
    /** While it is paused nothing is queued for it; a replay sends what it missed. */
    isPaused?: boolean;
}
export interface WebhookRotation {
    /** For how many hours the secret before it signs as well. Unless given: `24`. */
    overlapHours?: number;
}
export interface RotatedSecret {
    id: string;
    /** What signatures are made with. No other answer holds it. */
    secret: string;
}
export interface WebhookReplay {
    /** The first position to send again. */
    from?: number;
    /** The last one. */
    to?: number;
    /** In their place: the deliveries that were given up. */
    failedOnly?: boolean;
}
export interface WebhookReplayCount {
    /** How many deliveries are queued. */
    count: number;
}
export interface MoneyInReport {
    from: string;
    to: string;
    timeZone: string;
    rows: ({
        /** The first day of the group, also where the period begins within it. */
        start: string;
        currency: string;
        /** All payments. */
        received: number;
        /** All refunds, as a number above zero. */
        refunded: number;
        /** What was received less what was refunded. */
        net: number;
        /** How many payments. */
        payments: number;
        /** How many refunds. */
        refunds: number;
    })[];
    totals: ({
        currency: string;
        /** All payments. */
        received: number;
        /** All refunds, as a number above zero. */
        refunded: number;
        /** What was received less what was refunded. */
        net: number;
        /** How many payments. */
        payments: number;
        /** How many refunds. */
        refunds: number;
    })[];
}
export interface ReceivablesReport {
    /** Today, where the organisation is. */
    on: string;
    timeZone: string;
    rows: ({
        /** Days since the due date. What is due today is not late yet. */
        age: ReceivablesReportAge;
        currency: string;
        /** How many invoices. */
        invoices: number;
        /** What is still to be paid on them. */
        balance: number;
    })[];
    totals: ({
        currency: string;
        /** How many invoices. */
        invoices: number;
        /** What is still to be paid on them. */
        balance: number;
    })[];
}
export type ReceivablesReportAge = 'notDue' | '1-30' | '31-60' | '61-90' | 'over90';
export interface JobsReport {
    from: string;
    to: string;
    timeZone: string;
    rows: ({
        /** The first day of the group, also where the period begins within it. */
        start: string;
        /** Jobs that were made. */
        opened: number;
        /** Jobs that were closed then, and are closed still. */
        closed: number;
    })[];
    totals: ({
        /** Jobs that were made. */
        opened: number;
        /** Jobs that were closed then, and are closed still. */
        closed: number;
    })[];
}
export interface TurnaroundReport {
    from: string;
    to: string;
    timeZone: string;
    rows: ({
        /** The first day of the group, also where the period begins within it. */
        start: string;
        /** Jobs that were closed. */
        jobs: number;
        /** Half of them took as long at most, from being made to being closed. Null where no job was closed. */
        medianHours: number | null;
        /** Nine of ten took as long at most. Null where no job was closed. */
        p90Hours: number | null;
    })[];
    totals: ({
        /** Jobs that were closed. */
        jobs: number;
        /** Half of them took as long at most, from being made to being closed. Null where no job was closed. */
        medianHours: number | null;
        /** Nine of ten took as long at most. Null where no job was closed. */
        p90Hours: number | null;
    })[];
}
export interface TechniciansReport {
    from: string;
    to: string;
    timeZone: string;
    rows: ({
        technicianId: string | null;
        technician: string | null;
        /** Jobs that were closed in the period. */
        jobsClosed: number;
        /** How long visits of jobs that begin in the period were planned to take. Those of whole days have no hours. */
        hoursPlanned: number;
        /** Invoices for their jobs that were issued in the period, with tax; neither drafts nor void ones. */
        invoiced: ({
            currency: string;
            invoices: number;
            total: number;
        })[];
    })[];
    totals: ({
        /** Jobs that were closed in the period. */
        jobsClosed: number;
        /** How long visits of jobs that begin in the period were planned to take. Those of whole days have no hours. */
        hoursPlanned: number;
        /** Invoices for their jobs that were issued in the period, with tax; neither drafts nor void ones. */
        invoiced: ({
            currency: string;
            invoices: number;
            total: number;
        })[];
    })[];
}
export interface StockValueReport {
    currency: string;
    rows: ({
        categoryId: string | null;
        /** Null for items without a category. */
        category: string | null;
        /** Items whose stock is tracked. */
        items: number;
        /** On hand; what is below zero counts as that. */
        quantity: number;
        /** Quantity times cost, rounded once for the category. */
        value: number;
        /** Items without a cost: they count as worth nothing. */
        itemsWithoutCost: number;
    })[];
    totals: ({
        /** Items whose stock is tracked. */
        items: number;
        /** On hand; what is below zero counts as that. */
        quantity: number;
        /** Quantity times cost, rounded once for the category. */
        value: number;
        /** Items without a cost: they count as worth nothing. */
        itemsWithoutCost: number;
    })[];
}
export interface QuotesReport {
    from: string;
    to: string;
    timeZone: string;
    rows: ({
        /** The first day of the group, also where the period begins within it. */
        start: string;
        currency: string;
        /** Quotes that were written in the group, whatever became of them since. */
        made: number;
        /** Of those, accepted or invoiced by now. */
        accepted: number;
        /** Of those, declined by now. */
        declined: number;
        /** Of those, without an answer so far: drafts, sent ones, and those that have expired. */
        open: number;
        /** What the quotes come to, with tax. */
        madeTotal: number;
        /** What the accepted ones come to. */
        acceptedTotal: number;
        /** Accepted ones of those with an answer, in per cent; null without any. */
        rateWon: number | null;
    })[];
    totals: ({
        currency: string;
        /** Quotes that were written in the group, whatever became of them since. */
        made: number;
        /** Of those, accepted or invoiced by now. */
        accepted: number;
        /** Of those, declined by now. */
        declined: number;
        /** Of those, without an answer so far: drafts, sent ones, and those that have expired. */
        open: number;
        /** What the quotes come to, with tax. */
        madeTotal: number;
        /** What the accepted ones come to. */
        acceptedTotal: number;
        /** Accepted ones of those with an answer, in per cent; null without any. */
        rateWon: number | null;
    })[];
}
export interface ImportProblem {
    id: string;
    importId: string;
    file: string;
    /** As a spreadsheet counts it. */
    row: number;
    column: string | null;
    value: string | null;
    reason: string;
    fix: string;
    createdAt: string;
    updatedAt: string;
}
export interface Import {
    id: string;
    /** `asking`: answer the questions by judging again. `failed`: `failure` says why. */
    status: ImportStatus;
    /** Whether nothing is meant to be written. */
    isDryRun: boolean;
    files: ImportFile[];
    options: Record<string, unknown>;
    progress: {
        /** Rows or records. */
        done: number;
        /** Of so many. */
        total: number;
    };
    /** What the rows are about; created, filled, same, skipped and wrong add up to it. */
    records: number;
    /** Records that are new. */
    created: number;
    /** Records that were there, and are given what they lacked. */
    filled: number;
    /** Records that were there like that. */
    same: number;
    /** Records that were not to be brought. */
    skipped: number;
    /** Records that cannot be brought; see the problems. */
    wrong: number;
    questions: ImportQuestion[];
    /** What was decided without asking. */
    repairs: ImportRepair[];
    undo: ImportUndo | null;
    failure: string | null;
    /** It can be undone for 30 days from then on. */
    writtenAt: string | null;
    createdAt: string;
    updatedAt: string;
}
export type ImportStatus = 'open' | 'judging' | 'asking' | 'judged' | 'writing' | 'written' | 'undone' | 'failed';
export interface ImportFile {
    name: string;
    source: ImportFileSource;
    kind: ImportFileKind;
    encoding: string | null;
    delimiter: string | null;
    /** Rows with data. */
    rows: number;
    columns: string[];
    /** What each column means. */
    map: Record<string, string | null>;
    /** Nothing is taken from these. */
    unusedColumns: string[];
}
export type ImportFileSource = 'jobber' | 'housecallpro' | 'servicem8' | 'repairdesk' | 'square' | 'quickbooks' | 'xero' | 'invoiceninja' | 'google' | 'outlook' | 'vcard' | 'jobwright' | 'generic';
export type ImportFileKind = 'customers' | 'devices' | 'services' | 'inventory' | 'jobs' | 'quotes' | 'invoices';
export interface ImportQuestion {
    file: string;
    column: string;
    kind: 'dateOrder';
    samples: string[];
}
export interface ImportRepair {
    file: string;
    /** The first such row. */
    row: number;
    column: string | null;
    value: string | null;
    reason: string;
    /** In how many rows. */
    count: number;
}
export interface ImportUndo {
    /** Records that went, or are as they were. */
    reversed: number;
    /** Records that stayed, because somebody has worked on them since. */
    kept: number;
    /** Records that could not be undone. */
    failed: number;
    /** The first thousand. */
    keptRecords: ({
        id: string;
        reason: string;
    })[];
}
export interface ImportCreate {
    /** The system it is from; found out by the columns if left out. It becomes externalSource. */
    source?: string;
    /** Found out by the columns if left out. */
    kind?: ImportKind;
    /** The names of the columns, in the order of the cells. */
    columns: string[];
    /** What the file is called in problems. */
    name?: string;
    options?: ImportOptions;
}
export type ImportKind = 'customers' | 'devices' | 'services' | 'inventory' | 'jobs' | 'quotes' | 'invoices';
export interface ImportOptions {
    /** Whether 03/04 is the third of April or the fourth of March. Given with the file it is so in all columns, and what is no day then is wrong; as an answer it is of the columns that were asked about. */
    dateOrder?: ImportOptionsDateOrder | null;
    /** What becomes of records that are there: `fill` blanks (if left out), `none` are touched, `overwrite`. */
    update?: ImportOptionsUpdate;
    /** Columns by their names and the field that each is; null leaves one out. */
    map?: Record<string, string | null>;
}
export type ImportOptionsDateOrder = 'dmy' | 'mdy';
export type ImportOptionsUpdate = 'fill' | 'none' | 'overwrite';
export interface ImportRows {
    rows: ((string | null)[])[];
}
export interface ImportJudgement {
    options?: ImportOptions;
}
export interface Export {
    id: string;
    kind: ExportKind;
    format: ExportFormat;
    from: string;
    to: string;
    /** Whether it holds what earlier ones held. */
    again: boolean;
    /** How many records it holds. */
    count: number;
    /** Invoices or payments that an earlier file held, or that were brought with their books, and that are void, deleted or went back to draft since: take them out of the books. One that was sent again since is in the file anew. Each is told once, unless `again`; 1,000 at most. */
    withdrawn: ({
        id: string;
        /** Of the invoice; of a payment that of its invoice. */
        number: string;
    })[];
    /** Those that the books hold with another amount: the total of an invoice, the amount of a payment. Each is told once. */
    changed: ({
        id: string;
        /** Of the invoice; of a payment that of its invoice. */
        number: string;
        /** As the books have it. */
        before: number;
        /** As it is now. */
        after: number;
        currency: string;
    })[];
    /** Of invoices: those that were issued before `from`, sent within a year and since the first file of invoices, and were in none. Of payments: those that were paid before `from`, and recorded, or their invoice sent, within a year and since the first file of payments, and were in none. Make one for those days. Null where there are none. */
    earlier: {
        count: number;
        /** The first day on which one was issued, or paid. */
        from: string;
    } | null;
    /** Where the file is read, with the same credential. */
    fileUrl: string;
    createdAt: string;
    updatedAt: string;
}
export type ExportKind = 'invoices' | 'payments';
export type ExportFormat = 'csv' | 'xero' | 'quickbooks' | 'datev' | 'journal';
export interface ExportCreate {
    /** Unless given: `"invoices"`. */
    kind?: ExportKind;
    /** csv is a plain list; xero, quickbooks and datev are what these programs import; journal has debits and credits. */
    format: ExportFormat;
    /** The first day; the first of the month of `to` if left out. */
    from?: string;
    /** The last day, inclusive; today where the organisation is if left out. */
    to?: string;
    /** Whether what an earlier file held, or an import brought, goes along, too. Unless given: `false`. */
    again?: boolean;
}
export interface Mail {
    id: string;
    quoteId: string | null;
    invoiceId: string | null;
    reminderId: string | null;
    to: string;
    subject: string;
    status: MailStatus;
    failureReason: string | null;
    createdAt: string;
}
export type MailStatus = 'queued' | 'sent' | 'failed';
export interface FinishedImport {
    /** How many records of each kind arrived. */
    records: Record<string, number>;
}
