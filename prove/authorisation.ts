// Who may do what, and whose records they reach: the loops that the tests have for it, carried out and counted.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { operations } from '../src/resources/index.ts'
import { none, type Trial, told } from './trial.ts'

const loops = {
  'every operation with each scope, each bundle and both versions': 'test/scopes.test.ts',
  'a foreign id in every path, body, filter and cursor': 'test/isolation.test.ts',
}
const root = fileURLToPath(new URL('..', import.meta.url))

export const authorisation: Trial = {
  name: 'authorisation',
  title: 'Authorisation',
  how:
    'Two loops over all operations, over HTTP: one with a key for each scope, bundle and scope version, one with two ' +
    'organisations whose ids are put into every place of each other’s requests.',
  async run(size, say) {
    const figures = [told('operations', String(operations.length))]
    if (size === 'short') return figures // the loops are tests themselves
    for (const [what, file] of Object.entries(loops)) {
      say(what)
      const { passed, failed } = await counted(file)
      figures.push(none(`${what}: promises broken`, failed, String(passed + failed)))
    }
    return figures
  },
}

async function counted(file: string): Promise<{ passed: number; failed: number }> {
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', file], {
    cwd: root,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const [code] = await once(child, 'exit')
  const number = (word: string) => Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(said)?.[1] ?? 0)
  const passed = number('pass')
  if (passed === 0) throw new Error(`${file} ended with ${code} and no test passed:\n${said.slice(-2_000)}`)
  return { passed, failed: number('fail') }
}
