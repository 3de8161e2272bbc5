// Every trial, in the order of the page.
import { authorisationTrial } from './authorisation.ts'
import { durabilityTrial } from './durability.ts'
import { eventsTrial } from './events/events.ts'
import { faultsTrial } from './faults.ts'
import { fuzzTrial } from './fuzz/fuzz.ts'
import { idleTrial } from './idle-connections.ts'
import { loadTrial } from './load.ts'
import { manyMachinesTrial } from './many-machines.ts'
import { multiInstanceTrial } from './multi-instance.ts'
import { neighboursTrial } from './neighbours/neighbours.ts'
import { plantedTrial } from './planted/planted.ts'
import { racesTrial } from './races.ts'
import { rollingTrial } from './rolling.ts'
import type { Trial } from './trial.ts'

export const trials: readonly Trial[] = [
  loadTrial,
  idleTrial,
  durabilityTrial,
  multiInstanceTrial,
  manyMachinesTrial,
  neighboursTrial,
  rollingTrial,
  faultsTrial,
  authorisationTrial,
  racesTrial,
  eventsTrial,
  fuzzTrial,
  plantedTrial,
]
