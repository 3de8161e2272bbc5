// What a fault is done to: a fleet with a shop that has been served before, so that nothing is slow for being new.
import type { Served } from '../../test/programs.ts'
import type { Fleet, Shop } from '../fleet.ts'
import type { Figure, Size } from '../trial.ts'
import { untilServing } from './callers.ts'

export interface Scene {
  readonly fleet: Fleet
  readonly shop: Shop
  readonly size: Size
}

export type Fault = (scene: Scene) => Promise<readonly Figure[]>

/** An instance for one fault, stopped when it is over. */
export async function serving(
  { fleet, shop }: Scene,
  settings: Readonly<Record<string, string>> = {},
): Promise<Served & AsyncDisposable> {
  const instance = await fleet.instance(settings)
  await untilServing(instance.origin, shop)
  return { ...instance, [Symbol.asyncDispose]: async () => void (await instance.stop()) }
}
