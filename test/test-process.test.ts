// Processes that run test files: no test is passed over, whenever its file registers it, and what stays open ends with them.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { writeEntry } from './test-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'jobwright-test-process-'))
after(() => rmSync(folder, { recursive: true }))

async function runTests(text: string): Promise<string> {
  const file = join(folder, 'some.test.mjs')
  writeFileSync(file, `import { test } from 'node:test'\n${text}`)
  const entry = await writeEntry(folder, { name: 'entry', files: [file] })
  const { NODE_TEST_CONTEXT: _, ...env } = process.env // it would not be run within a test
  return spawnSync(process.execPath, ['--test', '--test-reporter=tap', entry], { env, encoding: 'utf8' }).stdout
}

test('what a file registers later is run', async () => {
  const report = await runTests(`
    test('first', () => {})
    await new Promise((resolve) => setTimeout(resolve, 300))
    test('second', () => { throw new Error('as it should') })`)
  assert.match(report, /^ok \d+ - first$/m)
  assert.match(report, /^not ok \d+ - second$/m)
})

test('a file that cannot be loaded fails', async () => {
  assert.match(await runTests('await import("./not-there.mjs")'), /^not ok \d+ - all files are loaded$/m)
})

test('what stays open does not keep it from ending, and every result is told', async () => {
  const report = await runTests(`
    import { createServer } from 'node:net'
    test('open', () => void createServer().listen(0))
    for (let n = 0; n < 2_000; n++) test('one of many ' + n, () => {})`)
  assert.equal(report.match(/^ok \d+ - one of many/gm)?.length, 2_000)
})
