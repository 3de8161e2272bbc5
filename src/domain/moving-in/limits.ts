// How much one import holds, whichever way it comes.

/** A shop that has more than so many rows brings them in several imports. */
export const maxRows = 100_000
export const maxColumns = 1_000
/** Of all its rows together. */
export const maxCharacters = 200_000_000
/** What a step reads, and one row or record more: it is held in memory several times over. */
export const charactersPerStep = 1_000_000
/** A record of more is none that anybody could work with. */
export const maxRowsPerRecord = 1_000
export const maxRecordCharacters = 2_000_000
