// Which browser it is, in words for people, from the line it says of itself.

const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
]
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'an iPhone'],
  [/\biPad\b/, 'an iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'a Chromebook'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'a Mac'],
  [/\bLinux\b/, 'Linux'],
]

/** Such as "Firefox on Windows". Only words of ours: what a browser says of itself is not shown. */
export function describeUserAgent(userAgent: string | null): string {
  const find = (known: typeof browsers) => known.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1]
  const system = find(systems)
  return `${find(browsers) ?? 'A browser'}${system === undefined ? '' : ` on ${system}`}`
}
