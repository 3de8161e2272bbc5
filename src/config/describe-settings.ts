// The settings as a table for people: what each means, what it is unless set, and what it is here.
import type { Config } from './config.ts'
import type { Setting } from './setting.ts'
import { settings } from './settings.ts'

/** Secrets are masked. */
export function describeSettings(config?: Config) {
  return Object.entries<Setting<unknown>>(settings as never).map(
    ([name, { variable, defaultText, secret, meaning }]) => {
      const value = config?.[name as keyof Config]
      const unset = value === null || value === undefined || (Array.isArray(value) && value.length === 0)
      return { variable, default: defaultText, value: unset ? '' : secret ? '••••' : String(value), meaning }
    },
  )
}
