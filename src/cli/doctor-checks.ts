// What the doctor finds: something is fine, deserves a warning, or is wrong, and what to do then.
import { styleText } from 'node:util'
import { errorSentence, wrap } from './layout.ts'

export interface Finding {
  readonly status: 'ok' | 'warning' | 'wrong'
  readonly detail: string
  readonly advice?: string
}
export type Check = { readonly name: string } & Finding

export const fine = (detail: string): Finding => ({ status: 'ok', detail })
export const warning = (detail: string, advice: string): Finding => ({ status: 'warning', detail, advice })
export const wrong = (detail: string, advice: string): Finding => ({ status: 'wrong', detail, advice })

/** A look that fails has found something wrong, too. */
export async function check(name: string, advice: string, inspect: () => Finding | Promise<Finding>): Promise<Check> {
  try {
    return { name, ...(await inspect()) }
  } catch (error) {
    return { name, ...wrong(errorSentence(error), advice) }
  }
}

const colours = { ok: 'green', warning: 'yellow', wrong: 'red' } as const

export function formatChecks(checks: readonly Check[]): string {
  const widest = Math.max(...checks.map(({ name }) => name.length))
  const indent = ' '.repeat('  warning  '.length + widest + 2)
  return checks
    .flatMap(({ name, status, detail, advice }) => [
      `  ${styleText(colours[status], status.padEnd(7))}  ${name.padEnd(widest)}  ${wrap(detail, indent).trimStart()}`,
      ...(advice === undefined ? [] : [wrap(`→ ${advice}`, indent)]),
    ])
    .join('\n')
}
