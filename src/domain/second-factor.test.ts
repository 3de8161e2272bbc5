// Who needs a second factor, and what a session still lacks for a page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingStep, needsSecondFactor, secondFactorRules } from './second-factor.ts'

const roles = ['admin', 'manager', 'technician'] as const
const nothing = { isEnrolled: false, hasSecondFactor: false, hasRecentCode: false }
const enrolled = { ...nothing, isEnrolled: true }
const confirmed = { ...enrolled, hasSecondFactor: true }
const recent = { ...confirmed, hasRecentCode: true }

test('admins always need one, managers and technicians where the organisation says so', () => {
  const needed = secondFactorRules.map((secondFactor) =>
    roles.filter((role) => needsSecondFactor({ role, secondFactor })),
  )
  assert.deepEqual(needed, [['admin'], ['admin', 'manager'], [...roles]])
})

test('who needs none opens the desk with the password alone, and with a code once they chose to have one', () => {
  const technician = { role: 'technician', secondFactor: 'managers' } as const
  assert.equal(missingStep('desk', technician, nothing), undefined)
  assert.equal(missingStep('desk', technician, enrolled), 'code')
  assert.equal(missingStep('desk', technician, confirmed), undefined)
})

test('who needs one sets it up, then shows a code once in a session', () => {
  const manager = { role: 'manager', secondFactor: 'managers' } as const
  assert.equal(missingStep('desk', manager, nothing), 'enrolment')
  assert.equal(missingStep('desk', manager, enrolled), 'code')
  assert.equal(missingStep('desk', manager, confirmed), undefined)
})

test('the developer pages want a recent code of everybody', () => {
  for (const role of roles) {
    const place = { role, secondFactor: 'admins' } as const
    assert.equal(missingStep('developer pages', place, nothing), 'enrolment')
    assert.equal(missingStep('developer pages', place, enrolled), 'code')
    assert.equal(missingStep('developer pages', place, confirmed), 'code')
    assert.equal(missingStep('developer pages', place, recent), undefined)
  }
})

test('members are managed with a recent code; who may not manage them is asked for none', () => {
  const admin = { role: 'admin', secondFactor: 'admins' } as const
  assert.equal(missingStep('members', admin, confirmed), 'code')
  assert.equal(missingStep('members', admin, recent), undefined)
  assert.equal(missingStep('members', { role: 'technician', secondFactor: 'managers' }, nothing), undefined)
})
