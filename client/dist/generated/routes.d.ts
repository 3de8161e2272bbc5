export declare const routes: {
    readonly organisation: {
        readonly get: 'GET /';
        readonly update: 'PUT / body';
    };
    readonly customers: {
        readonly list: 'GET /customers query list=customers';
        readonly create: 'POST /customers body';
        readonly lookup: 'GET /customers/lookup query';
        readonly get: 'GET /customers/:';
        readonly update: 'PUT /customers/: body';
        readonly delete: 'DELETE /customers/: query';
        readonly getDeletion: 'GET /customers/:/deletion';
        readonly devices: {
            readonly list: 'GET /customers/:/devices query list=devices';
            readonly create: 'POST /customers/:/devices body';
            readonly get: 'GET /customers/:/devices/:';
            readonly update: 'PUT /customers/:/devices/: body';
            readonly delete: 'DELETE /customers/:/devices/:';
        };
    };
    readonly tickets: {
        readonly list: 'GET /tickets query list=tickets';
        readonly create: 'POST /tickets body';
        readonly get: 'GET /tickets/: query';
        readonly update: 'PUT /tickets/: body';
        readonly delete: 'DELETE /tickets/:';
        readonly setStatus: 'PUT /tickets/:/status body';
        readonly getDiscount: 'GET /tickets/:/discount';
        readonly setDiscount: 'PUT /tickets/:/discount body';
        readonly deleteDiscount: 'DELETE /tickets/:/discount';
        readonly getTotals: 'GET /tickets/:/totals';
        readonly getSignature: 'GET /tickets/:/signature';
        readonly setSignature: 'PUT /tickets/:/signature body';
        readonly services: {
            readonly list: 'GET /tickets/:/services query list=services';
            readonly create: 'POST /tickets/:/services body';
            readonly get: 'GET /tickets/:/services/:';
            readonly update: 'PUT /tickets/:/services/: body';
            readonly delete: 'DELETE /tickets/:/services/:';
        };
        readonly inventory: {
            readonly list: 'GET /tickets/:/inventory query list=inventory';
            readonly create: 'POST /tickets/:/inventory body';
            readonly get: 'GET /tickets/:/inventory/:';
            readonly update: 'PUT /tickets/:/inventory/: body';
            readonly delete: 'DELETE /tickets/:/inventory/:';
        };
        readonly messages: {
            readonly list: 'GET /tickets/:/messages query list=messages';
            readonly create: 'POST /tickets/:/messages body';
            readonly get: 'GET /tickets/:/messages/:';
            readonly update: 'PUT /tickets/:/messages/: body';
            readonly delete: 'DELETE /tickets/:/messages/:';
        };
    };
    readonly services: {
        readonly list: 'GET /services query list=services';
        readonly create: 'POST /services body';
        readonly get: 'GET /services/:';
        readonly update: 'PUT /services/: body';
        readonly delete: 'DELETE /services/:';
    };
    readonly inventory: {
        readonly list: 'GET /inventory query list=inventory';
        readonly create: 'POST /inventory body';
        readonly get: 'GET /inventory/:';
        readonly update: 'PUT /inventory/: body';
        readonly delete: 'DELETE /inventory/:';
        readonly corrections: {
            readonly list: 'GET /inventory/:/corrections query list=corrections';
            readonly get: 'GET /inventory/:/corrections/:';
        };
    };
    readonly quotes: {
        readonly list: 'GET /quotes query list=quotes';
        readonly create: 'POST /quotes body';
        readonly get: 'GET /quotes/:';
        readonly update: 'PUT /quotes/: body';
        readonly delete: 'DELETE /quotes/:';
        readonly convert: 'POST /quotes/:/convert query';
        readonly send: 'POST /quotes/:/send body';
        readonly createShareLink: 'POST /quotes/:/share-link body';
        readonly deleteShareLink: 'DELETE /quotes/:/share-link';
        readonly getPdf: 'GET /quotes/:/pdf query file';
    };
    readonly invoices: {
        readonly list: 'GET /invoices query list=invoices';
        readonly create: 'POST /invoices body';
        readonly get: 'GET /invoices/:';
        readonly update: 'PUT /invoices/: body';
        readonly delete: 'DELETE /invoices/:';
        readonly send: 'POST /invoices/:/send body';
        readonly createShareLink: 'POST /invoices/:/share-link body';
        readonly deleteShareLink: 'DELETE /invoices/:/share-link';
        readonly getPdf: 'GET /invoices/:/pdf query file';
        readonly getEInvoice: 'GET /invoices/:/e-invoice query file';
        readonly reminders: {
            readonly list: 'GET /invoices/:/reminders query list=reminders';
            readonly create: 'POST /invoices/:/reminders body';
            readonly get: 'GET /invoices/:/reminders/:';
            readonly update: 'PUT /invoices/:/reminders/: body';
            readonly delete: 'DELETE /invoices/:/reminders/:';
        };
    };
    readonly payments: {
        readonly list: 'GET /payments query list=payments';
        readonly create: 'POST /payments body';
        readonly get: 'GET /payments/:';
        readonly update: 'PUT /payments/: body';
        readonly delete: 'DELETE /payments/:';
    };
    readonly calendarEvents: {
        readonly list: 'GET /calendar-events query list=calendarEvents';
        readonly create: 'POST /calendar-events body';
        readonly get: 'GET /calendar-events/:';
        readonly update: 'PUT /calendar-events/: body';
        readonly delete: 'DELETE /calendar-events/:';
    };
    readonly stations: {
        readonly list: 'GET /stations query list=stations';
        readonly create: 'POST /stations body';
        readonly get: 'GET /stations/:';
        readonly update: 'PUT /stations/: body';
        readonly delete: 'DELETE /stations/:';
    };
    readonly taxRates: {
        readonly list: 'GET /tax-rates query list=taxRates';
        readonly create: 'POST /tax-rates body';
        readonly get: 'GET /tax-rates/:';
        readonly update: 'PUT /tax-rates/: body';
        readonly delete: 'DELETE /tax-rates/:';
    };
    readonly ticketStatuses: {
        readonly list: 'GET /ticket-statuses query list=ticketStatuses';
        readonly create: 'POST /ticket-statuses body';
        readonly get: 'GET /ticket-statuses/:';
        readonly update: 'PUT /ticket-statuses/: body';
        readonly delete: 'DELETE /ticket-statuses/:';
    };
    readonly recurringSchedules: {
        readonly list: 'GET /recurring-schedules query list=recurringSchedules';
        readonly create: 'POST /recurring-schedules body';
        readonly get: 'GET /recurring-schedules/:';
        readonly update: 'PUT /recurring-schedules/: body query';
        readonly delete: 'DELETE /recurring-schedules/:';
        readonly pause: 'POST /recurring-schedules/:/pause body';
        readonly resume: 'POST /recurring-schedules/:/resume';
        readonly end: 'POST /recurring-schedules/:/end body';
        readonly resync: 'POST /recurring-schedules/:/resync body';
        readonly generate: 'POST /recurring-schedules/:/generate body';
        readonly occurrences: {
            readonly list: 'GET /recurring-schedules/:/occurrences query list=occurrences';
            readonly skip: 'POST /recurring-schedules/:/occurrences/:/skip body';
            readonly move: 'POST /recurring-schedules/:/occurrences/:/move body';
            readonly resize: 'POST /recurring-schedules/:/occurrences/:/resize body';
        };
    };
    readonly recurringPresets: {
        readonly list: 'GET /recurring-presets query list=recurringPresets';
        readonly create: 'POST /recurring-presets body';
        readonly get: 'GET /recurring-presets/:';
        readonly update: 'PUT /recurring-presets/: body';
        readonly delete: 'DELETE /recurring-presets/:';
    };
    readonly inventoryCategories: {
        readonly list: 'GET /inventory-categories query list=inventoryCategories';
        readonly create: 'POST /inventory-categories body';
        readonly get: 'GET /inventory-categories/:';
        readonly update: 'PUT /inventory-categories/: body';
        readonly delete: 'DELETE /inventory-categories/:';
    };
    readonly assetCategories: {
        readonly list: 'GET /asset-categories query list=assetCategories';
        readonly create: 'POST /asset-categories body';
        readonly get: 'GET /asset-categories/:';
        readonly update: 'PUT /asset-categories/: body';
        readonly delete: 'DELETE /asset-categories/:';
    };
    readonly formTemplates: {
        readonly list: 'GET /form-templates query list=formTemplates';
        readonly get: 'GET /form-templates/:';
    };
    readonly formRules: {
        readonly list: 'GET /form-rules query list=formRules';
        readonly get: 'GET /form-rules/:';
    };
    readonly formSubmissions: {
        readonly list: 'GET /form-submissions query list=formSubmissions';
        readonly get: 'GET /form-submissions/:';
        readonly photos: {
            readonly get: 'GET /form-submissions/:/photos/: file';
        };
        readonly signatures: {
            readonly list: 'GET /form-submissions/:/signatures query list=signatures';
        };
        readonly events: {
            readonly list: 'GET /form-submissions/:/events query list=events';
        };
    };
    readonly members: {
        readonly list: 'GET /members query list=members';
        readonly get: 'GET /members/:';
    };
    readonly events: {
        readonly list: 'GET /events query list=events';
        readonly stream: 'GET /events/stream query file';
        readonly get: 'GET /events/:';
    };
    readonly webhooks: {
        readonly list: 'GET /webhooks query list=webhooks';
        readonly create: 'POST /webhooks body';
        readonly get: 'GET /webhooks/:';
        readonly update: 'PUT /webhooks/: body';
        readonly delete: 'DELETE /webhooks/:';
        readonly rotateSecret: 'POST /webhooks/:/rotate-secret body';
        readonly test: 'POST /webhooks/:/test';
        readonly replay: 'POST /webhooks/:/replay body';
        readonly deliveries: {
            readonly list: 'GET /webhooks/:/deliveries query list=deliveries';
            readonly get: 'GET /webhooks/:/deliveries/:';
            readonly retry: 'POST /webhooks/:/deliveries/:/retry';
        };
    };
    readonly reports: {
        readonly moneyIn: 'GET /reports/money-in query';
        readonly moneyInFile: 'GET /reports/money-in query ask=format:csv file';
        readonly receivables: 'GET /reports/receivables';
        readonly receivablesFile: 'GET /reports/receivables ask=format:csv file';
        readonly jobs: 'GET /reports/jobs query';
        readonly jobsFile: 'GET /reports/jobs query ask=format:csv file';
        readonly turnaround: 'GET /reports/turnaround query';
        readonly turnaroundFile: 'GET /reports/turnaround query ask=format:csv file';
        readonly technicians: 'GET /reports/technicians query';
        readonly techniciansFile: 'GET /reports/technicians query ask=format:csv file';
        readonly stockValue: 'GET /reports/stock-value';
        readonly stockValueFile: 'GET /reports/stock-value ask=format:csv file';
        readonly quotes: 'GET /reports/quotes query';
        readonly quotesFile: 'GET /reports/quotes query ask=format:csv file';
    };
    readonly imports: {
        readonly list: 'GET /imports query list=imports';
        readonly create: 'POST /imports body';
        readonly get: 'GET /imports/:';
        readonly rows: 'POST /imports/:/rows body';
        readonly judge: 'POST /imports/:/judge body';
        readonly write: 'POST /imports/:/write';
        readonly undo: 'POST /imports/:/undo';
        readonly problems: {
            readonly list: 'GET /imports/:/problems query list=problems';
            readonly listFile: 'GET /imports/:/problems query ask=format:csv file';
        };
    };
    readonly exports: {
        readonly list: 'GET /exports query list=exports';
        readonly create: 'POST /exports body';
        readonly invoices: 'GET /exports/invoices query file';
        readonly payments: 'GET /exports/payments query file';
        readonly get: 'GET /exports/:';
        readonly getFile: 'GET /exports/:/file file';
    };
};
