// A process that replaces itself to get its options of V8, as its own words after it tell.
import assert from 'node:assert/strict'
import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { programEnvironment } from '../../test/programs.ts'

const program = `
  import { restartWithV8Options } from ${JSON.stringify(new URL('v8-options.ts', import.meta.url).href)}
  restartWithV8Options()
  console.log(JSON.stringify({ pid: process.pid, options: process.execArgv, words: process.argv.slice(1), PORT: process.env.PORT }))`

interface Words {
  readonly pid: number
  readonly options: readonly string[]
  readonly words: readonly string[]
  readonly PORT: string
}

async function run({ options = [] as string[], environment = {}, stdio = 'pipe' as SpawnOptions['stdio'] } = {}) {
  const child = spawn(process.execPath, [...options, '--input-type=module', '-e', program, 'start', 'all of it'], {
    env: { ...programEnvironment(), PORT: '4711', ...environment },
    stdio,
  })
  let said = ''
  child.stdout!.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  let complaints = ''
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    complaints += text
  })
  await once(child, 'close')
  assert.equal(complaints, '')
  const words = JSON.parse(said) as Words
  assert.equal(words.pid, child.pid)
  assert.deepEqual(words.words, ['start', 'all of it'])
  assert.equal(words.PORT, '4711')
  return words.options.filter((option) => /^--(max|v8|expose)/.test(option))
}

/** One for each processor but the one that requests run on, and no more than V8 itself would have. */
const pool = `--v8-pool-size=${Math.min(4, Math.max(1, availableParallelism() - 1))}`

test('a process has its options however it was started, with all it was given, and nobody is told', async () => {
  assert.deepEqual(await run(), ['--max-semi-space-size=16', pool, '--expose-gc'])
})

test('whoever chose one keeps it, and has the others', async () => {
  assert.deepEqual(await run({ options: ['--max-semi-space-size=8'] }), [
    pool,
    '--expose-gc',
    '--max-semi-space-size=8',
  ])
  assert.deepEqual(await run({ environment: { NODE_OPTIONS: '--max_semi_space_size=8' } }), [pool, '--expose-gc'])
  assert.deepEqual(await run({ environment: { NODE_OPTIONS: '--v8-pool-size=2' } }), [
    '--max-semi-space-size=16',
    '--expose-gc',
  ])
})

test('a process that its parent talks to goes on as it is: the channel would not survive', async () => {
  assert.deepEqual(await run({ stdio: ['pipe', 'pipe', 'pipe', 'ipc'] }), [])
})
