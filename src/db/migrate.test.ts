// Migrations are sent statement by statement: what ends one, and what does not.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { migrationFiles, splitStatements, splitSteps } from './migrate.ts'

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

test('a line of its own parts the steps of a migration', () => {
  assert.deepEqual(splitSteps('select 1;\n-- Next step: more.\nselect 2; -- Next step\n'), [
    'select 1;\n',
    '\nselect 2; -- Next step\n',
  ])
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
        /^(create|alter|select|insert|update|with|do|drop|delete|analyze|comment)\b/,
        `${file}: ${statement.slice(0, 80)}`,
      )
  }
})
