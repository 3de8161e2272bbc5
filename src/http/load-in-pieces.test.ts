// Loading a package in pieces: the order of its files, and whether others get their turn.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { loadInPieces, loadingOrder } from './load-in-pieces.ts'

const folder = await mkdtemp(join(tmpdir(), 'jobwright-pieces-'))
after(() => rm(folder, { recursive: true, force: true }))

const globals = globalThis as { loadedPieces?: string[] }

/** Files that say when they are run, and are busy for long enough that a pause is due. */
async function writePackage(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const run = (file: string) =>
    `const until = performance.now() + 6\nwhile (performance.now() < until);\nglobalThis.loadedPieces.push('${file}')\n`
  for (const [file, imports] of Object.entries(files))
    await writeFile(join(folder, `${name}-${file}`), `${imports.replaceAll('./', `./${name}-`)}\n${run(file)}`)
  return pathToFileURL(join(folder, `${name}-${Object.keys(files)[0]}`)).href
}

describe('the order of files', () => {
  const order = (imports: Readonly<Record<string, string>>) =>
    loadingOrder('a', new Map(Object.entries(imports).map(([file, others]) => [file, [...others]]))).join('')

  test('has what is imported before its importers, each once', () => {
    assert.equal(order({ a: 'bc', b: 'd', c: 'd', d: '' }), 'dbca')
    assert.equal(order({ a: '' }), 'a')
  })

  test('leaves files that import each other to the one that is met first', () => {
    assert.equal(order({ a: 'b', b: 'c', c: 'bd', d: '' }), 'dba')
    assert.equal(order({ a: 'b', b: 'a' }), 'a')
    assert.equal(order({ a: 'bd', b: 'c', c: 'b', d: 'b' }), 'bda')
  })
})

test('files are run as they would be without it, with turns for others in between', async () => {
  const files = {
    'entry.mjs': "import './first.mjs'\nexport { x } from './second.cjs'\nimport fs from 'node:fs'\nimport 'nowhere'",
    'first.mjs': "import {\n  a,\n} from './cycle.mjs'\nexport const b = 1",
    'cycle.mjs': "import { b } from './first.mjs'\nexport const a = () => b",
    'second.cjs': "const third = require('./third.cjs')\nif (false) {\n  require('./never.cjs')\n}",
    'third.cjs': 'exports.x = 1',
    'never.cjs': '',
  }
  globals.loadedPieces = []
  const turns: string[][] = []
  const watch = setInterval(() => turns.push([...globals.loadedPieces!]), 0)
  await loadInPieces(await writePackage('pieces', files))
  clearInterval(watch)
  // The entry names something that is not there: that is for whoever imports it.
  assert.deepEqual(globals.loadedPieces, ['cycle.mjs', 'first.mjs', 'third.cjs', 'second.cjs'])
  const between = new Set(turns.map((loaded) => loaded.length))
  for (const count of [2, 3]) assert.ok(between.has(count), `nobody had a turn after ${count} of them`)
})
