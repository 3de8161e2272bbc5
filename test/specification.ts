// The specification's tables as plain data, for the contract test to compare with what the service really has.

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Action = 'read' | 'write' | 'delete'

interface Details {
  /** Scopes that are needed as well when the request would also do what they guard. */
  mayNeed?: string[]
  /** The other success status, where the outcome decides between two; 202 is the design's. */
  mayAnswer?: 200 | 202
  /** Query parameters by name, without the two that every paged list takes. */
  query?: string[]
  /** Query parameters that the design adds, because users ask for them. */
  beyond?: string[]
  /** Takes `limit` and `startAfter`. */
  paged?: true
  /** Body fields where the specification names them; absent where it says 'update object' or 'not shown'. */
  body?: string[]
  /** The specification opens the segment, the design decided the path (and its query). */
  designed?: true
}

export interface Endpoint extends Details {
  method: Method
  path: string
  needs: string[]
  status: 200 | 201
}

const paged = true
const designed = true
const period = ['from', 'to']

// What callers of other systems find a record by.
const external = ['externalId', 'externalSource']

// What is brought in is written, each kind with its parts.
const importScopes = [
  ...['customers:write', 'devices:write', 'services:write', 'inventory:write', 'categories:write', 'tickets:write'],
  ...['messages:write', 'quotes:write', 'tax-rates:write', 'invoices:write', 'payments:write'],
]

// Several scopes in one row are separated by a space, as in OAuth.
const row =
  (method: Method, status: 200 | 201) =>
  (path: string, needs: string, details: Details = {}): Endpoint => ({
    method,
    path,
    needs: needs.split(' '),
    status,
    ...details,
  })

const get = row('GET', 200)
const create = row('POST', 201)
const act = row('POST', 200)
const put = row('PUT', 200)
const remove = row('DELETE', 200)

// Relative to {base_url}/organisations/{orgId}, in the specification's order; '/' is the organisation itself.
export const endpoints: readonly Endpoint[] = [
  get('/', 'organisation:read'),
  put('/', 'organisation:write'),

  get('/customers', 'customers:read', { paged, query: ['search'], beyond: ['updatedAfter', ...external] }),
  create('/customers', 'customers:write', { body: ['firstName', 'lastName', 'email', 'phone', 'businessName'] }),
  get('/customers/lookup', 'customers:read', { query: ['phone', 'email'] }),
  get('/customers/:customerId', 'customers:read'),
  put('/customers/:customerId', 'customers:write'),
  remove('/customers/:customerId', 'customers:delete', {
    mayNeed: ['tickets:delete'],
    query: ['cascade'],
    mayAnswer: 202,
  }),
  get('/customers/:customerId/deletion', 'customers:read', { designed }),

  get('/customers/:customerId/devices', 'devices:read', { paged, beyond: external }),
  create('/customers/:customerId/devices', 'devices:write', { body: ['type', 'brand', 'make', 'model', 'identifier'] }),
  get('/customers/:customerId/devices/:deviceId', 'devices:read'),
  put('/customers/:customerId/devices/:deviceId', 'devices:write'),
  remove('/customers/:customerId/devices/:deviceId', 'devices:delete'),

  get('/tickets', 'tickets:read', {
    paged,
    query: ['status', 'customerId', 'assignedTechnician'],
    beyond: [
      ...['statusId', 'stationId', 'deviceId', 'updatedAfter', 'include', 'stage', 'number', 'search'],
      ...['isScheduled', 'scheduledFrom', 'scheduledTo', 'closedAfter', ...external],
    ],
    mayNeed: ['customers:read', 'devices:read'],
  }),
  create('/tickets', 'tickets:write', {
    body: ['customerId', 'customerName', 'customerEmail', 'serviceRequired', 'status'],
  }),
  get('/tickets/:ticketId', 'tickets:read', { beyond: ['include'], mayNeed: ['customers:read', 'devices:read'] }),
  put('/tickets/:ticketId', 'tickets:write'),
  remove('/tickets/:ticketId', 'tickets:delete'),
  put('/tickets/:ticketId/status', 'tickets:write'),
  get('/tickets/:ticketId/services', 'tickets:read'),
  create('/tickets/:ticketId/services', 'tickets:write'),
  get('/tickets/:ticketId/services/:lineId', 'tickets:read'),
  put('/tickets/:ticketId/services/:lineId', 'tickets:write'),
  remove('/tickets/:ticketId/services/:lineId', 'tickets:write'),
  get('/tickets/:ticketId/inventory', 'tickets:read'),
  create('/tickets/:ticketId/inventory', 'tickets:write'),
  get('/tickets/:ticketId/inventory/:lineId', 'tickets:read'),
  put('/tickets/:ticketId/inventory/:lineId', 'tickets:write'),
  remove('/tickets/:ticketId/inventory/:lineId', 'tickets:write'),
  get('/tickets/:ticketId/discount', 'tickets:read'),
  put('/tickets/:ticketId/discount', 'tickets:write'),
  remove('/tickets/:ticketId/discount', 'tickets:write'),
  get('/tickets/:ticketId/totals', 'tickets:read'),
  get('/tickets/:ticketId/signature', 'tickets:read'),
  put('/tickets/:ticketId/signature', 'tickets:write', { body: ['signature'] }),

  get('/tickets/:ticketId/messages', 'messages:read', { paged }),
  create('/tickets/:ticketId/messages', 'messages:write'),
  get('/tickets/:ticketId/messages/:messageId', 'messages:read'),
  put('/tickets/:ticketId/messages/:messageId', 'messages:write'),
  remove('/tickets/:ticketId/messages/:messageId', 'messages:delete'),

  get('/services', 'services:read', { paged, query: ['search'], beyond: external }),
  create('/services', 'services:write'),
  get('/services/:serviceId', 'services:read'),
  put('/services/:serviceId', 'services:write'),
  remove('/services/:serviceId', 'services:delete'),

  get('/inventory', 'inventory:read', {
    paged,
    query: ['categoryId', 'sku', 'search'],
    beyond: ['isLow', 'barcode', ...external],
  }),
  create('/inventory', 'inventory:write'),
  get('/inventory/:itemId', 'inventory:read'),
  put('/inventory/:itemId', 'inventory:write'),
  remove('/inventory/:itemId', 'inventory:delete'),
  get('/inventory/:itemId/corrections', 'inventory:read', { designed, paged }),
  get('/inventory/:itemId/corrections/:correctionId', 'inventory:read', { designed }),

  get('/quotes', 'quotes:read', {
    paged,
    query: ['customerId', 'ticketId', 'accepted'],
    beyond: ['updatedAfter', 'state', 'search', ...external],
  }),
  create('/quotes', 'quotes:write'),
  get('/quotes/:quoteId', 'quotes:read'),
  put('/quotes/:quoteId', 'quotes:write'),
  remove('/quotes/:quoteId', 'quotes:delete'),
  create('/quotes/:quoteId/convert', 'quotes:write invoices:write', { query: ['force'] }),
  act('/quotes/:quoteId/send', 'quotes:write'),
  create('/quotes/:quoteId/share-link', 'quotes:write', { mayAnswer: 200 }),
  remove('/quotes/:quoteId/share-link', 'quotes:write'),
  get('/quotes/:quoteId/pdf', 'quotes:read', { designed, query: ['preview'] }),

  get('/invoices', 'invoices:read', {
    paged,
    query: ['customerId', 'ticketId', 'paid'],
    beyond: ['updatedAfter', 'state', 'search', ...external],
  }),
  create('/invoices', 'invoices:write'),
  get('/invoices/:invoiceId', 'invoices:read'),
  put('/invoices/:invoiceId', 'invoices:write'),
  remove('/invoices/:invoiceId', 'invoices:delete'),
  act('/invoices/:invoiceId/send', 'invoices:write'),
  create('/invoices/:invoiceId/share-link', 'invoices:write', { mayAnswer: 200 }),
  remove('/invoices/:invoiceId/share-link', 'invoices:write'),
  get('/invoices/:invoiceId/pdf', 'invoices:read', { designed, query: ['preview'] }),
  get('/invoices/:invoiceId/e-invoice', 'invoices:read', { designed, beyond: ['format'] }),
  get('/invoices/:invoiceId/reminders', 'invoices:read', { paged }),
  create('/invoices/:invoiceId/reminders', 'invoices:write'),
  get('/invoices/:invoiceId/reminders/:reminderId', 'invoices:read'),
  put('/invoices/:invoiceId/reminders/:reminderId', 'invoices:write'),
  remove('/invoices/:invoiceId/reminders/:reminderId', 'invoices:write'),

  get('/payments', 'payments:read', { paged, query: ['invoiceId'], beyond: ['updatedAfter'] }),
  create('/payments', 'payments:write', { body: ['invoiceId', 'amount', 'paymentMethod', 'notes'] }),
  get('/payments/:paymentId', 'payments:read'),
  put('/payments/:paymentId', 'payments:write'),
  remove('/payments/:paymentId', 'payments:delete'),

  get('/calendar-events', 'calendar:read', { paged, query: ['from', 'to', 'assignedToId', 'ticketId'] }),
  create('/calendar-events', 'calendar:write', { body: ['title', 'from', 'to', 'allDay', 'assignedToId', 'ticketId'] }),
  get('/calendar-events/:eventId', 'calendar:read'),
  put('/calendar-events/:eventId', 'calendar:write'),
  remove('/calendar-events/:eventId', 'calendar:delete'),

  get('/stations', 'stations:read'),
  create('/stations', 'stations:write', { body: ['name', 'index', 'capacity'] }),
  get('/stations/:stationId', 'stations:read'),
  put('/stations/:stationId', 'stations:write'),
  remove('/stations/:stationId', 'stations:delete'),

  get('/tax-rates', 'tax-rates:read'),
  create('/tax-rates', 'tax-rates:write', { body: ['name', 'rate', 'isInclusive', 'defaultEnabled'] }),
  get('/tax-rates/:taxRateId', 'tax-rates:read'),
  put('/tax-rates/:taxRateId', 'tax-rates:write'),
  remove('/tax-rates/:taxRateId', 'tax-rates:delete'),

  get('/ticket-statuses', 'ticket-statuses:read'),
  create('/ticket-statuses', 'ticket-statuses:write', { body: ['name', 'color', 'index'] }),
  get('/ticket-statuses/:statusId', 'ticket-statuses:read'),
  put('/ticket-statuses/:statusId', 'ticket-statuses:write'),
  remove('/ticket-statuses/:statusId', 'ticket-statuses:delete'),

  get('/recurring-schedules', 'recurring-schedules:read', { designed, paged, beyond: ['customerId', 'status'] }),
  create('/recurring-schedules', 'recurring-schedules:write', { designed }),
  get('/recurring-schedules/:scheduleId', 'recurring-schedules:read', { designed }),
  put('/recurring-schedules/:scheduleId', 'recurring-schedules:write', { designed, query: ['resync'], mayAnswer: 202 }),
  remove('/recurring-schedules/:scheduleId', 'recurring-schedules:delete', { designed }),
  act('/recurring-schedules/:scheduleId/pause', 'recurring-schedules:write'),
  act('/recurring-schedules/:scheduleId/resume', 'recurring-schedules:write'),
  act('/recurring-schedules/:scheduleId/end', 'recurring-schedules:write', { mayAnswer: 202 }),
  act('/recurring-schedules/:scheduleId/resync', 'recurring-schedules:write', { mayAnswer: 202 }),
  act('/recurring-schedules/:scheduleId/generate', 'recurring-schedules:write', { mayAnswer: 202 }),
  get('/recurring-schedules/:scheduleId/occurrences', 'recurring-schedules:read', {
    designed,
    paged,
    query: ['from', 'to'],
  }),
  act('/recurring-schedules/:scheduleId/occurrences/:index/skip', 'recurring-schedules:write'),
  act('/recurring-schedules/:scheduleId/occurrences/:index/move', 'recurring-schedules:write'),
  act('/recurring-schedules/:scheduleId/occurrences/:index/resize', 'recurring-schedules:write'),

  get('/recurring-presets', 'recurring-schedules:read', { designed, paged }),
  create('/recurring-presets', 'recurring-schedules:write', { designed }),
  get('/recurring-presets/:presetId', 'recurring-schedules:read', { designed }),
  put('/recurring-presets/:presetId', 'recurring-schedules:write', { designed }),
  remove('/recurring-presets/:presetId', 'recurring-schedules:delete', { designed }),

  get('/inventory-categories', 'categories:read', { designed }),
  create('/inventory-categories', 'categories:write', { designed }),
  get('/inventory-categories/:categoryId', 'categories:read', { designed }),
  put('/inventory-categories/:categoryId', 'categories:write', { designed }),
  remove('/inventory-categories/:categoryId', 'categories:delete', { designed }),

  get('/asset-categories', 'categories:read', { designed }),
  create('/asset-categories', 'categories:write', { designed }),
  get('/asset-categories/:categoryId', 'categories:read', { designed }),
  put('/asset-categories/:categoryId', 'categories:write', { designed }),
  remove('/asset-categories/:categoryId', 'categories:delete', { designed }),

  get('/form-templates', 'forms:read', { designed, paged, beyond: ['status'] }),
  get('/form-templates/:templateId', 'forms:read', { designed }),
  get('/form-rules', 'forms:read', { designed, paged, beyond: ['templateId'] }),
  get('/form-rules/:ruleId', 'forms:read', { designed }),
  get('/form-submissions', 'forms:read', { designed, paged, query: ['ticketId', 'templateId', 'status', 'gate'] }),
  get('/form-submissions/:submissionId', 'forms:read', { designed }),
  get('/form-submissions/:submissionId/photos/:photoId', 'forms:read', { designed }),
  get('/form-submissions/:submissionId/signatures', 'forms:read'),
  get('/form-submissions/:submissionId/events', 'forms:read'),

  get('/members', 'members:read', { designed, paged, query: ['isActive', 'role'] }),
  get('/members/:memberId', 'members:read', { designed }),

  get('/events', 'events:read', { designed, paged, beyond: ['from', 'type', 'resource', 'recordId', 'since'] }),
  get('/events/stream', 'events:read', {
    designed,
    beyond: ['startAfter', 'from', 'type', 'resource', 'recordId', 'since'],
  }),
  get('/events/:eventId', 'events:read', { designed }),
  // The specification has no notifications; all of these are the design's.
  get('/webhooks', 'webhooks:read', { designed }),
  create('/webhooks', 'webhooks:write', { designed, body: ['url', 'types', 'description', 'isPaused'] }),
  get('/webhooks/:webhookId', 'webhooks:read', { designed }),
  put('/webhooks/:webhookId', 'webhooks:write', { designed, body: ['url', 'types', 'description', 'isPaused'] }),
  remove('/webhooks/:webhookId', 'webhooks:delete', { designed }),
  act('/webhooks/:webhookId/rotate-secret', 'webhooks:write', { designed, body: ['overlapHours'] }),
  create('/webhooks/:webhookId/test', 'webhooks:write', { designed }),
  act('/webhooks/:webhookId/replay', 'webhooks:write', { designed, body: ['from', 'to', 'failedOnly'] }),
  get('/webhooks/:webhookId/deliveries', 'webhooks:read', { designed, paged, beyond: ['status'] }),
  get('/webhooks/:webhookId/deliveries/:deliveryId', 'webhooks:read', { designed }),
  act('/webhooks/:webhookId/deliveries/:deliveryId/retry', 'webhooks:write', { designed }),

  // Reports are the design's, and need what the records they sum need.
  get('/reports/money-in', 'payments:read invoices:read', { designed, beyond: [...period, 'groupBy', 'format'] }),
  get('/reports/receivables', 'invoices:read', { designed, beyond: ['format'] }),
  get('/reports/jobs', 'tickets:read', { designed, beyond: [...period, 'groupBy', 'format'] }),
  get('/reports/turnaround', 'tickets:read', { designed, beyond: [...period, 'groupBy', 'format'] }),
  get('/reports/technicians', 'tickets:read invoices:read members:read', { designed, beyond: [...period, 'format'] }),
  get('/reports/stock-value', 'inventory:read categories:read', { designed, beyond: ['format'] }),
  get('/reports/quotes', 'quotes:read', { designed, beyond: [...period, 'groupBy', 'format'] }),

  // Nor does it have imports.
  get('/imports', 'imports:read', { designed, paged }),
  create('/imports', 'imports:write', {
    designed,
    body: ['source', 'kind', 'columns', 'name', 'options'],
    mayNeed: importScopes,
  }),
  get('/imports/:importId', 'imports:read', { designed }),
  act('/imports/:importId/rows', 'imports:write', { designed, body: ['rows'], mayNeed: importScopes }),
  act('/imports/:importId/judge', 'imports:write', { designed, body: ['options'], mayNeed: importScopes }),
  act('/imports/:importId/write', 'imports:write', { designed, mayNeed: importScopes }),
  act('/imports/:importId/undo', 'imports:write', {
    designed,
    mayNeed: importScopes.flatMap((scope) => [scope, scope.replace(':write', ':delete')]),
  }),
  get('/imports/:importId/problems', 'imports:read', { designed, paged, beyond: ['format', 'file'] }),

  // Nor files for the bookkeeper, which need what the records in them need.
  get('/exports', 'invoices:read', { designed, paged }),
  create('/exports', 'invoices:write', {
    designed,
    body: ['kind', 'format', 'from', 'to', 'again'],
    mayNeed: ['payments:read'],
  }),
  get('/exports/invoices', 'invoices:read', { designed, beyond: [...period, 'format', 'onlyNew'] }),
  get('/exports/payments', 'payments:read', { designed, beyond: [...period, 'format', 'onlyNew'] }),
  get('/exports/:exportId', 'invoices:read', { designed, mayNeed: ['payments:read'] }),
  get('/exports/:exportId/file', 'invoices:read', { designed, mayNeed: ['payments:read'] }),
]

// Relative to {base_url}; no API key and no scope opens it.
export const outsideOrganisation = [
  { method: 'POST', path: '/api-keys/:id/rotate', authorisedBy: 'an identity-provider bearer plus TOTP', status: 200 },
] as const

export interface Entity {
  actions: readonly Action[]
  /** Resource segments; the organisation has none, being the path itself. */
  segments: readonly string[]
  /** The segment that the entity's own stands below, when it is not the first one. */
  below?: string
}

const every = ['read', 'write', 'delete'] as const

export const entities: Readonly<Record<string, Entity>> = {
  organisation: { actions: ['read', 'write'], segments: [] },
  tickets: { actions: every, segments: ['tickets'] },
  customers: { actions: every, segments: ['customers'] },
  devices: { actions: every, segments: ['devices'], below: 'customers' },
  services: { actions: every, segments: ['services'] },
  inventory: { actions: every, segments: ['inventory'] },
  quotes: { actions: every, segments: ['quotes'] },
  invoices: { actions: every, segments: ['invoices'] },
  payments: { actions: every, segments: ['payments'] },
  calendar: { actions: every, segments: ['calendar-events'] },
  stations: { actions: every, segments: ['stations'] },
  'tax-rates': { actions: every, segments: ['tax-rates'] },
  'ticket-statuses': { actions: every, segments: ['ticket-statuses'] },
  messages: { actions: every, segments: ['messages'], below: 'tickets' },
  'recurring-schedules': { actions: every, segments: ['recurring-schedules', 'recurring-presets'] },
  categories: { actions: every, segments: ['inventory-categories', 'asset-categories'] },
  forms: { actions: ['read'], segments: ['form-templates', 'form-rules', 'form-submissions'] },
  members: { actions: ['read'], segments: ['members'] },
  events: { actions: ['read'], segments: ['events'] },
  webhooks: { actions: every, segments: ['webhooks'] },
  imports: { actions: ['read', 'write'], segments: ['imports'] },
}

// A bundle holds these actions of every entity that has them.
export const bundles = {
  read: ['read'],
  write: ['read', 'write'],
  full: ['read', 'write', 'delete'],
} as const satisfies Record<string, readonly Action[]>

export const scopesWithoutEffect = ['offline_access'] as const

// What members who are signed in hold, by role: the design's. Admins hold every scope.
export const managersLack = ['organisation:write', 'webhooks:read', 'webhooks:write', 'webhooks:delete'] as const
export const techniciansHold = [
  ...['organisation:read', 'members:read', 'customers:read', 'devices:read', 'services:read', 'inventory:read'],
  ...['stations:read', 'tax-rates:read', 'ticket-statuses:read', 'categories:read', 'forms:read'],
  ...['recurring-schedules:read', 'tickets:read', 'tickets:write', 'messages:read', 'messages:write'],
  ...['calendar:read', 'calendar:write'],
] as const

// What holding one action of an entity implies for the same entity, by scope version.
export const scopeVersions = {
  issued: 2,
  whenMissing: 1,
  implies: {
    1: { read: [], write: ['read', 'delete'], delete: ['read'] },
    2: { read: [], write: ['read'], delete: ['read'] },
  },
} as const satisfies {
  issued: number
  whenMissing: number
  implies: Record<number, Record<Action, readonly Action[]>>
}

export interface Conflict {
  /** Names of the fields of `data`; empty where the specification says none. */
  data: readonly string[]
  /** The only endpoints whose answer carries `data`, when not all of them do. */
  dataOnlyFrom?: readonly string[]
  endpoints: readonly string[]
  /** Fields and endpoints that the design adds to the specification's. */
  designed?: { data?: readonly string[]; endpoints?: readonly string[] }
}

export const conflicts: Readonly<Record<string, Conflict>> = {
  FORM_GATE_CREATE: { data: ['status'], endpoints: ['POST /tickets'] },
  FORM_GATE_TRANSITION: {
    data: ['gate', 'outstanding'],
    endpoints: ['PUT /tickets/:ticketId', 'PUT /tickets/:ticketId/status'],
    // A status whose stage changes moves its jobs: then `ticketIds` names those in the way.
    designed: { data: ['submissionIds', 'ticketIds'], endpoints: ['PUT /ticket-statuses/:statusId'] },
  },
  // `ticketIds` for a customer cascade, none for a job.
  FORM_GATE_DELETE: {
    data: ['ticketIds'],
    dataOnlyFrom: ['DELETE /customers/:customerId'],
    endpoints: ['DELETE /tickets/:ticketId', 'DELETE /customers/:customerId'],
  },
  FORM_GATE_INVOICE: {
    data: ['outstanding'],
    endpoints: ['POST /invoices', 'PUT /invoices/:invoiceId', 'POST /quotes/:quoteId/convert'],
  },
  CUSTOMER_HAS_TICKETS: { data: ['ticketIds'], endpoints: ['DELETE /customers/:customerId'] },
  CUSTOMER_BEING_DELETED: {
    data: [],
    endpoints: [],
    designed: { endpoints: ['POST /tickets', 'PUT /tickets/:ticketId', 'POST /recurring-schedules'] },
  },
  LAST_STATUS: { data: [], endpoints: ['DELETE /ticket-statuses/:statusId'] },
  STATUS_IN_USE: { data: [], endpoints: ['DELETE /ticket-statuses/:statusId'] },
  STATION_IN_USE: { data: [], endpoints: ['DELETE /stations/:stationId'] },
  CALENDAR_EVENT_EXISTS: { data: [], endpoints: ['POST /calendar-events', 'PUT /calendar-events/:eventId'] },
  PAYMENT_ACCOUNTING_MANAGED: {
    data: [],
    endpoints: ['PUT /payments/:paymentId', 'DELETE /payments/:paymentId'],
    designed: { endpoints: ['DELETE /invoices/:invoiceId'] },
  },
  QUOTE_ALREADY_INVOICED: { data: [], endpoints: ['POST /quotes/:quoteId/convert'] },
  RECURRING_VISIT: {
    data: [],
    endpoints: ['PUT /calendar-events/:eventId'],
    designed: { endpoints: ['DELETE /calendar-events/:eventId'] },
  },
  SERIES_SHAPE_CHANGE: { data: [], endpoints: ['PUT /recurring-schedules/:scheduleId'] },
  OCCURRENCE_WORKED: { data: [], endpoints: ['POST /recurring-schedules/:scheduleId/occurrences/:index/skip'] },
  OCCURRENCE_NOT_GENERATED: {
    data: [],
    endpoints: [
      'POST /recurring-schedules/:scheduleId/occurrences/:index/move',
      'POST /recurring-schedules/:scheduleId/occurrences/:index/resize',
    ],
  },
  SCHEDULE_IN_USE: { data: [], endpoints: ['DELETE /recurring-schedules/:scheduleId'] },
  EXTERNAL_ID_TAKEN: {
    data: [],
    endpoints: [],
    designed: {
      endpoints: [
        ...['POST /customers', 'PUT /customers/:customerId', 'POST /services', 'PUT /services/:serviceId'],
        ...['POST /customers/:customerId/devices', 'PUT /customers/:customerId/devices/:deviceId'],
        ...['POST /inventory', 'PUT /inventory/:itemId', 'POST /tickets', 'PUT /tickets/:ticketId'],
        ...['POST /quotes', 'PUT /quotes/:quoteId', 'POST /invoices', 'PUT /invoices/:invoiceId'],
      ],
    },
  },
  IMPORT_NOT_OPEN: {
    data: [],
    endpoints: [],
    designed: { endpoints: ['POST /imports/:importId/rows', 'POST /imports/:importId/judge'] },
  },
  IMPORT_NOT_JUDGED: { data: [], endpoints: [], designed: { endpoints: ['POST /imports/:importId/write'] } },
  IMPORT_IS_TRIAL: { data: [], endpoints: [], designed: { endpoints: ['POST /imports/:importId/write'] } },
  IMPORT_IS_STALE: { data: [], endpoints: [], designed: { endpoints: ['POST /imports/:importId/write'] } },
  IMPORT_NOT_WRITTEN: { data: [], endpoints: [], designed: { endpoints: ['POST /imports/:importId/undo'] } },
  IMPORT_MUST_WAIT: { data: [], endpoints: [], designed: { endpoints: ['POST /imports/:importId/undo'] } },
  IMPORT_TOO_OLD: { data: [], endpoints: [], designed: { endpoints: ['POST /imports/:importId/undo'] } },
  E_INVOICE_INCOMPLETE: {
    data: [],
    endpoints: [],
    designed: { data: ['missing', 'problems'], endpoints: ['GET /invoices/:invoiceId/e-invoice'] },
  },
  INVOICE_IS_DRAFT: { data: [], endpoints: [], designed: { endpoints: ['GET /invoices/:invoiceId/e-invoice'] } },
  INVOICE_IS_VOID: { data: [], endpoints: [], designed: { endpoints: ['GET /invoices/:invoiceId/e-invoice'] } },
  EXPORT_INCOMPLETE: {
    data: [],
    endpoints: [],
    designed: { data: ['missing'], endpoints: ['POST /exports', 'GET /exports/invoices', 'GET /exports/payments'] },
  },
  WEBHOOK_LIMIT: { data: [], endpoints: [], designed: { endpoints: ['POST /webhooks'] } },
  WEBHOOK_MAKER_ENDED: { data: [], endpoints: [], designed: { endpoints: ['PUT /webhooks/:webhookId'] } },
}

export const limits = {
  requestsPerMinute: 100,
  failedAuthenticationsPerMinute: 10,
  bodyBytes: 1_048_576,
  pageLimit: 100,
  idPattern: '^[A-Za-z0-9_-]{1,128}$',
  signatureCharacters: 400_000,
  lookupMatches: 10,
  accessTokenSeconds: 3600,
  refreshTokenDays: 30,
  keyExpiryDays: 90,
  introspectionCacheSeconds: 60,
  redirectUris: 10,
  dynamicClientDays: 365,
  preRegisteredClients: 10,
  authorizePerMinute: 30,
  tokenPerMinute: 60,
  registerPerMinute: 10,
  registerPerDay: 100,
  rememberedDays: 90,
} as const

export const statuses = {
  400: [
    'invalid JSON',
    'bad limit (above 100 is clamped, not refused)',
    'bad from or to',
    'bad path id or startAfter',
    'unknown job status name',
    'field validation failure',
    'nested keys unknown or oversized',
    'filter combination without a database index',
    'deleting a built-in job status',
  ],
  401: [
    'missing credentials',
    'invalid API key format',
    'revoked or paused key',
    'expired key',
    'invalid or expired token',
  ],
  403: [
    'insufficient_scope',
    'unknown_resource',
    'use_not_allowed',
    'ip_not_allowed',
    'organisation mismatch',
    'organisation not Pro or trial',
    'membership of the approving admin revoked',
    'portal use without TOTP',
  ],
  404: ['record not found', 'customer lookup without a match'],
  409: ['business rule conflict'],
  413: ['body above 1 MB'],
  415: ['Content-Type is not JSON'],
  429: ['rate limit exceeded', 'too many failed authentications'],
  500: ['unexpected error'],
  502: ['the portal could not reach the authorization server'],
  503: ['the production rate-limit store is not configured', 'token introspection is unavailable'],
  504: ['the portal call to the authorization server timed out'],
} as const satisfies Record<number, readonly string[]>

export const errorFields = {
  success: 'always',
  error: 'always',
  code: 'permission failures and every 409',
  requiredScopes: '403 insufficient_scope',
  data: 'some 409s',
  requestId: '5xx',
} as const

// By the record's noun; empty where the specification names no field.
export const fields: Readonly<Record<string, readonly string[]>> = {
  organisation: [],
  customer: ['id', 'firstName', 'lastName', 'email', 'phone', 'businessName'],
  device: ['type', 'brand', 'make', 'model', 'identifier'],
  ticket: [
    'customerId',
    'customerName',
    'customerEmail',
    'serviceRequired',
    'status',
    'assignedTechnician',
    'deviceId',
    'customerDeviceType',
    'customerDeviceName',
    'openInvoiceFormCount',
  ],
  signature: ['signature'],
  message: [],
  reminder: [],
  service: [],
  inventoryItem: ['categoryId', 'sku'],
  stockCorrection: [],
  quote: ['customerId', 'ticketId', 'accepted'],
  invoice: ['customerId', 'ticketId', 'paid'],
  payment: ['invoiceId', 'amount', 'paymentMethod', 'notes'],
  calendarEvent: ['title', 'from', 'to', 'allDay', 'assignedToId', 'ticketId'],
  station: ['name', 'index', 'capacity'],
  taxRate: ['name', 'rate', 'isInclusive', 'defaultEnabled'],
  ticketStatus: ['name', 'color', 'index', 'type'],
  recurringSchedule: [],
  recurringPreset: [],
  inventoryCategory: [],
  assetCategory: [],
  formTemplate: [],
  formRule: [],
  formSubmission: [],
  member: [],
  webhook: [],
  webhookDelivery: [],
  import: [],
  importProblem: [],
  export: [],
}

export interface ListKey {
  key: string
  /** Every order ends with the id as tie-breaker. */
  order: string
  ignoreCase?: true
  /** What stands beside the list in place of `pagination`. */
  beside?: 'count'
}

// Only `customers`, `matches` and `count` and the orders of customers, devices, messages and payments are the
// specification's; the others are the design's.
export const listKeys: Readonly<Record<string, ListKey>> = {
  '/customers': { key: 'customers', order: 'firstName asc', ignoreCase: true },
  '/customers/lookup': { key: 'matches', beside: 'count', order: 'phone matches, then email matches; firstName asc' },
  '/customers/:customerId/devices': { key: 'devices', order: 'createdAt desc' },
  '/tickets': { key: 'tickets', order: 'createdAt desc' },
  '/tickets/:ticketId/services': { key: 'services', order: 'createdAt asc' },
  '/tickets/:ticketId/inventory': { key: 'inventory', order: 'createdAt asc' },
  '/tickets/:ticketId/messages': { key: 'messages', order: 'createdAt asc' },
  '/services': { key: 'services', order: 'name asc' },
  '/inventory': { key: 'inventory', order: 'name asc' },
  '/inventory/:itemId/corrections': { key: 'corrections', order: 'createdAt desc' },
  '/quotes': { key: 'quotes', order: 'createdAt desc' },
  '/invoices': { key: 'invoices', order: 'createdAt desc' },
  '/invoices/:invoiceId/reminders': { key: 'reminders', order: 'remindAt asc' },
  '/payments': { key: 'payments', order: 'createdAt desc' },
  '/calendar-events': { key: 'calendarEvents', order: 'from asc' },
  '/stations': { key: 'stations', order: 'index asc' },
  '/tax-rates': { key: 'taxRates', order: 'name asc' },
  '/ticket-statuses': { key: 'ticketStatuses', order: 'index asc' },
  '/recurring-schedules': { key: 'recurringSchedules', order: 'createdAt desc' },
  '/recurring-schedules/:scheduleId/occurrences': { key: 'occurrences', order: 'index asc' },
  '/recurring-presets': { key: 'recurringPresets', order: 'name asc' },
  '/inventory-categories': { key: 'inventoryCategories', order: 'index asc, name asc' },
  '/asset-categories': { key: 'assetCategories', order: 'index asc, name asc' },
  '/form-templates': { key: 'formTemplates', order: 'name asc' },
  '/form-rules': { key: 'formRules', order: 'name asc' },
  '/form-submissions': { key: 'formSubmissions', order: 'createdAt desc' },
  '/form-submissions/:submissionId/signatures': { key: 'signatures', order: 'createdAt asc' },
  '/form-submissions/:submissionId/events': { key: 'events', order: 'createdAt asc' },
  '/members': { key: 'members', order: 'firstName asc' },
  '/webhooks': { key: 'webhooks', order: 'createdAt asc' },
  '/webhooks/:webhookId/deliveries': { key: 'deliveries', order: 'createdAt desc' },
  '/imports': { key: 'imports', order: 'createdAt desc' },
  '/imports/:importId/problems': { key: 'problems', order: 'createdAt asc' },
  '/exports': { key: 'exports', order: 'createdAt desc' },
}
