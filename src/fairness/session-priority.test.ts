// Whose session stands behind others: that of a process which leads it, and never one that is somebody else's.
import assert from 'node:assert/strict'
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { test } from 'node:test'
import { sessionPriority } from '../../test/priorities.ts'

const program = `
  import { readFileSync } from 'node:fs'
  import { setTimeout as delay } from 'node:timers/promises'
  import { setSessionPriority } from ${JSON.stringify(new URL('session-priority.ts', import.meta.url).href)}
  setSessionPriority('self', 7)
  const priority = () => readFileSync('/proc/self/autogroup', 'utf8').trim().split(' ').at(-1)
  // Linux lets nobody but root change those of several sessions at once.
  for (let looks = 0; priority() === '0' && looks < Number(process.argv.at(-1)); looks++) await delay(10)
  console.log(priority())`

const said = async (child: ChildProcess) => {
  let text = ''
  for await (const part of child.stdout!.setEncoding('utf8')) text += part
  return text.trim()
}
const options: SpawnOptions = { detached: true, stdio: ['ignore', 'pipe', 'inherit'] }
const args = (looks: number) => ['--input-type=module', '-e', program, String(looks)]
const skip = sessionPriority(process.pid) === undefined && 'only many a Linux shares processors among sessions'

test('a session stands behind others when the process that leads it says so', { skip }, async () => {
  assert.equal(await said(spawn(process.execPath, args(1_000), options)), '7')
})

test('a process within a session that somebody else leads changes nothing', { skip }, async () => {
  const shell = ['-c', '"$0" "$@"; true', process.execPath, ...args(50)] // which leads the session, and lives longer
  assert.equal(await said(spawn('sh', shell, options)), '0')
})
