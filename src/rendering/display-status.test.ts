// The status of a document as its reader sees it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printDocument } from '../../test/print-documents.ts'
import { acceptsAnswer, displayStatus, isPayable } from './display-status.ts'

test('every state has its name, and only an open quote can be answered', () => {
  const cases = [
    [printDocument(), 'open', true],
    [printDocument({ status: 'draft' }), 'draft', true],
    [printDocument({ status: 'accepted' }), 'accepted', false],
    [printDocument({ status: 'declined' }), 'declined', false],
    [printDocument({ status: 'invoiced' }), 'invoiced', false],
    [printDocument({ status: 'void' }), 'void', false],
    [printDocument({ isExpired: true }), 'expired', false],
    [printDocument({ isExpired: true, status: 'accepted' }), 'accepted', false],
    [printDocument({ kind: 'invoice' }), 'due', false],
    [printDocument({ kind: 'invoice', status: 'draft' }), 'draft', false],
    [printDocument({ kind: 'invoice', isOverdue: true }), 'overdue', false],
    [printDocument({ kind: 'invoice', amountPaid: 315.6 }), 'paid', false],
    [printDocument({ kind: 'invoice', status: 'void' }), 'void', false],
  ] as const
  for (const [document, name, mayAnswer] of cases) {
    assert.equal(displayStatus(document).name, name)
    assert.equal(acceptsAnswer(document), mayAnswer, name)
  }
})

test('nobody is told how to pay what is not owed', () => {
  assert.equal(isPayable(printDocument({ kind: 'invoice' })), true)
  for (const document of [
    printDocument({ kind: 'invoice', status: 'void' }),
    printDocument({ kind: 'invoice', amountPaid: 315.6 }),
    printDocument({ isExpired: true }),
    printDocument({ status: 'declined' }),
  ])
    assert.equal(isPayable(document), false)
})
