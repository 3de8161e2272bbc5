// Every trial, in the order of the page.
import { rolling } from './rolling.ts'
import type { Trial } from './trial.ts'

export const trials: readonly Trial[] = [rolling]
