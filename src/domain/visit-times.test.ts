import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedTimes, type SaidTimes } from './visit-times.ts'
import { wallOf } from './wall-clock.ts'

const zone = 'Europe/London'
const visit = (from: string, to: string, allDay = false) => ({ from: new Date(from), to: new Date(to), allDay })
const changed = (before: ReturnType<typeof visit>, said: SaidTimes) => {
  const { from, to, allDay } = changedTimes(before, said, zone)
  return [from.toISOString(), to.toISOString(), allDay]
}

test('a visit that is moved over either clock change stays at its time on the wall', () => {
  const spring = visit('2026-03-27T09:00:00Z', '2026-03-27T10:30:00Z')
  assert.deepEqual(changed(spring, { day: '2026-03-30' }), [
    '2026-03-30T08:00:00.000Z',
    '2026-03-30T09:30:00.000Z',
    false,
  ])
  const autumn = visit('2026-10-23T08:00:00Z', '2026-10-23T09:30:00Z')
  assert.deepEqual(changed(autumn, { day: '2026-10-26' }), [
    '2026-10-26T09:00:00.000Z',
    '2026-10-26T10:30:00.000Z',
    false,
  ])
})

test('a visit takes as long as before, also through the night when clocks change', () => {
  const night = visit('2026-10-23T21:00:00Z', '2026-10-24T02:00:00Z')
  assert.deepEqual(changed(night, { day: '2026-10-24' }), [
    '2026-10-24T21:00:00.000Z',
    '2026-10-25T02:00:00.000Z',
    false,
  ])
  assert.deepEqual(changed(night, { time: '23:00' }), ['2026-10-23T22:00:00.000Z', '2026-10-24T03:00:00.000Z', false])
})

test('whole days stay whole days, of 23 and 25 hours, too', () => {
  const one = visit('2026-10-22T23:00:00Z', '2026-10-23T23:00:00Z', true)
  assert.deepEqual(changed(one, { day: '2026-10-25' }), ['2026-10-24T23:00:00.000Z', '2026-10-26T00:00:00.000Z', true])
  assert.deepEqual(changed(one, { day: '2026-03-29', time: '14:00' }), [
    '2026-03-29T00:00:00.000Z',
    '2026-03-29T23:00:00.000Z',
    true,
  ])
  const three = visit('2026-11-16T00:00:00Z', '2026-11-19T00:00:00Z', true)
  assert.deepEqual(changed(three, { day: '2026-11-17' }), [
    '2026-11-17T00:00:00.000Z',
    '2026-11-20T00:00:00.000Z',
    true,
  ])
})

test('an end that is said to be before the beginning is on the day after', () => {
  const late = visit('2026-11-16T20:00:00Z', '2026-11-16T21:00:00Z')
  assert.deepEqual(changed(late, { until: '01:30' }), ['2026-11-16T20:00:00.000Z', '2026-11-17T01:30:00.000Z', false])
  assert.deepEqual(changed(late, { until: '22:15' }), ['2026-11-16T20:00:00.000Z', '2026-11-16T22:15:00.000Z', false])
})

test('of an hour that comes twice, the end means the one after the beginning', () => {
  const twice = visit('2026-10-25T01:15:00Z', '2026-10-25T02:00:00Z')
  assert.equal(wallOf(twice.from, zone).time, '01:15')
  assert.deepEqual(changed(twice, { untilDay: '2026-10-25', until: '01:45' }), [
    '2026-10-25T01:15:00.000Z',
    '2026-10-25T01:45:00.000Z',
    false,
  ])
})

test('who sends a form as it was changes nothing, whichever of two hours was meant', () => {
  const second = visit('2026-10-25T01:30:00Z', '2026-10-25T01:45:00Z')
  const said = { day: '2026-10-25', time: '01:30', untilDay: '2026-10-25', until: '01:45', allDay: false }
  assert.deepEqual(changed(second, said), ['2026-10-25T01:30:00.000Z', '2026-10-25T01:45:00.000Z', false])
  const across = visit('2026-10-25T00:00:00Z', '2026-10-25T01:45:00Z')
  assert.deepEqual(changed(across, { ...said, time: '01:00' }), [
    '2026-10-25T00:00:00.000Z',
    '2026-10-25T01:45:00.000Z',
    false,
  ])
})

test('a time that clocks leave out is as long after the gap', () => {
  const early = visit('2026-03-28T01:30:00Z', '2026-03-28T02:00:00Z')
  assert.deepEqual(changed(early, { day: '2026-03-29' }), [
    '2026-03-29T01:30:00.000Z',
    '2026-03-29T02:00:00.000Z',
    false,
  ])
})

test('what was all day gets hours, and what had hours becomes a day', () => {
  const day = visit('2026-11-16T00:00:00Z', '2026-11-17T00:00:00Z', true)
  assert.deepEqual(changed(day, { allDay: false }), ['2026-11-16T09:00:00.000Z', '2026-11-16T10:00:00.000Z', false])
  const morning = visit('2026-11-16T09:00:00Z', '2026-11-16T10:00:00Z')
  assert.deepEqual(changed(morning, { allDay: true }), ['2026-11-16T00:00:00.000Z', '2026-11-17T00:00:00.000Z', true])
})
