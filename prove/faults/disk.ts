// A disk that is really full: PostgreSQL's data lies on a small one of its own, and a file takes what is left of it.
import { execFile } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Fleet } from '../fleet.ts'
import { atLeast, none } from '../trial.ts'
import { faultResults, isSuccess, measureRecovery, recoveryResult, startBackgroundLoad } from './background-load.ts'
import { type Fault, startWarmInstance } from './context.ts'

const run = promisify(execFile)
const diskBytes = 256 * 2 ** 20
const fullDurationMs = 8_000

export const diskFull: Fault = async ({ size }) => {
  const fault = 'Disk full'
  await using disk = await mountSmallDisk()
  if (!disk) {
    return [{ what: `${fault}: carried out`, goal: 'yes', measured: 'no: nothing can be mounted here', holds: false }]
  }
  await using fleet = await Fleet.start({}, disk.folder)
  const context = { fleet, shop: await fleet.createShop(), size }
  await using instance = await startWarmInstance(context)
  const load = startBackgroundLoad(instance.origin, context.shop, { everyMs: 20 })
  await delay(1_000)
  const from = performance.now()
  const filler = await fillDisk(disk.folder)
  await delay(fullDurationMs)
  const to = performance.now()
  await rm(filler)
  const ms = await measureRecovery(instance.origin, context.shop)
  const answers = await load.stop()
  const during = answers.filter(({ sentAt, ms }) => sentAt > from && sentAt + ms < to)
  const reads = during.filter(({ kind }) => kind === 'read')
  const refused = during.filter(({ kind, status }) => kind !== 'read' && kind !== 'readiness' && status === 503)
  const readResult = none(
    `${fault}: reads not served`,
    reads.filter((answer) => !isSuccess(answer)).length,
    String(reads.length),
  )
  return [
    ...faultResults(fault, answers, { maxLatencyMs: 5_000 }),
    atLeast(`${fault}: writes that found no room`, 1, refused.length),
    readResult,
    recoveryResult(fault, ms),
  ]
}

/** Undefined where this process may not mount one. */
async function mountSmallDisk(): Promise<(AsyncDisposable & { readonly folder: string }) | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'jobwright-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes},mode=0755`, 'tmpfs', folder])
  } catch {
    await rm(folder, { recursive: true })
    return undefined
  }
  return {
    folder,
    async [Symbol.asyncDispose]() {
      await run('umount', [folder])
      await rm(folder, { recursive: true })
    },
  }
}

/** Takes every byte that is left. */
async function fillDisk(folder: string): Promise<string> {
  const name = join(folder, 'filler')
  await using file = await open(name, 'w')
  const block = Buffer.alloc(65_536)
  for (let size = block.length; size >= 1; size = Math.floor(size / 16)) {
    for (;;) {
      const writeResult = await file.write(block, 0, size).catch(() => undefined)
      if (!writeResult || writeResult.bytesWritten < size) break
    }
  }
  return name
}
