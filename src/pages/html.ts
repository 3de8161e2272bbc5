// HTML as a tagged template: every value is escaped unless it is markup made by this same tag.

export class Safe {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

export type Content = Safe | string | number | null | undefined | false | readonly Content[]

/** html`<p>${name}</p>`: what is not there (null, undefined, false) leaves nothing, a list stands one after the other. */
export function html(texts: TemplateStringsArray, ...values: readonly Content[]): Safe {
  let made = texts[0]!
  values.forEach((value, index) => {
    made += shown(value) + texts[index + 1]!
  })
  return new Safe(made)
}

/** Markup that is known to be safe. */
export const raw = (markup: string): Safe => new Safe(markup)

function shown(value: Content): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Safe) return value.text
  if (Array.isArray(value)) return value.map(shown).join('')
  return String(value).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
}
