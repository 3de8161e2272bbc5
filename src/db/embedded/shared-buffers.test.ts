import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sharedBuffers } from './shared-buffers.ts'

const gib = 2 ** 30

it('gives PostgreSQL a sixteenth of the memory, neither too little nor more than was measured', () => {
  assert.deepEqual(
    [0.5, 1, 4, 6, 64].map((size) => sharedBuffers(size * gib)),
    ['128MB', '128MB', '256MB', '384MB', '512MB'],
  )
  assert.match(sharedBuffers(), /^(128|[1-5]\d\d)MB$/)
})
