// Waiting for a condition, but not for ever.
import { setTimeout as delay } from 'node:timers/promises'

const pollEveryMs = 20

export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs: number,
): Promise<void> {
  for (const deadline = performance.now() + timeoutMs; !(await condition()); await delay(pollEveryMs))
    if (performance.now() > deadline) throw new Error(`Timeout: waited ${timeoutMs / 1_000} s in vain for ${what}`)
}
