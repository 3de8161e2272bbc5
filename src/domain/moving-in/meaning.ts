// What a column can mean: how its cells are read, and what such columns are called.

/** How the cells of a column are read. */
export type ValueType =
  | 'text'
  | 'id'
  | 'emails'
  | 'phones'
  | 'amount'
  | 'number'
  | 'percent'
  | 'date'
  | 'flag'
  | 'dayOrAmount'

export interface Meaning {
  readonly type: ValueType
  /** Several columns may mean it: values are gathered, numbers are added up. */
  readonly isMany?: true
  /** What columns with this meaning are called in files that no profile knows. */
  readonly names: readonly string[]
}

export const one = (type: ValueType, ...names: string[]): Meaning => ({ type, names })
export const many = (type: ValueType, ...names: string[]): Meaning => ({ type, names, isMany: true })
