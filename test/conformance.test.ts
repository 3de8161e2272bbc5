// The protocol's own conformance suite, in both eras; what does not apply to us is written here, with the reason.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { bearerProxy } from './bearer-proxy.ts'
import { world } from './world.ts'

const suite = 'node_modules/@modelcontextprotocol/conformance/dist/index.js'
const skip = !existsSync(suite) && 'the conformance suite is not installed'

/** The suite asks for tools, prompts and a resource of its own; these are ours of the same kind. */
const ours: readonly (readonly [string, string])[] = [
  ['"test_simple_text"', '"list_customers"'],
  ['"test_error_handling"', '"get_ticket"'],
  ['"test_simple_prompt"', '"todays_schedule"'],
  ['"test_prompt_with_arguments"', '"draft_quote"'],
  ['"arg1"', '"customer"'],
  ['"arg2"', '"work"'],
  ['"test://static-text"', '"jobwright://guide"'],
]

const media = 'our tools, prompts and the guide are text: there are no images, sounds, files or embedded resources'
const asking = 'our tools ask the client for nothing: no sampling, no elicitation, no roots, no input on the way'
const notes = 'our tools say nothing before their result: no progress, no log messages, and no level to set'
const still = 'our resource never changes, so there is nothing to subscribe to'

/** Scenarios that do not apply, or single checks of one that does. */
const exceptions: Readonly<Record<string, string>> = {
  'tools-call-image': media,
  'tools-call-audio': media,
  'tools-call-embedded-resource': media,
  'tools-call-mixed-content': media,
  'resources-read-binary': media,
  'prompts-get-embedded-resource': media,
  'prompts-get-with-image': media,
  'resources-templates-read': 'there is one resource, and no template for others',
  'completion-complete': 'no argument of a prompt can be completed from a list',
  'logging-set-level': notes,
  'tools-call-with-logging': notes,
  'tools-call-with-progress': notes,
  'tools-call-sampling': asking,
  'tools-call-elicitation': asking,
  'elicitation-sep1034-defaults': asking,
  'elicitation-sep1330-enums': asking,
  'resources-subscribe': still,
  'resources-unsubscribe': still,
  'json-schema-2020-12': 'it asks for a tool of the suite’s own, to see keywords that our schemas do not use',
  'http-custom-header-server-validation': 'no argument of ours is mirrored in a header',
  'sep-2575-server-rejects-undeclared-capability': asking,
  'sep-2575-missing-capability-http-400': asking,
  'sep-2575-http-server-no-independent-requests-on-stream': asking,
  'sep-2575-server-no-log-without-loglevel': notes,
  'input-required-result-basic-elicitation': asking,
  'input-required-result-basic-sampling': asking,
  'input-required-result-basic-list-roots': asking,
  'input-required-result-request-state': asking,
  'input-required-result-multiple-input-requests': asking,
  'input-required-result-multi-round': asking,
  'input-required-result-non-tool-request': asking,
  'input-required-result-result-type': asking,
  'input-required-result-tampered-state': asking,
  'input-required-result-capability-check': asking,
}

const outside = { origin: '', key: '' }
const proxy = await bearerProxy({
  target: () => outside.origin,
  secret: () => outside.key,
  reworded: (body) => ours.reduce((text, [theirs, name]) => text.replaceAll(theirs, name), body),
})
const here = await world({ CORS_ORIGINS: proxy })
Object.assign(outside, { origin: here.origin, key: (await here.organisation()).key })
const folder = await mkdtemp(join(tmpdir(), 'jobwright-conformance-'))
after(() => rm(folder, { recursive: true, force: true }))

const needless = new Set(Object.keys(exceptions))

for (const revision of ['2025-11-25', '2026-07-28']) {
  test(`every scenario of ${revision} that applies to us passes`, { skip }, async (t) => {
    const output = join(folder, revision)
    const options = ['--url', `${proxy}/mcp`, '--spec-version', revision, '--suite', 'all', '-o', output]
    const said = await run(['server', ...options])
    const results = globSync(join(output, 'server-*', 'checks.json'))
    assert.ok(results.length > 30, said.slice(-2_000))
    let passed = 0
    for (const file of results) {
      const scenario = file
        .split('/')
        .at(-2)!
        .replace(/^server-|-\d{4}-\d\d-\d\dT.*$/g, '')
      for (const { id, status, errorMessage } of JSON.parse(readFileSync(file, 'utf8'))) {
        if (status === 'SUCCESS') passed++
        if (status !== 'FAILURE') continue
        const excepted = [scenario, id].find((name) => exceptions[name] !== undefined)
        assert.ok(excepted, `${scenario}: ${id}: ${errorMessage}`)
        needless.delete(excepted)
      }
    }
    t.diagnostic(`${results.length} scenarios, ${passed} checks passed`)
  })
}

test('every exception is needed', { skip }, () => assert.deepEqual([...needless], []))

function run(options: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    const child = spawn(process.execPath, [suite, ...options])
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        said += text
      })
    }
    child.on('error', reject)
    child.on('close', () => resolve(said))
  })
}
