// Every trial, in the order of the page.
import { authorisationTrial } from './authorisation.ts'
import { deskTrial } from './desk.ts'
import { durabilityTrial } from './durability.ts'
import { eventsTrial } from './events/events.ts'
import { faultsTrial } from './faults.ts'
import { fuzzTrial } from './fuzz/fuzz.ts'
import { idleTrial } from './idle-connections.ts'
import { loadTrial } from './load.ts'
import { manyMachinesTrial } from './many-machines.ts'
import { multiInstanceTrial } from './multi-instance.ts'
import { neighboursTrial } from './neighbours/neighbours.ts'
import { plantedTrials } from './planted/planted.ts'
import { racesTrial } from './races.ts'
import { releaseUpgradeTrial } from './release-upgrade.ts'
import { rollingTrial } from './rolling.ts'
import { soakTrial } from './soak.ts'
import { takeoverTrial } from './takeover.ts'
import type { Trial } from './trial.ts'

export const trials: readonly Trial[] = [
  loadTrial,
  idleTrial,
  deskTrial,
  soakTrial,
  durabilityTrial,
  takeoverTrial,
  multiInstanceTrial,
  manyMachinesTrial,
  neighboursTrial,
  rollingTrial,
  releaseUpgradeTrial,
  faultsTrial,
  authorisationTrial,
  racesTrial,
  eventsTrial,
  fuzzTrial,
  ...plantedTrials,
]
