// The case of names and words: columns as fields, nouns at the beginning of a sentence.

export const toCamelCase = (name: string) => name.replace(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase())
export const capitalise = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)
