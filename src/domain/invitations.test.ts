// How the holder of an invitation's link is let in, for every kind of account the address may have.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeAdmission } from './invitations.ts'

const known = { hasPassword: true, madeByOrg: null, isElsewhere: false, isSameAddress: true }

test('somebody new chooses a password', () => {
  assert.equal(judgeAdmission('org_a', undefined), 'new password')
  assert.equal(judgeAdmission('org_a', { ...known, hasPassword: false }), 'new password')
})

test('somebody whose account is their own keeps their password, wherever they work', () => {
  assert.equal(judgeAdmission('org_a', known), 'own password')
  assert.equal(judgeAdmission('org_a', { ...known, isElsewhere: true }), 'own password')
})

test('an account that this organisation made begins anew, unless it opens another', () => {
  assert.equal(judgeAdmission('org_a', { ...known, madeByOrg: 'org_a' }), 'new password')
  assert.equal(judgeAdmission('org_a', { ...known, madeByOrg: 'org_a', isElsewhere: true }), 'refused')
})

test('an account that another organisation made, or that has no password and opens another, is not touched', () => {
  assert.equal(judgeAdmission('org_a', { ...known, madeByOrg: 'org_b' }), 'refused')
  assert.equal(judgeAdmission('org_a', { ...known, hasPassword: false, isElsewhere: true }), 'refused')
})

test('an address that only looks the same is another one', () => {
  assert.equal(judgeAdmission('org_a', { ...known, isSameAddress: false }), 'refused')
  assert.equal(judgeAdmission('org_a', { ...known, madeByOrg: 'org_a', isSameAddress: false }), 'refused')
})
