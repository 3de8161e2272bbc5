// Every trial, in the order of the page.
import { fuzz } from './fuzz/fuzz.ts'
import type { Trial } from './trial.ts'

export const trials: readonly Trial[] = [fuzz]
