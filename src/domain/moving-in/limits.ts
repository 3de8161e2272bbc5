// How much one import holds, whichever way it comes.

/** A shop that has more than so many rows brings them in several imports. */
export const maxRows = 100_000
export const maxColumns = 1_000
