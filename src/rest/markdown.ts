// Markdown as pages that are generated need it: links to headings, and tables.

/** As GitHub makes one of a heading. */
export const anchor = (heading: string) => `#${heading.toLowerCase().replaceAll(' ', '-')}`
export const link = (heading: string) => `[${heading}](${anchor(heading)})`

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
export const table = (heads: readonly string[], rows: readonly (readonly string[])[]) =>
  [line(heads), `|${heads.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
