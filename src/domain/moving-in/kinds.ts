// What can be brought, and what a column of a file can mean for each kind.
import { customer, invoiceMeanings, quoteMeanings } from './document-meanings.ts'
import { type Meaning, many, one } from './meaning.ts'

/** In the order in which they are written: what refers to others comes after them. */
export const kinds = ['customers', 'devices', 'services', 'inventory', 'jobs', 'quotes', 'invoices'] as const
export type Kind = (typeof kinds)[number]

export const sources = [
  ...(['jobber', 'housecallpro', 'servicem8', 'repairdesk', 'square', 'quickbooks', 'xero', 'invoiceninja'] as const),
  ...(['google', 'outlook', 'vcard', 'jobwright', 'generic'] as const),
] as const
export type Source = (typeof sources)[number]

/** Where somebody is; of several addresses those after the first have a number behind their meaning, as `street#2`. */
const address = {
  address: one('text', 'address', 'full address', 'street address', 'billing address', 'anschrift', 'adresse'),
  street: one(
    'text',
    'street',
    'street 1',
    'address 1',
    'address line 1',
    'address1',
    'street address 1',
    'strasse',
    'straße',
  ),
  street2: one('text', 'street 2', 'address 2', 'address line 2', 'street address 2', 'unit', 'apt'),
  city: one('text', 'city', 'town', 'suburb', 'ort', 'stadt', 'ville'),
  state: one('text', 'state', 'province', 'county', 'region', 'bundesland'),
  postalCode: one('id', 'postal code', 'postcode', 'post code', 'zip', 'zip code', 'zipcode', 'plz', 'code postal'),
  country: one('text', 'country', 'land', 'pays'),
}

/** What the record is called in the other system. */
const external = {
  externalId: one('id', 'external id', 'id', 'uuid', 'reference id'),
  externalNumber: one('id', 'external number'),
}

/** Whether a row counts at all. */
const whether = {
  skip: one('flag', 'archived', 'disabled', 'deleted'),
  active: one('flag', 'active', 'is active'),
}

const catalogue = {
  ...external,
  ...whether,
  name: one(
    'text',
    'name',
    'item name',
    'item',
    'product name',
    'title',
    'service name',
    'product service name',
    'part name',
  ),
  description: one('text', 'description', 'details', 'sales description', 'long description'),
  price: one('amount', 'price', 'retail price', 'sales price', 'sales price rate', 'unit price', 'rate', 'sell price'),
  cost: one('amount', 'cost', 'cost price', 'purchase cost', 'unit cost', 'buy price'),
  warrantyDays: one('number', 'warranty days'),
}

export const meanings = {
  customers: {
    ...external,
    externalId: one(
      'id',
      ...external.externalId.names,
      ...['kundennummer', 'kunden nr', 'kundennr', 'kunden id', 'numéro client'],
    ),
    ...whether,
    firstName: one('text', 'first name', 'given name', 'forename', 'vorname', 'prénom', 'contact first name'),
    lastName: one('text', 'last name', 'surname', 'family name', 'nachname', 'nom', 'contact last name'),
    fullName: one(
      'text',
      ...['name', 'full name', 'customer name', 'client name', 'display name', 'contact name', 'customer', 'client'],
      ...['kundenname', 'kunde', 'nom complet', 'nom du client'],
    ),
    businessName: one(
      'text',
      'company',
      'company name',
      'business name',
      'business',
      'organisation',
      'organization',
      'firma',
    ),
    isCompany: one('flag', 'is company', 'is a company'),
    /** Somebody who once paid by card: without a name it is nobody. */
    instant: one('flag', 'instant profile'),
    email: many('emails', 'email', 'e-mail', 'email address', 'e-mail address', 'emails', 'mail', 'courriel'),
    phone: many(
      'phones',
      ...['phone', 'mobile', 'phone number', 'mobile number', 'mobile phone', 'cell', 'telephone', 'tel'],
      ...['primary phone', 'home phone', 'work phone'],
      ...['telefon', 'telefonnummer', 'mobil', 'mobilnummer', 'mobiltelefon', 'handy', 'handynummer', 'festnetz'],
      ...['téléphone', 'portable'],
    ),
    ...address,
    notes: many('text', 'notes', 'note', 'memo', 'comments', 'remarks', 'notiz', 'notizen', 'bemerkung', 'bemerkungen'),
  },
  devices: {
    ...external,
    ...customer,
    type: one('text', 'type', 'asset type', 'device type', 'category'),
    brand: one('text', 'brand'),
    make: one('text', 'make', 'manufacturer', 'maker'),
    model: one('text', 'model', 'device model'),
    identifier: one(
      'id',
      'identifier',
      'serial',
      'serial number',
      'asset serial',
      'imei',
      'vin',
      'plate',
      'imei serial',
    ),
    name: one('text', 'name', 'device name', 'asset name', 'device'),
  },
  services: { ...catalogue, durationMinutes: one('number', 'duration minutes', 'duration') },
  inventory: {
    ...catalogue,
    variation: one('text', 'variation name', 'variant', 'variation'),
    sku: one('id', 'sku', 'item code', 'part number', 'item number', 'product code', 'code'),
    barcode: one('id', 'barcode', 'upc', 'ean', 'gtin', 'upc code'),
    category: one('text', 'category', 'categories', 'group', 'kategorie'),
    quantityOnHand: many(
      'number',
      'quantity on hand',
      'on hand qty',
      'quantity in stock',
      'stock',
      'in stock',
      'quantity',
      'qty',
      'on hand',
    ),
    reorderLevel: one('number', 'reorder level', 're-order level', 'reorder point', 'minimum stock'),
    supplier: one('text', 'supplier', 'vendor', 'default vendor name'),
    itemType: one('text', 'item type', 'type'),
    isStocked: one('flag', 'item is inventoried', 'track stock', 'manage inventory level'),
  },
  jobs: {
    ...customer,
    externalId: one('id', 'external id', 'uuid'),
    number: one('id', 'job number', 'ticket number', 'work order number', 'number', 'order number', 'job', 'ticket'),
    title: one('text', 'title', 'subject', 'job title', 'service required', 'summary'),
    description: one('text', 'description', 'job description', 'details', 'problem', 'issue', 'line items'),
    status: one('text', 'status', 'job status'),
    priority: one('text', 'priority'),
    createdAt: one('date', 'created date', 'created', 'created at', 'job created date', 'date', 'job date'),
    scheduledFrom: one(
      'date',
      'scheduled start date',
      'scheduled from',
      'start',
      'start date',
      'scheduled',
      'job scheduled start date',
    ),
    scheduledTo: one('date', 'scheduled end date', 'scheduled to', 'end', 'end date', 'job scheduled end date'),
    closedAt: one(
      'date',
      'closed date',
      'completed date',
      'completion date',
      'resolved at',
      'job completed date',
      'closed at',
    ),
    deviceType: one('text', 'device type', 'asset type'),
    deviceName: one('text', 'device', 'device name', 'asset', 'model'),
    ...address,
    notes: many('text', 'notes', 'comments', 'job notes'),
  },
  quotes: quoteMeanings,
  invoices: invoiceMeanings,
} as const satisfies Readonly<Record<Kind, Readonly<Record<string, Meaning>>>>

/** A meaning without the number of its group: `street` of `street#2`. */
export const meaningName = (target: string): string => target.split('#')[0]!

/** Not of what every object has, such as `constructor`. */
export const isMeaning = (kind: Kind, name: string): boolean => Object.hasOwn(meanings[kind], name)

export const meaningOf = (kind: Kind, target: string): Meaning | undefined =>
  isMeaning(kind, meaningName(target))
    ? (meanings[kind] as Readonly<Record<string, Meaning>>)[meaningName(target)]
    : undefined
