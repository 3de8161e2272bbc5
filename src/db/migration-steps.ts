// A migration as it is carried out: its steps, and the statements of each.

/**
 * `once`: in a transaction.
 * `repeated`: in one transaction after the other, until its last statement returns no row.
 * `concurrently`: each statement by itself, for indexes that are built while everybody writes.
 */
export type StepKind = 'once' | 'repeated' | 'concurrently'

export interface Step {
  readonly kind: StepKind
  readonly statements: readonly string[]
}

/**
 * The steps of a file, parted by lines that begin with `-- Next step`, `-- Next step, repeated` or `-- Next step, concurrently`.
 * What takes long does not hold the locks of what came before it, and those who serve meanwhile wait for one step, not for all.
 */
export const splitSteps = (text: string): Step[] =>
  text.split(/^(?=-- Next step\b)/m).map((step) => ({
    kind: (/^-- Next step, (repeated|concurrently)\b/.exec(step)?.[1] ?? 'once') as StepKind,
    statements: splitStatements(step),
  }))

/**
 * The statements of a file, which are sent one by one: where tables are distributed, Citus passes the text of a statement on to
 * the other machines, and that must be of this statement alone. A semicolon in a comment, a string or a body ends none.
 */
export function splitStatements(text: string): string[] {
  const pieces = text.match(/--[^\n]*|'[^']*'|(\$\w*\$)[\s\S]*?\1|[\s\S]/g) ?? []
  const statements = ['']
  for (const piece of pieces) {
    if (piece === ';') statements.push('')
    else statements[statements.length - 1] += piece
  }
  return statements.filter((statement) => statement.replaceAll(/--[^\n]*/g, '').trim() !== '')
}

/** The index that a statement builds, if it does. */
export const builtIndex = (statement: string): string | undefined =>
  /\bcreate (?:unique )?index concurrently (\w+)/.exec(statement)?.[1]

/** The same step for tables that may be distributed: each index in a block, one command at a time, and writers wait for it. */
export const forDistributedTables = ({ kind, statements }: Step): Step =>
  kind === 'concurrently' ? { kind: 'once', statements: statements.map(inBlock) } : { kind, statements }

const inBlock = (statement: string): string =>
  `do $block$ begin ${statement.replace(/ index concurrently\b/, ' index')}; end $block$`
