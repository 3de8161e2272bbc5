// A process that replaces itself to get its size of V8's space for young objects, as its own words after it tell.
import assert from 'node:assert/strict'
import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { programEnvironment } from '../../test/programs.ts'

const program = `
  import { restartWithSemiSpace } from ${JSON.stringify(new URL('semi-space.ts', import.meta.url).href)}
  restartWithSemiSpace()
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
  return words.options.filter((option) => option.startsWith('--max'))
}

test('a process has its size however it was started, with all it was given, and nobody is told', async () => {
  assert.deepEqual(await run(), ['--max-semi-space-size=16'])
})

test('whoever chose a size keeps it', async () => {
  assert.deepEqual(await run({ options: ['--max-semi-space-size=8'] }), ['--max-semi-space-size=8'])
  assert.deepEqual(await run({ environment: { NODE_OPTIONS: '--max_semi_space_size=8' } }), [])
})

test('a process that its parent talks to goes on as it is: the channel would not survive', async () => {
  assert.deepEqual(await run({ stdio: ['pipe', 'pipe', 'pipe', 'ipc'] }), [])
})
