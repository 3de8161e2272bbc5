// Numbers as people type them: with a point or a comma, with or without groups of thousands.

/** What is no number stays the text it is, so that whoever wants a number refuses it by name. */
export function parseTyped(text: string): number | string {
  const typed = text.trim().replaceAll(/[\s\u00a0\u202f]/g, '')
  // 1,500 is fifteen hundred, as our own pages write it; 1,5 is one and a half.
  const plain = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(typed)
    ? typed.replaceAll(',', '')
    : typed.replace(/^(-?\d*),(\d+)$/, '$1.$2')
  return /^-?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : text
}
