// HTML written as a template: every value is escaped, and only what was itself written this way goes in as it is.

export interface Html {
  readonly [markup]: string
  toString(): string
}

/** What a template takes: nothing is shown for null, undefined and false. */
export type Part = Html | string | number | null | undefined | false | readonly Part[]

const markup = Symbol('markup')

/** An attribute's value must stand in double quotes: without them a space would end it. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0]!
  for (const [index, part] of parts.entries()) {
    if (/=\s*'?$/.test(strings[index]!))
      throw new Error(`An attribute's value needs double quotes: ${strings[index]!.slice(-40)}`)
    text += written(part) + strings[index + 1]!
  }
  return { [markup]: text, toString: () => text }
}

function written(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'string') return escaped(part)
  if (typeof part === 'number') return String(part)
  if (Array.isArray(part)) return part.map(written).join('')
  return (part as Html)[markup]
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (character) => entities[character]!)
}
