// Every trial, in the order of the page.
import { many } from './many.ts'
import { rolling } from './rolling.ts'
import type { Trial } from './trial.ts'

export const trials: readonly Trial[] = [many, rolling]
