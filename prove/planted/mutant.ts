// What a planted fault is: one control of the service taken away, and the test files that must notice it.

export interface Mutant {
  /** The rule that is taken away, as a sentence. */
  readonly control: string
  /** Where it stands. A rule of the database is taken out of the migration that made it. */
  readonly file: string
  /** The text that holds it: it occurs once in the file. */
  readonly find: string
  readonly replace: string
  /** The quickest files that must notice, not all that would. */
  readonly tests: readonly string[]
  /** A part of the name of the test that must fail, where others of the file may fail on a machine that is too busy. */
  readonly expectedFailure?: string
  /** It bounds a time: then a run that does not come to its end has noticed, too. */
  readonly isTimeout?: true
}
