// Which jobs a rule asks, what a template may not be, and what can be done with a form when.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  actionProblem,
  type FormField,
  type FormStatus,
  fieldsProblem,
  formActions,
  formStatuses,
  gatesOfNewJob,
  type JobFacts,
  matchesRule,
  type RuleMatch,
  reconcileForms,
} from './forms.ts'

const any: RuleMatch = { serviceIds: [], deviceTypes: [], assetCategoryIds: [], recurringScheduleIds: [] }
const job: JobFacts = {
  serviceIds: ['svc_gas', 'svc_callout'],
  deviceType: 'Boiler',
  assetCategoryId: 'cat_home',
  recurringScheduleId: null,
}

describe('a rule', () => {
  test('without lists asks every job', () => {
    assert.ok(matchesRule(any, job))
    assert.ok(matchesRule(any, { serviceIds: [], deviceType: null, assetCategoryId: null, recurringScheduleId: null }))
  })

  test('asks a job that meets any entry of a list, and every list', () => {
    assert.ok(matchesRule({ ...any, serviceIds: ['svc_x', 'svc_gas'] }, job))
    assert.ok(matchesRule({ ...any, serviceIds: ['svc_gas'], assetCategoryIds: ['cat_home'] }, job))
    assert.ok(!matchesRule({ ...any, serviceIds: ['svc_gas'], assetCategoryIds: ['cat_other'] }, job))
    assert.ok(!matchesRule({ ...any, serviceIds: ['svc_x'] }, job))
    assert.ok(!matchesRule({ ...any, recurringScheduleIds: ['sch_1'] }, job))
    assert.ok(matchesRule({ ...any, recurringScheduleIds: ['sch_1'] }, { ...job, recurringScheduleId: 'sch_1' }))
  })

  test('knows a device type however it was typed', () => {
    assert.ok(matchesRule({ ...any, deviceTypes: ['  gas  BOILER '] }, { ...job, deviceType: 'Gas boiler' }))
    assert.ok(!matchesRule({ ...any, deviceTypes: ['Boiler'] }, { ...job, deviceType: 'Gas boiler' }))
    assert.ok(!matchesRule({ ...any, deviceTypes: ['Boiler'] }, { ...job, deviceType: null }))
  })

  test('asks once, and not while it is switched off', () => {
    const rule = (id: string, isActive = true, match = any) => ({ id, name: id, match, isActive })
    const form = (ruleId: string, status: FormStatus) => ({ id: `form of ${ruleId}`, ruleId, status })
    const none = { ...any, deviceTypes: ['Phone'] }
    const { missing, obsolete } = reconcileForms(
      job,
      [rule('new'), rule('asked'), rule('off', false), rule('other', true, none), rule('left', false, none)],
      [form('asked', 'submitted'), form('other', 'open'), form('left', 'inProgress'), form('deleted', 'open')],
    )
    assert.deepEqual(
      missing.map(({ id }) => id),
      ['new'],
    )
    assert.deepEqual(
      obsolete.map(({ id }) => id),
      ['form of other'],
      'what somebody began stays, and so does what no rule speaks of any more',
    )
  })

  test('that is switched off does not void what it asked for', () => {
    const rule = { id: 'r', name: 'r', match: any, isActive: false }
    assert.deepEqual(reconcileForms(job, [rule], [{ id: 'f', ruleId: 'r', status: 'open' }]).obsolete, [])
  })

  test('names the gates a new job would stand before', () => {
    const rules = [
      { gate: 'start' as const, match: any },
      { gate: 'completion' as const, match: { ...any, deviceTypes: ['Phone'] } },
    ]
    assert.deepEqual(gatesOfNewJob(job, rules), ['start'])
  })
})

test('a form is filled in, submitted or voided, and only what was submitted is reopened', () => {
  const allowed = Object.fromEntries(
    formStatuses.map((status) => [status, formActions.filter((act) => !actionProblem(act, status))]),
  )
  const unfinished = ['start', 'answer', 'sign', 'submit', 'void']
  assert.deepEqual(allowed, { open: unfinished, inProgress: unfinished, submitted: ['reopen'], voided: [] })
  assert.equal(actionProblem('submit', 'voided'), 'The form is voided and cannot be submitted')
})

test('the fields of a template are refused by their place', () => {
  const field = (given: Partial<FormField>): FormField => ({
    ...{ id: 'a', label: 'A', type: 'text', required: false, options: [] },
    ...given,
  })
  const wrong: [FormField[], string | undefined][] = [
    [[field({}), field({ id: 'b', type: 'choice', options: ['x', 'y'] })], undefined],
    [[field({}), field({})], 'fields[1].id is used twice'],
    [[field({ type: 'choice' })], 'fields[0].options is required for choice'],
    [[field({ type: 'multiChoice' })], 'fields[0].options is required for multiChoice'],
    [[field({ options: ['x'] })], 'fields[0].options is only for choice and multiChoice'],
    [[field({ type: 'choice', options: ['x', 'x'] })], 'fields[0].options[1] is there twice'],
    [[field({ type: 'section', required: true })], 'fields[0].required is not for a section, which has no answer'],
  ]
  for (const [fields, problem] of wrong) assert.equal(fieldsProblem(fields), problem)
})
