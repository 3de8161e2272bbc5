// Every trial, in the order of the page.
import { load } from './load.ts'
import type { Trial } from './trial.ts'

export const trials: readonly Trial[] = [load]
