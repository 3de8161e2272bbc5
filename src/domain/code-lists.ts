// Codes that e-invoices are written in: countries, schemes of electronic addresses, units. As EN 16931 knows them.

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** ISO 3166-1, and XI for Northern Ireland. */
const countries = new Set(
  words(`
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF
  CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH
  GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW
  KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG
  NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN
  SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XI YE
  YT ZA ZM ZW`),
)
export const isCountry = (code: string): boolean => countries.has(code)

/** A tax id of a trader begins with the country; Greece writes EL there. */
export const isVatId = (value: string): boolean =>
  /^[A-Z]{2}[A-Z0-9+*]{2,18}$/.test(value) && (isCountry(value.slice(0, 2)) || value.startsWith('EL'))

/** The list EAS: how a trader is found on a network. */
const electronicAddressSchemes = new Set(
  words(`
  0002 0007 0009 0037 0060 0088 0096 0097 0106 0130 0135 0142 0147 0151 0154 0158 0170 0177 0183 0184 0188 0190 0191 0192 0193
  0194 0195 0196 0198 0199 0200 0201 0202 0203 0204 0205 0208 0209 0210 0211 0212 0213 0215 0216 0217 0218 0219 0220 0221 0225
  0230 0235 0240 0244 0242 0245 0246 0248 9910 9913 9914 9915 9918 9919 9920 9922 9923 9924 9925 9926 9927 9928 9929 9930 9931
  9932 9933 9934 9935 9936 9937 9938 9939 9940 9941 9942 9943 9944 9945 9946 9947 9948 9949 9950 9951 9952 9953 9957 9959 AN AQ
  AS AU EM`),
)
export const isElectronicAddressScheme = (scheme: string): boolean => electronicAddressSchemes.has(scheme)

/** Those of the list that Peppol does not deliver to: its own list is the shorter one (PEPPOL-EN16931-CL008). */
const schemesOutsidePeppol = new Set(
  words('0037 0147 0154 0170 0177 0193 0194 0202 0203 0205 0212 0213 0215 0217 0219 0220 AN AQ AS AU EM'),
)
export const isPeppolScheme = (scheme: string): boolean =>
  isElectronicAddressScheme(scheme) && !schemesOutsidePeppol.has(scheme)

/** Currencies that exist today, and no metals, funds or codes for tests (BR-CL-03, PEPPOL-EN16931-CL007). */
const currencies = new Set(
  words(`
  AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP
  CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD
  JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN
  NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN
  SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG`),
)
export const isEInvoiceCurrency = (code: string): boolean => currencies.has(code)

/** Those of UN/ECE Recommendation 20 that shops charge by: pieces, time, lengths, areas, volumes, weights, packs. */
export const unitCodes = [
  ...([
    'C62',
    'H87',
    'EA',
    'SET',
    'PR',
    'DZN',
    'LS',
    'E48',
    'ACT',
    'HUR',
    'MIN',
    'SEC',
    'DAY',
    'WEE',
    'MON',
    'ANN',
  ] as const),
  ...(['KMT', 'MTR', 'CMT', 'MMT', 'SMI', 'FOT', 'INH', 'YRD', 'MTK', 'MTQ', 'LTR', 'MLT', 'GLL'] as const),
  ...(['KGM', 'GRM', 'TNE', 'LBR', 'ONZ', 'KWH', 'XPK', 'XBX', 'XBG', 'XRO', 'XCT', 'XPA'] as const),
] as const
export const plainUnit = 'C62'

export const vatCategories = ['S', 'Z', 'E', 'AE', 'O'] as const
export type VatCategory = (typeof vatCategories)[number]

/** Null where the two fit: only the standard category is taxed, and what is not taxed says why. */
export function vatCategoryProblem(category: VatCategory, rate: number): string | null {
  if (category === 'S') return rate > 0 ? null : 'vatCategory S needs a rate above 0; send Z, E, AE or O'
  return rate === 0 ? null : `vatCategory ${category} needs a rate of 0; send S, or a rate of 0`
}
