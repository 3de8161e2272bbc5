// The third of the short trials, and whether all of them are in a file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDivided, shortTrials } from './short.ts'

shortTrials(2)

test('every trial has a short form among the tests', () => assert.ok(isDivided()))
