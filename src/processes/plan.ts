// Which processes a machine has: how many serve requests, and the one that does the background work.
import type { Config } from '../config/config.ts'

export interface PlannedProcess {
  /** In the log and in metrics. */
  readonly name: string
  readonly kind: 'serving' | 'background'
}

type Wanted = Pick<Config, 'processes' | 'role'>

/** None where one process does everything that it is meant to. */
export function plannedProcesses({ processes, role }: Wanted): readonly PlannedProcess[] {
  const serves = role.some((name) => name !== 'worker')
  if (processes === 1 || !serves) return []
  const planned: PlannedProcess[] = Array.from({ length: processes === 'split' ? 1 : processes }, (_, index) => ({
    name: `http-${index + 1}`,
    kind: 'serving',
  }))
  if (role.includes('worker')) planned.push({ name: 'background', kind: 'background' })
  return planned.length > 1 ? planned : []
}

/** 4 for short statements, 11 for slow reads, 1 to look for work, 20 for transactions, 3 for LISTEN and 1 for NOTIFY. */
const connectionsPerProcess = 40
/** For commands, and for whoever looks with psql. */
const otherConnections = 14

/** As many as all of a machine may open to PostgreSQL, and what one more does while it takes the place of another. */
export function connectionsNeeded(config: Wanted): number {
  const { length } = plannedProcesses(config)
  return otherConnections + connectionsPerProcess * (length === 0 ? 1 : length + 1)
}
