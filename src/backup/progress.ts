// Tells how far a backup is, in a line for each tenth of it.

export type ReportProgress = (progress: string) => void

/** To be called with how many bytes were done since the last call. */
export function createProgress(word: string, totalBytes: number, report: ReportProgress | undefined) {
  let done = 0
  let next = 10
  return (bytes: number): void => {
    done += bytes
    const percent = Math.min(100, Math.floor((100 * done) / Math.max(1, totalBytes)))
    if (percent < next) return
    next = (Math.floor(percent / 10) + 1) * 10
    report?.(`${word} ${percent} % of ${formatBytes(totalBytes)}`)
  }
}

export function formatBytes(bytes: number): string {
  const [unit, factor] = bytes >= 1e9 ? ['GB', 1e9] : bytes >= 1e6 ? ['MB', 1e6] : ['kB', 1e3]
  const value = bytes / (factor as number)
  return `${value >= 100 ? value.toFixed(0) : value.toFixed(1)} ${unit}`
}
