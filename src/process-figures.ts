// What the process itself takes, under the names that dashboards for Node know.
import { readdir } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import about from '../package.json' with { type: 'json' }
import { type Family, measured } from './metrics.ts'

/** How finely waits of the event loop are seen. */
const resolutionMs = 10

export function processFigures(): { readonly families: readonly Family[]; close(): void } {
  const startedAt = Date.now() / 1_000 - process.uptime()
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  return {
    close: () => void delays.disable(),
    families: [
      measured('gauge', 'jobwright_build_info', 'The version that runs.', () => [
        { labels: { version: about.version, node: process.versions.node }, value: 1 },
      ]),
      measured('gauge', 'process_start_time_seconds', 'When the process started.', () => startedAt),
      measured('counter', 'process_cpu_seconds_total', 'Processor time, all threads.', () => {
        const { user, system } = process.cpuUsage()
        return (user + system) / 1e6
      }),
      measured('gauge', 'process_resident_memory_bytes', 'Memory in use.', () => process.memoryUsage.rss()),
      measured(
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
      measured(
        'gauge',
        'nodejs_eventloop_lag_seconds',
        'How long the event loop made others wait, since this was last asked for.',
        () => {
          const lag = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - resolutionMs / 1e3)
          const seen = [
            { labels: { quantile: '0.5' }, value: lag(delays.percentile(50)) },
            { labels: { quantile: '0.99' }, value: lag(delays.percentile(99)) },
            { labels: { quantile: '1' }, value: lag(delays.max) },
          ]
          delays.reset()
          return seen
        },
      ),
    ],
  }
}
