// XML as text: elements in the order they are given, escaped, and none without content.

/** Finished XML; what is null is left out. */
export type Xml = string | null

type Attributes = Readonly<Record<string, string>>

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML knows tab and newline alone of them
const notInXml = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(notInXml, '')
    .replace(/[&<>"]/g, (character) => escapes[character]!)

/** Text in an element; nothing where there is no text. */
export const text = (name: string, content: string | null, attributes: Attributes = {}): Xml => {
  const written = escapeXml(content ?? '').trim()
  return written === '' ? null : tag(name, written, attributes)
}

/** Elements in an element; nothing where there are none. */
export const element = (name: string, children: readonly Xml[], attributes: Attributes = {}): Xml => {
  const content = children.filter((child) => child !== null).join('')
  return content === '' ? null : tag(name, content, attributes)
}

export const tag = (name: string, content: string, attributes: Attributes = {}): string => {
  const written = Object.entries(attributes).map(([attribute, value]) => ` ${attribute}="${escapeXml(value)}"`)
  return `<${name}${written.join('')}>${content}</${name}>`
}

export const xmlDocument = (root: string): string => `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`
