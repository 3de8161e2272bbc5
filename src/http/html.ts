// HTML written as a template: every value is escaped, and only what was itself written this way goes in as it is.

export interface Html {
  readonly [markup]: string
  toString(): string
}

/** What a template takes: nothing is shown for null, undefined and false. */
export type HtmlPart = Html | string | number | null | undefined | false | readonly HtmlPart[]

const markup = Symbol('markup')

/** An attribute's value must stand in double quotes: without them a space would end it. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  let text = strings[0]!
  for (const [index, part] of parts.entries()) {
    if (/=\s*'?$/.test(strings[index]!))
      throw new Error(`An attribute's value needs double quotes: ${strings[index]!.slice(-40)}`)
    text += render(part) + strings[index + 1]!
  }
  return { [markup]: text, toString: () => text }
}

function render(part: HtmlPart): string {
  if (part === null || part === undefined || part === false) return ''
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  if (Array.isArray(part)) return part.map(render).join('')
  return (part as Html)[markup]
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.toWellFormed().replace(/[&<>"']/g, (character) => entities[character]!)
}
