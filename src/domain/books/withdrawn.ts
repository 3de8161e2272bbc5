// Invoices that the books hold and that are void since, in words for whoever keeps them.

export interface WithdrawnInvoice {
  readonly id: string
  readonly number: string
}

/** As many as a sentence can hold. */
const maxNamed = 20

export function withdrawnWords(withdrawn: readonly WithdrawnInvoice[]): string {
  const named = withdrawn.slice(0, maxNamed).map(({ number }) => number)
  const numbers = [named.join(', '), withdrawn.length > maxNamed && ` and ${withdrawn.length - maxNamed} more`]
  const [noun, were, them] =
    withdrawn.length === 1 ? ['invoice', ['was', 'is'], 'it'] : ['invoices', ['were', 'are'], 'them']
  return `${withdrawn.length} ${noun} that ${were[0]} booked before ${were[1]} void now: ${numbers.filter(Boolean).join('')}: take ${them} out of the books.`
}
