// Numbers of a spreadsheet as text: days are numbers that their format makes days of.

/** Whether a format shows days or times: letters of those outside of quotes and brackets. */
export const isDateFormat = (code: string): boolean =>
  /[dmyhs]/i.test(code.replaceAll(/"[^"]*"|\[(?!h+\]|m+\]|s+\])[^\]]*\]|\\./gi, '')) && !/^general$/i.test(code)

const dayMs = 86_400_000
/** Day 1 is the first of January 1900, and 1900 is taken for a leap year. */
const epoch = Date.UTC(1899, 11, 30)
const epoch1904 = Date.UTC(1904, 0, 1)

/** As 2026-04-03, or 2026-04-03 09:30 where it has a time. */
export function serialToText(serial: number, startsIn1904: boolean): string {
  const moment = new Date(Math.round(((startsIn1904 ? epoch1904 : epoch) + serial * dayMs) / 60_000) * 60_000)
  if (Number.isNaN(moment.getTime())) return String(serial)
  const text = moment.toISOString()
  if (serial < 1) return text.slice(11, 16)
  return text.slice(11, 16) === '00:00' ? text.slice(0, 10) : `${text.slice(0, 10)} ${text.slice(11, 16)}`
}

/** Without what only floating-point arithmetic added. */
export const numberToText = (raw: string): string => {
  const number = Number(raw)
  if (raw.trim() === '' || !Number.isFinite(number)) return raw
  if (Number.isInteger(number) && Math.abs(number) < 1e21) return BigInt(number).toString()
  return String(Number(number.toPrecision(15)))
}

/** Of `BC12` the place of the column, from 0. */
export function columnOf(reference: string): number {
  let place = 0
  for (const letter of /^[A-Z]+/.exec(reference)?.[0] ?? 'A') place = place * 26 + letter.charCodeAt(0) - 64
  return place - 1
}
