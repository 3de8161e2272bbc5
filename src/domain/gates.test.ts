// Which open forms block a job at which stage.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blockingGate, blockingGateOfAny, isBeyondGate, isBlockedByForms } from './gates.ts'

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

test('several jobs pass a gate together, or those are named whose forms are open', () => {
  const jobs = [forms(0, 1, 0), forms(2, 3, 0), forms(0, 0, 9), forms(1, 0, 0)]
  assert.equal(blockingGateOfAny('open', jobs), undefined)
  const starting = { gate: 'start', outstanding: 3, blocked: [jobs[1], jobs[3]] }
  assert.deepEqual(blockingGateOfAny('inProgress', jobs), starting)
  assert.deepEqual(blockingGateOfAny('closed', jobs), starting)
  const [finishing, , invoicing] = jobs
  const completing = { gate: 'completion', outstanding: 1, blocked: [finishing] }
  assert.deepEqual(blockingGateOfAny('closed', [finishing!, invoicing!]), completing)
  assert.equal(blockingGateOfAny('closed', [invoicing!]), undefined)
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
