// The status of a brought quote or invoice, beside what was paid and when.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { invoiceStatus, quoteStatus } from './document-status.ts'
import { readDraft } from './read-draft.ts'
import { recognise } from './recognise.ts'
import { resolveDocument } from './resolve-document.ts'

const resolved = (header: string, row: string, kind: 'invoices' | 'quotes' = 'invoices') => {
  const found = recognise([header.split(',')], { kind })
  const file = { ...found, dateOrders: {}, decimalCommas: [], timeZone: 'UTC' }
  const draft = readDraft(found.source, file, [{ row: 2, cells: row.split(',') }])
  return resolveDocument(kind, draft, draft.money!, 'GBP')
}

describe('the status', () => {
  for (const [said, state] of [
    ['Void', 'void'],
    ['Cancelled', 'void'],
    ['Storniert', 'void'],
    ['Reversed', 'void'],
    ['Draft', 'draft'],
    ['Not yet sent', 'draft'],
    ['Unsent', 'draft'],
    ['AUTHORISED', 'sent'],
    ['Past due', 'sent'],
    ['Partially paid', 'sent'],
    ['Überfällig', 'sent'],
    ['Payée', 'sent'],
    [undefined, 'sent'],
  ] as const)
    test(`${said} of an invoice is ${state}`, () => {
      const known = invoiceStatus(said)
      assert.deepEqual([known.state, known.note, known.isPaid ?? false], [state, undefined, said === 'Payée'])
    })
  for (const [said, state] of [
    [undefined, 'draft'],
    ['Changes requested', 'draft'],
    ['Awaiting approval', 'sent'],
    ['Approved', 'accepted'],
    ['Converted', 'accepted'],
    ['Archived', 'declined'],
    ['Cancelled', 'declined'],
    ['Sent', 'sent'],
  ] as const)
    test(`${said} of a quote is ${state}`, () => assert.deepEqual(quoteStatus(said), { state }))

  test('that nobody knows is sent, and that is said', () => {
    const words = 'the status "Blah" is not known: it was taken for sent'
    for (const known of [invoiceStatus('Blah'), quoteStatus('Blah')])
      assert.deepEqual(known, { state: 'sent', note: words })
    const writtenOff = invoiceStatus('Written off')
    assert.deepEqual([writtenOff.state, /brought as void/.test(writtenOff.note!)], ['void', true])
  })

  const header = 'Invoice number,Customer,Date,Total,Status,Amount paid,Balance,Paid date'
  const brought = (row: string) => {
    const { values, payment, notes } = resolved(header, `1,Ann,2026-01-05,${row}`)
    return [values.status, payment?.amount, ...notes.filter((note) => !/when it was paid/.test(note))]
  }
  test('gives way to what was paid, and that is said', () => {
    assert.deepEqual(brought('100,Void,10,,'), [
      ...['sent', 10, 'the file calls it Void, but says 10 were paid: it was brought as sent'],
    ])
    assert.deepEqual(brought('100,Draft,,40,'), [
      ...['sent', 60, 'the file calls it Draft, but says 60 were paid: it was brought as sent'],
    ])
    assert.deepEqual(brought('100,Paid,40,,'), [
      ...['sent', 40, 'the file calls it Paid, but says 40 of 100 were paid: that was taken'],
    ])
    assert.deepEqual(brought('100,Sent,-5,,'), ['sent', undefined, 'the payment of -5 is below zero: it was left out'])
  })
  test('of what is void does not say that somebody paid because nothing is owed', () => {
    assert.deepEqual(brought('100,Void,,0,'), ['void', undefined])
    assert.deepEqual(brought('100,Paid,,,'), ['sent', 100])
    assert.deepEqual(brought('100,Sent,,0,'), ['sent', 100])
  })
})

describe('a column of what was paid that holds words', () => {
  const header = 'Number,Customer,Date,Due Date,Total,Balance Due,Status,Paid'
  const brought = (row: string) => {
    const { values, payment, notes } = resolved(header, `9,Ann,2026-01-05,2026-02-05,${row}`)
    return [values.status, payment?.amount, ...notes.filter((note) => !/when it was paid/.test(note))]
  }
  test('says whether it was, and amounts say how much', () => {
    for (const word of ['Yes', 'TRUE', 'y', 'ja', 'Paid']) assert.deepEqual(brought(`100,,,${word}`), ['sent', 100])
    for (const word of ['No', 'false', 'n', 'nein', 'Unpaid'])
      assert.deepEqual(brought(`100,,,${word}`), ['sent', undefined])
    assert.deepEqual(brought('100,0.00,,Yes'), ['sent', 100])
    assert.deepEqual(brought('100,60,,No'), ['sent', 40])
    assert.deepEqual(brought('100,60,,40'), ['sent', 40])
    assert.deepEqual(brought('100,,,0'), ['sent', undefined])
  })
  test('is told where the amounts or the status say otherwise', () => {
    assert.deepEqual(brought('100,60,,Yes'), [
      ...['sent', 40, 'the file calls it paid, but says 40 of 100 were paid: that was taken'],
    ])
    assert.deepEqual(brought('100,0,,No'), [
      ...['sent', undefined, 'the file says that it is not paid, and that nothing is owed: it is owed'],
    ])
    assert.deepEqual(brought('100,,Paid,No'), [
      ...['sent', undefined, 'the file calls it Paid, but says 0 of 100 were paid: that was taken'],
    ])
    assert.deepEqual(brought('100,,Void,Yes'), [
      ...['void', undefined, 'the file calls it Void, and paid, but not how much: no payment was made of that'],
    ])
  })
})

test('an invoice without any day is of today, and that is said', () => {
  const header = 'Invoice number,Customer,Date,Total'
  const words = 'it does not say when it was issued: today was taken'
  assert.deepEqual(resolved(header, '1,Ann,,10').notes, [words])
  assert.deepEqual(resolved(header, '1,Ann,2026-01-05,10').notes, [])
  assert.deepEqual(resolved('Quote number,Customer,Date,Total', '1,Ann,,10', 'quotes').notes, [])
})
