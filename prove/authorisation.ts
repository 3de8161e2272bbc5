// Who may do what, and whose records they reach: the loops that the tests have for it, carried out and counted.
import { fileURLToPath } from 'node:url'
import { operations } from '../src/resources/index.ts'
import { programEnvironment, runProgram } from '../test/programs.ts'
import { info, none, type Trial } from './trial.ts'

const testLoops = {
  'every operation with each scope, each bundle and both versions': 'test/scopes.test.ts',
  'a foreign id in every path, body, filter and cursor': 'test/isolation.test.ts',
}
const root = fileURLToPath(new URL('..', import.meta.url))

export const authorisationTrial: Trial = {
  name: 'authorisation',
  title: 'Authorisation',
  how:
    'Two loops over all operations, over HTTP: one with a key for each scope, bundle and scope version, one with two ' +
    'organisations whose ids are put into every place of each other’s requests.',
  async run(size, log) {
    const results = [info('operations', String(operations.length))]
    if (size === 'short') return results // the loops are tests themselves
    for (const [what, file] of Object.entries(testLoops)) {
      log(what)
      const { passed, failed } = await runTestFile(file)
      results.push(none(`${what}: promises broken`, failed, String(passed + failed)))
    }
    return results
  },
}

async function runTestFile(file: string): Promise<{ passed: number; failed: number }> {
  const args = ['--test', '--test-reporter=tap', file]
  const { code, output } = await runProgram(process.execPath, args, { cwd: root, env: programEnvironment() })
  const count = (word: string) => Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(output)?.[1] ?? 0)
  const passed = count('pass')
  if (passed === 0) throw new Error(`${file} ended with ${code} and no test passed:\n${output.slice(-2_000)}`)
  return { passed, failed: count('fail') }
}
