// Every trial, in the order of the page.
import { authorisation } from './authorisation.ts'
import { idle } from './crowd.ts'
import { durability } from './durability.ts'
import { faulty } from './faults.ts'
import { fuzz } from './fuzz/fuzz.ts'
import { load } from './load.ts'
import { many } from './many.ts'
import { planted } from './planted/planted.ts'
import { racing } from './races.ts'
import { rolling } from './rolling.ts'
import type { Trial } from './trial.ts'

export const trials: readonly Trial[] = [
  load,
  idle,
  durability,
  many,
  rolling,
  faulty,
  authorisation,
  racing,
  fuzz,
  planted,
]
