// Transitions that have a name of their own.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  becomes,
  changes,
  isEmptied,
  isFilled,
  isNegative,
  isSet,
  movesFrom,
  occurringSignals,
  type Signal,
} from './signals.ts'

const occurs = (signal: Signal, before: unknown, after: unknown) => signal.occurs({ field: before }, { field: after })
const occursOnCreation = (signal: Signal, after: unknown) => signal.occurs(undefined, { field: after })

it('a value is reached from another one, from some of them, or with the record', () => {
  const sent = becomes('field', 'sent')
  assert.deepEqual(
    [occurs(sent, 'draft', 'sent'), occurs(sent, 'sent', 'sent'), occurs(sent, 'sent', 'draft')],
    [true, false, false],
  )
  const fromDraft = becomes('field', 'sent', ['draft'])
  assert.deepEqual([occurs(fromDraft, 'draft', 'sent'), occurs(fromDraft, 'invoiced', 'sent')], [true, false])
  assert.deepEqual([occursOnCreation(fromDraft, 'sent'), occursOnCreation(fromDraft, 'draft')], [true, false])
  const resumed = movesFrom('field', 'paused', 'active')
  assert.deepEqual(
    [occurs(resumed, 'paused', 'active'), occurs(resumed, 'ended', 'active'), occursOnCreation(resumed, 'active')],
    [true, false, false],
  )
})

it('a value comes, goes or changes', () => {
  assert.deepEqual([occurs(isFilled('field'), null, 'x'), occurs(isFilled('field'), 'x', 'y')], [true, false])
  assert.deepEqual([occurs(isEmptied('field'), 'x', null), occurs(isEmptied('field'), null, null)], [true, false])
  assert.deepEqual([occurs(isSet('field'), 'x', 'y'), occurs(isSet('field'), 'x', null)], [true, false])
  assert.deepEqual([occurs(changes('field'), 'x', null), occursOnCreation(changes('field'), 'x')], [true, false])
  assert.deepEqual(
    [
      occurs(isNegative('field'), 5, -1),
      occurs(isNegative('field'), -2, -1),
      occursOnCreation(isNegative('field'), -1),
    ],
    [true, false, true],
  )
})

it('only a change of its own fields is looked at', () => {
  const signals = { filled: isFilled('field') }
  const states = { before: { field: null }, after: { field: 'x' } }
  assert.deepEqual(occurringSignals(signals, { ...states, changed: ['field'] }), ['filled'])
  assert.deepEqual(occurringSignals(signals, { ...states, changed: ['other'] }), [])
  assert.deepEqual(occurringSignals(signals, { ...states, changed: undefined }), ['filled'], 'or a new record')
})
