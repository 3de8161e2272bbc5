// The first of the short trials.
import { shortTrials } from './short.ts'

shortTrials(0)
