// The settings as the service is given them: read from the environment, or from files that it names, and all wrong ones told at once.
import { existsSync, readFileSync } from 'node:fs'
import { loadEnvFile } from 'node:process'
import { findContradictions } from './contradictions.ts'
import type { Setting } from './setting.ts'
import type { Parser } from './setting-values.ts'
import { settings } from './settings.ts'

type Environment = Readonly<Record<string, string | undefined>>

type Settings = typeof settings
type Value<S> = S extends { parse: Parser<infer T>; defaultValue: infer O }
  ? T | (null extends O ? null : never)
  : never
export type Config = { readonly [Name in keyof Settings]: Value<Settings[Name]> }

/** Thrown with every problem at once, so that an operator mends them in one go. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`The settings are wrong:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
}

export function readConfig(environment: Environment = processEnvironment()): Config {
  const problems: string[] = []
  const resolved: Record<string, unknown> = {}
  for (const [name, { variable, parse, defaultValue }] of Object.entries<Setting<unknown>>(settings as never)) {
    try {
      const value = readVariable(environment, variable)
      resolved[name] =
        value !== undefined ? parse(value) : typeof defaultValue === 'function' ? defaultValue(resolved) : defaultValue
    } catch (error) {
      problems.push(`${variable} ${(error as Error).message}`)
    }
  }
  problems.push(...findContradictions(resolved, (variable) => readVariable(environment, variable) !== undefined))
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(resolved) as Config
}

function processEnvironment(): Environment {
  if (existsSync('.env')) loadEnvFile('.env')
  return process.env
}

/** `NAME_FILE` names a file that holds the value: how container platforms pass secrets. */
function readVariable(environment: Environment, variable: string): string | undefined {
  const file = environment[`${variable}_FILE`]
  const value = file ? readFileSync(file, 'utf8') : environment[variable]
  return value?.trim() || undefined
}
