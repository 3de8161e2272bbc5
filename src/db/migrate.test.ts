// Migrations are taken step by step and sent statement by statement: what ends one, and what does not.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { migrationFiles } from './migrate.ts'
import { builtIndex, forDistributedTables, splitStatements, splitSteps } from './migration-steps.ts'

test('a semicolon ends a statement, except in a comment, a string or a body', () => {
  const statements = [
    "select 'a;b', 'it''s; so'",
    "-- Citus's own; really\nselect 1",
    'do $$ begin perform 1; end $$',
    'create function f() as $body$ select $$;$$; $body$',
    "alter table a add column b text default ';'",
  ]
  assert.deepEqual(splitStatements(`${statements.join(';')};\n-- nothing more; at all\n`), statements)
})

test('a line of its own parts the steps of a migration, and says how one is carried out', () => {
  const text =
    'select 1;\n-- Next step: more.\nselect 2; -- Next step\n-- Next step, repeated: b.\nselect 3;\n-- Next step, concurrently.\n'
  const words = (statements: readonly string[]) => statements.map((one) => one.replaceAll(/--[^\n]*/g, '').trim())
  assert.deepEqual(
    splitSteps(text).map(({ kind, statements }) => [kind, ...words(statements)]),
    [['once', 'select 1'], ['once', 'select 2'], ['repeated', 'select 3'], ['concurrently']],
  )
  assert.deepEqual(splitSteps('-- Next step, concurrently: a.\nselect 1')[0]?.kind, 'concurrently')
})

test('where tables may be distributed, an index is created in a block of its own, within a transaction', () => {
  const [step] = splitSteps(`-- Next step, concurrently: both.
    create unique index concurrently a on b (c);
    drop index concurrently if exists d;`)
  assert.deepEqual(step!.statements.map(builtIndex), ['a', undefined])
  const { kind, statements } = forDistributedTables(step!)
  assert.equal(kind, 'once')
  assert.deepEqual(
    statements.map((one) => one.replace(/--[^\n]*/, '').replaceAll(/\s+/g, ' ')),
    [
      'do $block$ begin create unique index a on b (c); end $block$',
      'do $block$ begin drop index if exists d; end $block$',
    ],
  )
})

test('nothing of a migration is lost, and none has a part that is more than one statement', async () => {
  for (const file of await migrationFiles()) {
    const text = await readFile(new URL(`../../migrations/${file}`, import.meta.url), 'utf8')
    const statements = splitStatements(text)
    const words = (one: string) => one.replaceAll(/--[^\n]*/g, '').replaceAll(/[\s;]/g, '')
    assert.equal(words(statements.join(';')), words(text), file)
    for (const statement of statements)
      assert.match(
        statement.replaceAll(/--[^\n]*/g, '').trim(),
        /^(create|alter|select|insert|update|with|do|drop|delete|analyze|comment|set)\b/,
        `${file}: ${statement.slice(0, 80)}`,
      )
  }
})
