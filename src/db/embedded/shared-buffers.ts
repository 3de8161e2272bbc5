// How much memory the embedded PostgreSQL may keep pages of tables in. It takes only what it has filled.
import { totalmem } from 'node:os'

const mib = 2 ** 20
/** PostgreSQL's own default, and what no measurement has gone beyond. */
const [leastMib, mostMib] = [128, 512]

/** A sixteenth: the service, its worker and the pages that the system keeps need the rest. */
export function sharedBuffers(memoryBytes = ownMemory()): string {
  return `${Math.round(Math.min(mostMib, Math.max(leastMib, memoryBytes / mib / 16)))}MB`
}

/** A container may have less than the machine. */
function ownMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
}
