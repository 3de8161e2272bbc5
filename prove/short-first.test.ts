// The first of the short trials.
import { testShortTrials } from './short.ts'

testShortTrials(0)
