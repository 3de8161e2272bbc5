// What a mutant is: one control of the service removed, and the test files of which one must fail.

export interface Mutant {
  /** The rule that is removed, as a sentence. */
  readonly control: string
  /** Where it stands. A rule of the database is taken out of the migration that made it. */
  readonly file: string
  /** The source text of the rule: it occurs once in the file. */
  readonly find: string
  readonly replace: string
  /** The fastest files that must fail, not all that would. */
  readonly tests: readonly string[]
  /** A part of the name of the test that must fail, where others of the file may fail on a busy machine. */
  readonly expectedFailure?: string
  /** The rule is a timeout: a test run that hangs kills the mutant, too. */
  readonly isTimeout?: true
}
