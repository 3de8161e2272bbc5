// Every trial, in the order of the page.
import type { Trial } from './trial.ts'

export const trials: readonly Trial[] = []
