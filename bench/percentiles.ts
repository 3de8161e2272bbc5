// Percentiles of measured values, as the benchmark and the proof report them.

/** The value that this fraction of the others does not exceed; NaN where nothing was measured. */
export function percentile(values: Iterable<number>, fraction: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN
}

export const median = (values: Iterable<number>): number => percentile(values, 0.5)
