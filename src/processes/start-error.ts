// Why a start failed, in words for the operator.
import { ConfigError } from '../config/config.ts'

export function describeStartError(error: unknown): string {
  const { code, message, stack } = error as NodeJS.ErrnoException
  if (error instanceof ConfigError) return message
  if (code === 'EADDRINUSE') return `${message}: something else listens there; set PORT to another port`
  // Our own sentences stand for themselves; what nobody foresaw shows where it happened.
  return (error as Error).constructor === Error ? message : (stack ?? String(error))
}
