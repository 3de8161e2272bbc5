// Code 128, the barcode of labels: which bars and gaps a text is printed as. ISO/IEC 15417, code sets B and C.

/** For each value the widths of bar, gap, bar, gap, bar, gap; the last one stops, and ends with a bar more. */
const patterns = (
  '212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 ' +
  '123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 ' +
  '232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 ' +
  '313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 ' +
  '111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 ' +
  '111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 ' +
  '114311 411113 411311 113141 114131 311141 411131 211412 211214 211232 2331112'
).split(' ')

const codeB = 100
const startB = 104
const startC = 105
const stop = 106

/** The values of its symbols, start, check and stop among them; undefined where a letter has no bars. */
export function code128Values(text: string): readonly number[] | undefined {
  if (!/^[ -~]{1,80}$/.test(text)) return undefined
  const values = /^\d{4,}$/.test(text) ? digitValues(text) : [startB, ...lettersB(text)]
  const check = values.reduce((sum, value, place) => sum + value * Math.max(place, 1), 0) % 103
  return [...values, check, stop]
}

const lettersB = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0) - 32)

/** Two digits in one symbol make it half as wide; an odd one at the end is a letter. */
function digitValues(text: string): number[] {
  const pairs = text.match(/\d\d/g)!.map(Number)
  return [startC, ...pairs, ...(text.length % 2 === 1 ? [codeB, ...lettersB(text.slice(-1))] : [])]
}

interface Bar {
  /** From the left edge, in widths of the narrowest bar. */
  readonly at: number
  readonly width: number
}

/** The bars, and how wide all of it is without the quiet zones. */
export function code128Bars(text: string): { readonly bars: readonly Bar[]; readonly width: number } | undefined {
  const values = code128Values(text)
  if (!values) return undefined
  const widths = values.flatMap((value) => [...patterns[value]!].map(Number))
  const bars: Bar[] = []
  let at = 0
  for (const [index, width] of widths.entries()) {
    if (index % 2 === 0) bars.push({ at, width })
    at += width
  }
  return { bars, width: at }
}
