// Gives back what a start has left. V8 keeps the pages of what is garbage by then, a quarter of the process's memory, for as long as
// it may need them again; on a small machine others need them more.

const lookMs = 5_000
/** The part of the time that the event loop worked: who comes while it collects waits for some 200 ms, so nobody should be there. */
const quietShare = 0.02

/** Once, in the first seconds without work. Where V8 was not asked for it (`v8-options.ts`) nothing happens. */
export function collectAfterStart(collect: NodeJS.GCFunction | undefined = globalThis.gc, everyMs = lookMs): void {
  if (!collect) return
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > quietShare) return
    clearInterval(timer)
    collect({ type: 'major', flavor: 'last-resort' }) // any other leaves V8 its pages
  }, everyMs).unref()
}
