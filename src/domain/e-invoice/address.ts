// A postal address as e-invoices have it, read off the lines that people wrote.

export interface PostalAddress {
  readonly street: string | null
  readonly more: string | null
  readonly postCode: string | null
  readonly city: string | null
}

const codeFirst = /^((?:[A-Z]{1,3}[- ])?\d[\dA-Z-]{2,7}(?: [A-Z]{2}\b| \d{2,3}\b)?),? +(\D.*)$/
const britishLast = /^(?:(.*?)[, ]+)?([A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})$/i
const codeLast = /^(.+?)[, ]+(?:[A-Z]{2} )?(\d{4,6}(?:-\d{3,4})?)$/

/** The last line with a post code names the city; what stands before it is the street, what follows the country. */
export function postalAddress(text: string | null): PostalAddress {
  const lines = (text ?? '').split(/\n/).flatMap((line) => line.trim() || [])
  const places = lines.length > 1 ? lines : lines.flatMap((line) => line.split(/,\s*/))
  for (let index = places.length - 1; index >= 0; index--) {
    const found = cityIn(places[index]!)
    if (!found) continue
    const before = places.slice(0, index)
    // A British post code has a line of its own.
    const city = found.city ?? before.pop() ?? null
    return { ...streets(before), postCode: found.postCode, city }
  }
  const before = places.slice(0, -1)
  return {
    ...streets(before.length > 0 ? before : places),
    postCode: null,
    city: before.length > 0 ? places.at(-1)! : null,
  }
}

function cityIn(line: string): { postCode: string; city: string | null } | undefined {
  const first = codeFirst.exec(line)
  if (first) return { postCode: first[1]!, city: first[2]! }
  const last = britishLast.exec(line) ?? codeLast.exec(line)
  return last ? { postCode: last[2]!, city: last[1] ?? null } : undefined
}

const streets = (lines: readonly string[]) => ({
  street: lines[0] ?? null,
  more: lines.length > 1 ? lines.slice(1).join(', ') : null,
})
