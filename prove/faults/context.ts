// What a fault is injected into: a fleet with a shop whose caches are warm.
import type { ServerProcess } from '../../test/programs.ts'
import type { Fleet, Shop } from '../fleet.ts'
import type { Result, Size } from '../trial.ts'
import { measureRecovery } from './background-load.ts'

export interface FaultContext {
  readonly fleet: Fleet
  readonly shop: Shop
  readonly size: Size
}

export type Fault = (context: FaultContext) => Promise<readonly Result[]>

/** An instance for one fault, stopped when it is over. */
export async function startWarmInstance(
  { fleet, shop }: FaultContext,
  settings: Readonly<Record<string, string>> = {},
): Promise<ServerProcess & AsyncDisposable> {
  const instance = await fleet.startInstance(settings)
  await measureRecovery(instance.origin, shop)
  return { ...instance, [Symbol.asyncDispose]: async () => void (await instance.stop()) }
}
