// Which records are meant by an act on several, and which of them are none for it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chosenIds, maxAtOnce, reminderProblem } from './bulk.ts'

test('each is meant once, one at least and a hundred at most', () => {
  const many = Array.from({ length: maxAtOnce }, (_, index) => `job_${index}`)
  assert.deepEqual(chosenIds(['b', 'a', 'b'], 'job'), ['b', 'a'])
  assert.deepEqual(chosenIds([...many, ...many], 'job'), many)
  assert.equal(chosenIds([], 'job'), 'Choose at least one job.')
  assert.equal(chosenIds([...many, 'more'], 'job'), 'Choose at most 100 at once; you chose 101.')
})

test('a customer is reminded of what was sent, is owed, and can be mailed, once', () => {
  const due = { status: 'sent', balance: 12, email: 'ada@mail.example', hasReminder: false }
  assert.equal(reminderProblem(due), undefined)
  assert.match(reminderProblem({ ...due, status: 'draft' })!, /not sent/)
  assert.match(reminderProblem({ ...due, status: 'void' })!, /void/)
  assert.match(reminderProblem({ ...due, balance: 0 })!, /Nothing is owed/)
  assert.match(reminderProblem({ ...due, email: null })!, /no email/)
  assert.match(reminderProblem({ ...due, hasReminder: true })!, /on its way already/)
})
