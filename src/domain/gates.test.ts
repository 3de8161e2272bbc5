// Which open forms block a job at which stage.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blockingGate, isBeyondGate, isBlockedByForms } from './gates.ts'

const forms = (start: number, completion: number, invoice: number) => ({
  openStartFormCount: start,
  openCompletionFormCount: completion,
  openInvoiceFormCount: invoice,
})

test('a job may always go back to an open stage', () => {
  assert.equal(blockingGate('open', forms(1, 1, 1)), undefined)
})

test('work starts when the start forms are done, whatever else is open', () => {
  assert.deepEqual(blockingGate('inProgress', forms(2, 0, 0)), { gate: 'start', outstanding: 2 })
  assert.equal(blockingGate('inProgress', forms(0, 3, 3)), undefined)
})

test('work ends when the start forms and then the completion forms are done', () => {
  assert.deepEqual(blockingGate('closed', forms(1, 3, 0)), { gate: 'start', outstanding: 1 })
  assert.deepEqual(blockingGate('closed', forms(0, 3, 0)), { gate: 'completion', outstanding: 3 })
  assert.equal(blockingGate('closed', forms(0, 0, 9)), undefined)
})

test('a job cannot begin beyond a gate that it would have a form for', () => {
  assert.equal(isBeyondGate('open', ['start', 'completion', 'invoice']), false)
  assert.equal(isBeyondGate('inProgress', ['start']), true)
  assert.equal(isBeyondGate('inProgress', ['completion', 'invoice', 'none']), false)
  assert.equal(isBeyondGate('closed', ['invoice', 'completion']), true)
  assert.equal(isBeyondGate('closed', ['invoice', 'none']), false)
})

test('any open form keeps a job from being deleted', () => {
  assert.deepEqual([forms(0, 0, 0), forms(1, 0, 0), forms(0, 1, 0), forms(0, 0, 1)].map(isBlockedByForms), [
    false,
    true,
    true,
    true,
  ])
})
