// What an app may be called, whoever names it: people decide by that name.

/** Nothing in it may be unseen or turn the rest around; how a sign is drawn (variation selectors) may be said. */
const invisible = /[\p{Cc}\p{Cf}[\p{Default_Ignorable_Code_Point}--[\ufe00-\ufe0f]]]/v
/** Something in it must show: spaces, marks without a letter and the blank of Braille do not. */
const visible = /[[\p{L}\p{N}\p{P}\p{S}]--[\p{Default_Ignorable_Code_Point}\u2800]]/v

export const isPrintable = (text: string): boolean => text.isWellFormed() && !invisible.test(text)

export const isAppName = (name: string, maxLength: number): boolean =>
  name.length <= maxLength && isPrintable(name) && visible.test(name)
