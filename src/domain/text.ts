// Which characters text may hold, wherever it comes from: the API, a form, a file.

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is its purpose
const controlCharacters = /[\u0000-\u0008\u000b-\u001f\u007f]/

/**
 * NUL, which PostgreSQL cannot store, the separators that records are encoded with, and the other control characters
 * that have no place in text: all but tab and newline. Half of a surrogate pair is no character either.
 */
export const hasForbiddenCharacters = (text: string): boolean => controlCharacters.test(text) || !text.isWellFormed()

const allControlCharacters = new RegExp(controlCharacters, 'g')

export const removeControlCharacters = (text: string): string => text.replace(allControlCharacters, '')
