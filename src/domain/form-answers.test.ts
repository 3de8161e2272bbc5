// What fits each kind of field, and what a form lacks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answersProblem, mergeAnswers, missingRequirement } from './form-answers.ts'
import type { FieldType, FormField } from './forms.ts'

const field = (id: string, type: FieldType, options: string[] = [], required = false): FormField => ({
  ...{ id, label: `${id}?`, type, options, required },
})
const fields = [
  field('note', 'text', [], true),
  field('heading', 'section'),
  field('mbar', 'number'),
  field('safe', 'boolean', [], true),
  field('flue', 'choice', ['Open', 'Sealed']),
  field('checks', 'multiChoice', ['CO', 'Gas']),
  field('due', 'date'),
  field('picture', 'photo'),
  field('ink', 'signature'),
]

test('an answer that does not fit is refused by the name of its field', () => {
  const wrong: [object, string][] = [
    [{ nope: 1 }, 'answers.nope is not a field of this form'],
    [{ note: 5 }, 'answers.note must be a string (note?)'],
    [{ note: 'a\u0000b' }, 'answers.note has characters that are not allowed (note?)'],
    [{ note: '\ud800' }, 'answers.note has characters that are not allowed (note?)'],
    [{ note: 'x'.repeat(10_001) }, 'answers.note must be at most 10000 characters (note?)'],
    [{ heading: 'x' }, 'answers.heading is a section, which has no answer (heading?)'],
    [{ mbar: '20' }, 'answers.mbar must be a number (mbar?)'],
    [{ mbar: Number.NaN }, 'answers.mbar must be a number (mbar?)'],
    [{ safe: 'true' }, 'answers.safe must be true or false (safe?)'],
    [{ flue: 'open' }, 'answers.flue must be one of Open, Sealed (flue?)'],
    [{ checks: 'CO' }, 'answers.checks must be a list of some of CO, Gas (checks?)'],
    [{ checks: ['CO', 'CO'] }, 'answers.checks must be a list of some of CO, Gas (checks?)'],
    [{ due: '2026-02-30' }, 'answers.due must be a date such as 2026-11-15 (due?)'],
    [{ due: '2026-2-3' }, 'answers.due must be a date such as 2026-11-15 (due?)'],
  ]
  for (const [given, problem] of wrong) assert.equal(answersProblem(fields, { ...given }), problem)
  for (const picture of ['http://x.example/a.png', 'javascript:alert(1)', 'data:text/html;base64,YQ==', 7, 'a b']) {
    assert.match(answersProblem(fields, { picture }) ?? '', /^answers\.picture must be an https address, or a picture/)
  }
  assert.match(
    answersProblem(fields, { picture: `data:image/png;base64,${'A'.repeat(300_000)}` }) ?? '',
    /at most 300000/,
  )
})

test('an answer that fits is kept in the order of the fields, with the label it was given to', () => {
  const input = {
    ink: 'Ann',
    picture: 'data:image/png;base64,iVBORw0KGgo=',
    due: '2028-02-29',
    checks: ['Gas'],
    flue: 'Open',
    safe: false,
    mbar: 0,
    note: ' All well ',
  }
  assert.equal(answersProblem(fields, input), undefined)
  const answers = mergeAnswers(fields, [], input)
  assert.deepEqual(
    answers.map(({ fieldId, value }) => [fieldId, value]),
    [
      ['note', 'All well'],
      ['mbar', 0],
      ['safe', false],
      ['flue', 'Open'],
      ['checks', ['Gas']],
      ['due', '2028-02-29'],
      ['picture', 'data:image/png;base64,iVBORw0KGgo='],
      ['ink', 'Ann'],
    ],
  )
  assert.deepEqual(answers[1], { fieldId: 'mbar', label: 'mbar?', type: 'number', value: 0 })
})

test('later answers add to the earlier ones, and what is empty takes one back', () => {
  const first = mergeAnswers(fields, [], { note: 'a', mbar: 20, checks: ['CO'] })
  const then = mergeAnswers(fields, first, { mbar: 21, checks: [], note: '  ' })
  assert.deepEqual(
    then.map(({ fieldId, value }) => [fieldId, value]),
    [['mbar', 21]],
  )
})

test('what is missing is named: answers in the order of the fields, then signatures', () => {
  const missing = (input: object, signed: ('technician' | 'customer')[]) =>
    missingRequirement(fields, mergeAnswers(fields, [], { ...input }), ['technician', 'customer'], signed)
  assert.equal(missing({}, []), 'answers.note is required (note?)')
  assert.equal(missing({ note: 'x' }, []), 'answers.safe is required (safe?)')
  const complete = { note: 'x', safe: false }
  assert.equal(missing(complete, []), 'signatures.technician is required: the technician has not signed')
  assert.equal(missing(complete, ['technician']), 'signatures.customer is required: the customer has not signed')
  assert.equal(missing(complete, ['customer', 'technician']), undefined)
})
