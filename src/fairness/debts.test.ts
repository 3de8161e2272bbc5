// Debts: an occasional slow statement is allowed, a habit is not, and time pays off.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDebts } from './debts.ts'

test('an occasional slow statement makes no debtor, several in a row do, and nobody else', () => {
  const debts = createDebts(() => 0)
  debts.charge('one', 40)
  assert.equal(debts.isInDebt('one'), false)
  debts.charge('one', 40)
  assert.deepEqual([debts.isInDebt('one'), debts.isInDebt('other'), debts.debtors()], [true, false, ['one']])
})

test('a debt is paid off at half a per cent of the time, so that nobody costs the others more in the long run', () => {
  let now = 0
  const debts = createDebts(() => now)
  debts.charge('one', 3_500)
  now = 689_000
  assert.equal(debts.isInDebt('one'), true)
  now = 691_000
  assert.equal(debts.isInDebt('one'), false)
  now = 701_000
  debts.charge('one', 40)
  assert.equal(debts.isInDebt('one'), false, 'all of it was paid off')
})

test('any number of tenants takes bounded memory', () => {
  const debts = createDebts(() => 0)
  for (let n = 0; n < 10_050; n++) debts.charge(`tenant ${n}`, 60)
  assert.equal(debts.debtors().length, 10_000)
  assert.equal(debts.isInDebt('tenant 10049'), true)
})
