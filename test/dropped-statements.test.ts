// The check for dropped statements: what it finds, and what it leaves alone.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { findDroppedStatements } from './dropped-statements.ts'

const root = await mkdtemp(join(tmpdir(), 'jobwright-dropped-'))
after(() => rm(root, { recursive: true, force: true }))

const declarations = `
interface Statement<T> { readonly sql: string; readonly decode: (rows: never[]) => T; readonly connection?: 'slow' }
declare const ctx: { query<T>(statement: Statement<T>): Promise<T> }
declare function touch(id: string): Statement<void>
declare function prepare(id: string): Promise<Statement<void>>
declare const isDue: boolean
declare const console: { log(): void }
`

async function check(code: string): Promise<string[]> {
  const options = {
    compilerOptions: { strict: true, target: 'esnext', lib: ['esnext'], types: [] },
    files: ['code.ts'],
  }
  await writeFile(join(root, 'tsconfig.json'), JSON.stringify(options))
  await writeFile(join(root, 'code.ts'), `${declarations}export async function run() {\n${code}\n}\n`)
  return findDroppedStatements(root)
}

const dropped = {
  'as an expression': "touch('a')",
  'behind await, which waits for nothing': "await touch('a')",
  'behind void': "void touch('a')",
  'behind a condition': "isDue && touch('a')",
  'in either branch': "isDue ? touch('a') : undefined",
  'before a comma': "return (touch('a'), 1)",
  'as a spread copy': "({ ...touch('a'), connection: 'slow' as const })",
  'behind a promise': "prepare('a')",
  'behind an awaited promise': "await prepare('a')",
  'in a variable that nobody reads': "const _statement = touch('a')",
  'by a callback whose result is ignored': "['a'].forEach((id) => touch(id))",
}
for (const [place, code] of Object.entries(dropped)) {
  test(`finds one that is dropped ${place}`, async () => {
    const found = await check(code)
    assert.equal(found.length, 1, found.join('\n'))
    assert.match(found[0]!, /^code\.ts:9 {2}/)
  })
}

test('leaves alone what is executed, returned or passed on', async () => {
  const code = `await ctx.query(touch('a'))
  const one = touch('b')
  await ctx.query(one)
  const many = ['c'].map((id) => touch(id))
  for (const each of many) await ctx.query(each)
  void ctx.query(touch('d'))
  await ctx.query((console.log(), touch('g')))
  return isDue ? touch('e') : touch('f')`
  assert.deepEqual(await check(code), [])
})
