// Every trial, in the order of the page.
import { durability } from './durability.ts'
import { load } from './load.ts'
import type { Trial } from './trial.ts'

export const trials: readonly Trial[] = [load, durability]
