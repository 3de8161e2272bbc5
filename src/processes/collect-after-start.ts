// Gives back what a start has left. V8 keeps the pages of what is garbage by then, a quarter of the process's memory, for as long as
// it may need them again; on a small machine others need them more.

const lookMs = 5_000
/** The part of the time that the event loop worked: who comes while it collects waits for some 200 ms, so nobody should be there. */
const quietShare = 0.05

/**
 * Once, if nobody has come by then, or never: with the pages V8 gives up what it has learned of the code that runs, and a service that had
 * answered for two seconds before was slower afterwards, for good. Where V8 was not asked for it (`v8-options.ts`) nothing happens.
 */
export function collectAfterStart(collect: NodeJS.GCFunction | undefined = globalThis.gc, afterMs = lookMs): void {
  if (!collect) return
  const before = performance.eventLoopUtilization()
  setTimeout(() => {
    const { utilization } = performance.eventLoopUtilization(before)
    if (utilization > quietShare) return
    collect({ type: 'major', flavor: 'last-resort' }) // any other leaves V8 its pages
  }, afterMs).unref()
}
