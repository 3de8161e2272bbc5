// A disk that is really full: PostgreSQL's data lies on a small one of its own, and a file takes what is left of it.
import { execFile } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Fleet } from '../fleet.ts'
import { atLeast, none } from '../trial.ts'
import { crowd, figures, isGood, recovery, untilServing } from './callers.ts'
import { type Fault, serving } from './scene.ts'

const run = promisify(execFile)
const diskBytes = 256 * 2 ** 20
const fullMs = 8_000

export const diskFull: Fault = async ({ size }) => {
  const fault = 'Disk full'
  await using disk = await smallDisk()
  if (!disk) {
    return [{ what: `${fault}: carried out`, goal: 'yes', measured: 'no: nothing can be mounted here', holds: false }]
  }
  await using fleet = await Fleet.start({}, disk.folder)
  const scene = { fleet, shop: await fleet.shop(), size }
  await using instance = await serving(scene)
  const callers = crowd(instance.origin, scene.shop, { everyMs: 20 })
  await delay(1_000)
  const from = performance.now()
  const filler = await fill(disk.folder)
  await delay(fullMs)
  const to = performance.now()
  await rm(filler)
  const ms = await untilServing(instance.origin, scene.shop)
  const answers = await callers.stop()
  const during = answers.filter(({ sentAt, ms }) => sentAt > from && sentAt + ms < to)
  const reads = during.filter(({ kind }) => kind === 'read')
  const refused = during.filter(({ kind, status }) => kind !== 'read' && kind !== 'readiness' && status === 503)
  const read = none(
    `${fault}: reads not served`,
    reads.filter((answer) => !isGood(answer)).length,
    String(reads.length),
  )
  return [
    ...figures(fault, answers, { waitMs: 5_000 }),
    atLeast(`${fault}: writes that found no room`, 1, refused.length),
    read,
    recovery(fault, ms),
  ]
}

/** Undefined where this process may not mount one. */
async function smallDisk(): Promise<(AsyncDisposable & { readonly folder: string }) | undefined> {
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
async function fill(folder: string): Promise<string> {
  const name = join(folder, 'filler')
  await using file = await open(name, 'w')
  const block = Buffer.alloc(65_536)
  for (let size = block.length; size >= 1; size = Math.floor(size / 16)) {
    for (;;) {
      const written = await file.write(block, 0, size).catch(() => undefined)
      if (!written || written.bytesWritten < size) break
    }
  }
  return name
}
