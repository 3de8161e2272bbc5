// Every trial, in the order of the page.
import { faulty } from './faults.ts'
import { racing } from './races.ts'
import type { Trial } from './trial.ts'

export const trials: readonly Trial[] = [faulty, racing]
