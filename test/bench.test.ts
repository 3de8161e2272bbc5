// The benchmark's yardstick answers what the service does: a field that it lacks would make it quicker than it is.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { toSnakeCase } from '../src/operations/row-codec.ts'
import { customers } from '../src/resources/customers.ts'
import { tickets } from '../src/resources/tickets/record.ts'

const wordsOf = (file: string) => new Set(readFileSync(new URL(file, import.meta.url), 'utf8').split(/\W+/))

for (const [file, { name, record }] of [
  ['../bench/bare.ts', customers],
  ['../bench/bare-jobs.ts', customers],
  ['../bench/bare-jobs.ts', tickets],
] as const)
  test(`${file} has every field of ${name}`, () => {
    const words = wordsOf(file)
    const columns = Object.keys(record.properties).map(toSnakeCase)
    assert.deepEqual(
      columns.filter((column) => !words.has(column)),
      [],
    )
  })
