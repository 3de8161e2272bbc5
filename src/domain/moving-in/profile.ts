// A file of another system whose columns are known.
import type { Kind, Source } from './kinds.ts'

export interface Profile {
  readonly source: Source
  readonly kind: Kind
  /** A header with all names of one of these is such a file. */
  readonly fingerprints: readonly (readonly string[])[]
  /** What the columns mean, by their names. */
  readonly columns: Readonly<Record<string, string>>
  /** Columns that come in numbers or are named by the shop; `$1` is what the pattern found. */
  readonly patterns?: readonly (readonly [RegExp, string])[]
  /** Rows with the same value are one record. */
  readonly groupBy?: string
  /** The id ends here: `{client}_{property}` is the id of a client. */
  readonly idEndsAt?: string
  /** What is not kept in stock is work. */
  readonly unstockedIsService?: true
  /** A customer of a job is found by the name before the email: property managers share one. */
  readonly namesCustomersBest?: true
}
