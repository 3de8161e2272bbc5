// The third of the short trials, and whether all of them are in a file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isEveryTrialListed, testShortTrials } from './short.ts'

testShortTrials(2)

test('every trial has a short form among the tests', () => assert.ok(isEveryTrialListed()))
