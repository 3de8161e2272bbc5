// Every trial, in the order of the page.
import { planted } from './planted/planted.ts'
import type { Trial } from './trial.ts'

export const trials: readonly Trial[] = [planted]
