// Text in the encoding of Windows, which programs of that age still want.

/** What is not as in Latin-1, from 0x80 on. */
const upper = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/** What the encoding lacks becomes a question mark. */
export const toWindows1252 = (text: string): Uint8Array =>
  Uint8Array.from([...text], (character) => {
    const place = upper.indexOf(character)
    if (place >= 0) return 0x80 + place
    const code = character.codePointAt(0)!
    return code < 0x80 || (code >= 0xa0 && code <= 0xff) ? code : 0x3f
  })
