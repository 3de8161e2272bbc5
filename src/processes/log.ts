// The log of a process that has no server: lines of the same form, with the name of the process.
import { hostname } from 'node:os'
import type { Config } from '../config/config.ts'

const severities = { fatal: 60, error: 50, warn: 40, info: 30, debug: 20, trace: 10, silent: Number.POSITIVE_INFINITY }

export interface ProcessLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

export function createLog(logLevel: Config['logLevel'], name: string): ProcessLog {
  const write = (severity: keyof ProcessLog) => (details: object, msg: string) => {
    const level = severities[severity]
    if (level < severities[logLevel]) return
    const line = { level, time: Date.now(), pid: process.pid, hostname: hostname(), name, ...details, msg }
    process.stderr.write(`${JSON.stringify(line)}\n`)
  }
  return { info: write('info'), warn: write('warn'), error: write('error') }
}
