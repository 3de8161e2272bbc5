// What a column of a list of quotes or invoices can mean, and what it is called, in English, German and French.
import { many, one } from './meaning.ts'

/** By what a record finds its customer. */
export const customer = {
  customerExternalId: one(
    'id',
    ...['customer id', 'client id', 'customer uuid', 'company uuid'],
    ...['kundennummer', 'kunden nr', 'kundennr', 'kunden id', 'numéro client'],
  ),
  customerName: one(
    'text',
    ...['customer', 'customer name', 'client', 'client name', 'contact name', 'customer full name'],
    ...['kunde', 'kundenname', 'nom du client'],
  ),
  customerFirstName: one('text', 'customer first name', 'client first name'),
  customerLastName: one('text', 'customer last name', 'client last name'),
  customerEmail: one('emails', 'customer email', 'client email', 'email', 'e-mail', 'courriel'),
  customerPhone: one(
    'phones',
    ...['customer phone', 'client phone', 'customer mobile number', 'phone', 'mobile'],
    ...['telefon', 'telefonnummer', 'mobil', 'handy', 'téléphone'],
  ),
}

const document = {
  ...customer,
  externalId: one('id', 'external id', 'uuid'),
  documentType: one('text', 'type', 'invoice type', 'document type', 'transaction type'),
  title: one('text', 'title', 'subject', 'memo', 'reference', 'betreff', 'titel', 'objet'),
  status: one('text', 'status', 'statut'),
  notes: many(
    'text',
    ...['notes', 'private notes', 'bemerkung', 'bemerkungen', 'notiz', 'notizen', 'kommentar', 'remarque'],
  ),
  terms: one('text', 'terms', 'public notes'),
  lineName: one(
    'text',
    ...['item', 'item name', 'product', 'product service', 'line name', 'service', 'item product service'],
    ...['bezeichnung', 'artikel', 'leistung', 'produkt', 'désignation'],
  ),
  lineDescription: one('text', 'item description', 'line description', 'description', 'beschreibung'),
  lineQuantity: one('number', 'quantity', 'qty', 'item quantity', 'menge', 'anzahl', 'quantité'),
  lineUnitPrice: one(
    'amount',
    ...['unit price', 'price', 'rate', 'unit amount', 'item rate', 'item cost'],
    ...['einzelpreis', 'preis', 'stückpreis', 'prix unitaire', 'prix'],
  ),
  lineTotal: one(
    'amount',
    ...['line total', 'line amount', 'item amount', 'amount', 'item line total'],
    ...['betrag', 'positionsbetrag', 'gesamtpreis', 'montant'],
  ),
  // Whether such a column is of a line or of all of it shows in the rows.
  lineTax: one(
    'amount',
    ...['tax', 'tax amount', 'item tax amount', 'line tax', 'vat', 'vat amount', 'gst', 'gst amount', 'sales tax'],
    ...['mwst', 'mwst betrag', 'mehrwertsteuer', 'ust', 'ust betrag', 'umsatzsteuer', 'steuer', 'steuerbetrag'],
    ...['tva', 'montant tva'],
  ),
  // Whether a number without a sign is percent shows in what it comes to.
  lineDiscount: one(
    'amount',
    ...['line discount', 'item discount', 'line item discount', 'line discount %', 'item discount %'],
    ...['positionsrabatt', 'positionsrabatt %', 'remise ligne'],
  ),
  discount: one(
    'amount',
    ...['discount', 'discounts', 'discount amount', 'discount total', 'total discount', 'invoice discount'],
    ...[
      'quote discount',
      'estimate discount',
      'discount %',
      'discount percent',
      'discount percentage',
      'discount rate',
    ],
    ...['rabatt', 'rabattbetrag', 'gesamtrabatt', 'rabatt %', 'rabatt in %', 'rabattsatz', 'nachlass', 'preisnachlass'],
    ...['remise', 'montant remise', 'montant de la remise', 'remise totale', 'remise %', 'taux de remise', 'rabais'],
  ),
  linesText: one('text', 'line items', 'positionen'),
  subtotal: one(
    'amount',
    ...['subtotal', 'sub total', 'net total', 'pre-tax total', 'net', 'net amount'],
    ...['netto', 'nettobetrag', 'gesamt netto', 'zwischensumme', 'total ht', 'montant ht'],
  ),
  taxTotal: one('amount', 'tax total', 'total tax', 'vat total', 'total vat', 'total tva'),
  taxRate: one(
    'percent',
    ...['tax rate', 'tax %', 'tax percent', 'vat rate', 'vat %', 'gst rate', 'gst %', 'sales tax rate'],
    ...['item tax code', 'tax code', 'item tax rate'],
    ...['mwst satz', 'mwst %', 'ust satz', 'ust %', 'steuersatz', 'taux tva', 'tva %'],
  ),
  taxable: one('flag', 'taxable', 'is taxable', 'item taxable', 'steuerpflichtig'),
  total: one(
    'amount',
    ...['total', 'invoice total', 'grand total', 'gross', 'total amount', 'gross amount', 'invoice amount'],
    ...['gesamt', 'gesamtbetrag', 'gesamtsumme', 'summe', 'rechnungsbetrag', 'endbetrag', 'brutto', 'bruttobetrag'],
    ...['gesamt brutto', 'total ttc', 'montant ttc'],
  ),
  currency: one('text', 'currency', 'currency code', 'invoice currency', 'währung', 'devise'),
}

export const quoteMeanings = {
  ...document,
  number: one(
    'id',
    ...['quote number', 'estimate number', 'number', 'quote', 'estimate', 'quote no', 'estimate no'],
    ...['angebotsnummer', 'angebots nr', 'angebotsnr', 'angebot', 'nummer', 'numéro de devis', 'devis numéro'],
  ),
  createdAt: one(
    'date',
    ...['created date', 'date', 'quote date', 'drafted date', 'estimate date'],
    ...['datum', 'angebotsdatum', 'date du devis'],
  ),
  validUntil: one('date', 'valid until', 'expiry date', 'expires', 'due date', 'gültig bis', 'valable jusqu’au'),
}

export const invoiceMeanings = {
  ...document,
  number: one(
    'id',
    ...['invoice number', 'invoice no', 'invoice', 'number', 'invoice id'],
    ...['rechnungsnummer', 'rechnungs nr', 'rechnungsnr', 'rechnung', 'rechnung nr', 'nummer', 'belegnummer'],
    ...['numéro de facture', 'numéro facture', 'n° facture', 'n° de facture', 'facture'],
  ),
  issuedAt: one(
    'date',
    ...['invoice date', 'issued date', 'issued at', 'date', 'issue date', 'created date'],
    ...['rechnungsdatum', 'datum', 'belegdatum', 'date de facture', 'date facture', 'date de facturation'],
  ),
  dueAt: one(
    'date',
    ...['due date', 'due at', 'payment due'],
    ...['fällig', 'fällig am', 'fälligkeit', 'fälligkeitsdatum', 'faellig', 'faelligkeitsdatum', 'zahlbar bis'],
    ...['échéance', 'date d’échéance'],
  ),
  /** When it is due, or how much: each cell shows it. */
  due: one('dayOrAmount', 'due'),
  balance: one(
    'amount',
    ...['balance', 'amount due', 'due amount', 'balance due', 'invoice amount due', 'open balance'],
    ...['offen', 'offener betrag', 'restbetrag', 'solde', 'reste à payer'],
  ),
  amountPaid: one(
    'amount',
    ...['amount paid', 'paid', 'paid amount', 'paid to date', 'invoice amount paid'],
    ...['bezahlt', 'bezahlter betrag', 'gezahlt', 'payé', 'montant payé'],
  ),
  paidAt: one(
    'date',
    ...['paid date', 'invoice paid date', 'marked paid date', 'payment date', 'paid at', 'paid on'],
    ...['bezahlt am', 'zahlungsdatum', 'date de paiement'],
  ),
  paymentMethod: one('text', 'payment method', 'method', 'zahlungsart', 'mode de paiement'),
}
