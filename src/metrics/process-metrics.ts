// What the process itself takes, under the names that dashboards for Node know.
import { readdir } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import packageJson from '../../package.json' with { type: 'json' }
import { createMetric, type MetricFamily } from './prometheus.ts'

/** The resolution of the event loop delay. */
const resolutionMs = 10

export function createProcessMetrics(): { readonly families: readonly MetricFamily[]; close(): void } {
  const startedAt = Date.now() / 1_000 - process.uptime()
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  return {
    close: () => void delays.disable(),
    families: [
      createMetric('gauge', 'jobwright_build_info', 'The version that runs.', () => [
        { labels: { version: packageJson.version, node: process.versions.node }, value: 1 },
      ]),
      createMetric('gauge', 'process_start_time_seconds', 'When the process started.', () => startedAt),
      createMetric('counter', 'process_cpu_seconds_total', 'Processor time, all threads.', () => {
        const { user, system } = process.cpuUsage()
        return (user + system) / 1e6
      }),
      createMetric('gauge', 'process_resident_memory_bytes', 'Memory in use.', () => process.memoryUsage.rss()),
      createMetric(
        'gauge',
        'nodejs_heap_size_used_bytes',
        'Memory that objects take.',
        () => process.memoryUsage().heapUsed,
      ),
      {
        name: 'process_open_fds',
        kind: 'gauge',
        help: 'Open files and connections; only Linux tells.',
        async read() {
          const open = await readdir('/proc/self/fd').catch(() => [])
          return open.length > 0 ? [{ value: open.length }] : []
        },
      },
      createMetric('gauge', 'nodejs_eventloop_lag_seconds', 'Event loop lag since the last scrape.', () => {
        const lag = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolutionMs / 1e3)
        const samples = [
          { labels: { quantile: '0.5' }, value: lag(delays.percentile(50)) },
          { labels: { quantile: '0.99' }, value: lag(delays.percentile(99)) },
          { labels: { quantile: '1' }, value: lag(delays.max) },
        ]
        delays.reset()
        return samples
      }),
    ],
  }
}
