// The formats that an e-invoice is written in.

/** `ubl` is Peppol BIS Billing 3.0, `xrechnung` its German sister, `factur-x` CII within a PDF. */
export const eInvoiceFormats = ['ubl', 'xrechnung', 'factur-x'] as const
export type EInvoiceFormat = (typeof eInvoiceFormats)[number]
