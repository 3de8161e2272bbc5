// Which currency an amount is written in, by the signs and letters around the number.

const bySign: Readonly<Record<string, string>> = {
  $: 'USD AUD CAD NZD SGD HKD TWD BBD BMD BND BSD BZD FJD GYD JMD KYD LRD NAD SBD SRD TTD XCD ZWL ARS CLP COP CUP DOP MXN UYU BRL CVE MOP NIO TOP WST',
  US$: 'USD',
  A$: 'AUD',
  AU$: 'AUD',
  C$: 'CAD NIO',
  CA$: 'CAD',
  NZ$: 'NZD',
  S$: 'SGD',
  HK$: 'HKD',
  R$: 'BRL',
  '£': 'GBP EGP FKP GIP LBP SDG SHP SSP SYP',
  '€': 'EUR',
  '¥': 'JPY CNY',
  '₹': 'INR',
  '₩': 'KRW',
  '₺': 'TRY',
  '₪': 'ILS',
  '₱': 'PHP',
  '₽': 'RUB',
  '₴': 'UAH',
  KR: 'SEK NOK DKK ISK',
  SFR: 'CHF',
  ZŁ: 'PLN',
  KČ: 'CZK',
}
const codes = new Set(Intl.supportedValuesOf('currency'))

/** What is written that cannot be the shop's currency; words that are no currency say nothing. */
export function foreignCurrency(text: string, currency: string): string | undefined {
  const words = text.normalize('NFC').match(/\p{L}*\p{Sc}|\p{L}+/gu) ?? []
  return words.find((word) => {
    const upper = word.toUpperCase()
    const signs = bySign[upper] ?? bySign[word.slice(-1)]
    return signs === undefined ? codes.has(upper) && upper !== currency : !signs.split(' ').includes(currency)
  })
}

/** Whether there is more than a number. */
export const hasWords = (text: string): boolean => /[\p{L}\p{Sc}]/u.test(text)
