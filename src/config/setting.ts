// What a setting is: its variable, how it is read, its default and one sentence about it.
import { integer, type Parser } from './setting-values.ts'

export interface Setting<T> {
  readonly variable: string
  readonly parse: Parser<T>
  /** The default when the variable is unset; a function may read the settings above it. */
  readonly defaultValue: T | ((resolved: Readonly<Record<string, unknown>>) => T)
  /** The default as a reader should see it. */
  readonly defaultText: string
  readonly secret?: boolean
  readonly meaning: string
}
export const setting = <T>(value: Setting<T>): Setting<T> => value

export const limit = (variable: string, defaultValue: number, meaning: string) =>
  setting({ variable, parse: integer(1), defaultValue, defaultText: String(defaultValue), meaning })
