// Which types a pattern means.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { matchesType, typePattern } from './event-types.ts'

it('a pattern means one type, all of a noun, or all; none at all means all', () => {
  const cases: [patterns: string[], type: string, expected: boolean][] = [
    [['ticket.created'], 'ticket.created', true],
    [['ticket.created'], 'ticket.updated', false],
    [['ticket.*'], 'ticket.status_changed', true],
    [['ticket.*'], 'ticket_service.created', false],
    [['ticket_service.*'], 'ticket.created', false],
    [['customer.created', 'ticket.*'], 'ticket.closed', true],
    [['*'], 'mail.failed', true],
    [[], 'mail.failed', true],
  ]
  for (const [patterns, type, expected] of cases)
    assert.equal(matchesType(patterns, type), expected, `${patterns} ${type}`)
})

it('nothing else is a pattern', () => {
  const regex = new RegExp(typePattern)
  for (const pattern of ['*', 'ticket.*', 'ticket.created', 'ticket_service.status_changed'])
    assert.match(pattern, regex)
  for (const pattern of ['', 'ticket', '*.created', 'ticket.**', 'Ticket.created', 'ticket.created ', 'a.b.c'])
    assert.doesNotMatch(pattern, regex)
})
