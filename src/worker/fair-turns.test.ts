// Turns of organisations: in rotation, a few at once, until nobody has anything due.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as soon } from 'node:timers/promises'
import { takeTurns } from './fair-turns.ts'

/** Organisations with so many batches due, and the order in which they were served. */
function workOf(due: Record<string, number>) {
  const served: string[] = []
  return {
    served,
    findOrgs: async () => Object.keys(due).filter((orgId) => due[orgId]! > 0),
    async serve(orgId: string) {
      if (due[orgId]! === 0) return false
      due[orgId]!--
      served.push(orgId)
      return true
    },
  }
}

test('each organisation is served once before any is served again', async () => {
  const work = workOf({ busy: 4, quiet: 1, other: 2 })
  await takeTurns(work)
  assert.deepEqual(work.served, ['busy', 'quiet', 'other', 'busy', 'other', 'busy', 'busy'])
})

test('of several turns at once an organisation has no more than its share', async () => {
  const work = workOf({ busy: 6, quiet: 2 })
  const active = { busy: 0, quiet: 0 }
  let most = { busy: 0, all: 0 }
  await takeTurns({
    ...work,
    maxConcurrent: 3,
    maxPerOrg: 2,
    async serve(orgId) {
      active[orgId as 'busy']++
      most = { busy: Math.max(most.busy, active.busy), all: Math.max(most.all, active.busy + active.quiet) }
      await soon()
      active[orgId as 'busy']--
      return work.serve(orgId)
    },
  })
  assert.deepEqual(most, { busy: 2, all: 3 })
  assert.equal(work.served.length, 8)
})

test('who comes while others are served is found', async () => {
  const due = { busy: 1, late: 0 }
  const work = workOf(due)
  const { promise, resolve } = Promise.withResolvers<void>()
  await takeTurns({
    ...work,
    maxConcurrent: 2,
    async serve(orgId) {
      if (orgId === 'busy' && due.busy > 0) {
        due.late = 1
        await promise // it takes until the other has been served
      } else resolve()
      return work.serve(orgId)
    },
  })
  assert.deepEqual(work.served.sort(), ['busy', 'late'])
})

test('a failure ends it once what was begun has ended; once it is stopped nothing is begun', async () => {
  let ended = 0
  const failing = takeTurns({
    findOrgs: async () => ['one', 'two'],
    maxConcurrent: 2,
    async serve(orgId) {
      if (orgId === 'one') throw new Error('broken')
      await soon()
      ended++
      return true
    },
  })
  await assert.rejects(failing, /broken/)
  assert.equal(ended, 1)
  let looked = 0
  const lost = takeTurns({
    findOrgs: async () => (looked++ === 0 ? ['one'] : Promise.reject(new Error('away'))),
    async serve() {
      while (looked < 2) await soon()
      await soon()
      ended++
      return false
    },
  })
  await assert.rejects(lost, /away/)
  assert.equal(ended, 2)
  const work = workOf({ one: 2 })
  await takeTurns({ ...work, isStopped: () => work.served.length === 1 })
  assert.deepEqual(work.served, ['one'])
})
