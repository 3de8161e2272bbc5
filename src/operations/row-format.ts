// How records stand in the one text in which they leave PostgreSQL.

/** The characters that ASCII has for this; what callers write cannot hold them. */
export const separators = {
  /** Between the fields of a record. */
  unit: 0x1f,
  /** Between records. */
  record: 0x1e,
  /** In the place of null. */
  nothing: 0x1d,
  /** Behind a page that was cut off. */
  cut: 0x1c,
} as const

/**
 * As many bytes of records stand on a page, and at least one record. In JSON they are twice as many at most, which takes
 * this process a few milliseconds; a hundred records can be a hundred times that.
 */
export const maxPageBytes = 500_000
