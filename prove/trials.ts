// Every trial, in the order of the page.
import { faulty } from './faults.ts'
import type { Trial } from './trial.ts'

export const trials: readonly Trial[] = [faulty]
