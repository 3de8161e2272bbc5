// Text from others made fit for print and for mail: nothing unseen in it that changes what is read.

const marks = '\\u061c\\u200b-\\u200f'
/** Control characters, what is never seen, and what turns the reading order of the text around it. */
const unprintable = new RegExp(`(?![\\n${marks}])[\\p{Cc}\\p{Default_Ignorable_Code_Point}\\ufff9-\\ufffb]`, 'gu')
const everyMark = new RegExp(`[${marks}]`, 'g')

/** Line ends are kept, as line feeds; so are the marks that Arabic and Hebrew are written with. */
export function sanitizeText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replaceAll('\t', ' ')
    .replace(unprintable, '')
}

/** For print: at most one blank line at a time, and none at the ends. */
export function collapseBlankLines(text: string): string {
  const lines = sanitizeText(text)
    .split('\n')
    .map((line) => line.trimEnd())
  const isNeeded = (line: string, index: number) => line || (index > 0 && lines[index - 1])
  return lines.filter(isNeeded).join('\n').trimEnd()
}

/** For headers and headings: a single line, cut at a length where programs still show it. */
export function oneLine(text: string, atMost = 120): string {
  const line = sanitizeText(text).replace(everyMark, '').replace(/\s+/g, ' ').trim()
  const characters = [...line]
  return characters.length > atMost
    ? `${characters
        .slice(0, atMost - 1)
        .join('')
        .trimEnd()}…`
    : line
}
