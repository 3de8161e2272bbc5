// The protocol's own conformance suite, in both eras; what does not apply to us is written here, with the reason.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startBearerProxy } from './bearer-proxy.ts'
import { runProgram } from './programs.ts'
import { startTestService } from './test-service.ts'

const suite = 'node_modules/@modelcontextprotocol/conformance/dist/index.js'
const skip = !existsSync(suite) && 'the conformance suite is not installed'

/** The suite expects tools, prompts and a resource of its own; these are ours of the same kind. */
const substitutions: readonly (readonly [string, string])[] = [
  ['"test_simple_text"', '"list_customers"'],
  ['"test_error_handling"', '"get_ticket"'],
  ['"test_simple_prompt"', '"todays_schedule"'],
  ['"test_prompt_with_arguments"', '"draft_quote"'],
  ['"arg1"', '"customer"'],
  ['"arg2"', '"work"'],
  ['"test://static-text"', '"jobwright://guide"'],
]

const noMedia = 'our tools, prompts and the guide are text: there are no images, sounds, files or embedded resources'
const noClientRequests =
  'our tools ask the client for nothing: no sampling, no elicitation, no roots, no input on the way'
const noNotifications = 'our tools say nothing before their result: no progress, no log messages, and no level to set'
const noSubscriptions = 'our resource never changes, so there is nothing to subscribe to'

/** Scenarios that do not apply, or single checks of one that does. */
const exceptions: Readonly<Record<string, string>> = {
  'tools-call-image': noMedia,
  'tools-call-audio': noMedia,
  'tools-call-embedded-resource': noMedia,
  'tools-call-mixed-content': noMedia,
  'resources-read-binary': noMedia,
  'prompts-get-embedded-resource': noMedia,
  'prompts-get-with-image': noMedia,
  'resources-templates-read': 'there is one resource, and no template for others',
  'completion-complete': 'no argument of a prompt can be completed from a list',
  'logging-set-level': noNotifications,
  'tools-call-with-logging': noNotifications,
  'tools-call-with-progress': noNotifications,
  'tools-call-sampling': noClientRequests,
  'tools-call-elicitation': noClientRequests,
  'elicitation-sep1034-defaults': noClientRequests,
  'elicitation-sep1330-enums': noClientRequests,
  'resources-subscribe': noSubscriptions,
  'resources-unsubscribe': noSubscriptions,
  'json-schema-2020-12': 'it asks for a tool of the suite’s own, to see keywords that our schemas do not use',
  'http-custom-header-server-validation': 'no argument of ours is mirrored in a header',
  'sep-2575-server-rejects-undeclared-capability': noClientRequests,
  'sep-2575-missing-capability-http-400': noClientRequests,
  'sep-2575-http-server-no-independent-requests-on-stream': noClientRequests,
  'sep-2575-server-no-log-without-loglevel': noNotifications,
  'input-required-result-basic-elicitation': noClientRequests,
  'input-required-result-basic-sampling': noClientRequests,
  'input-required-result-basic-list-roots': noClientRequests,
  'input-required-result-request-state': noClientRequests,
  'input-required-result-multiple-input-requests': noClientRequests,
  'input-required-result-multi-round': noClientRequests,
  'input-required-result-non-tool-request': noClientRequests,
  'input-required-result-result-type': noClientRequests,
  'input-required-result-tampered-state': noClientRequests,
  'input-required-result-capability-check': noClientRequests,
}

const upstream = { origin: '', key: '' }
const proxy = await startBearerProxy({
  target: () => upstream.origin,
  secret: () => upstream.key,
  rewrite: (body) => substitutions.reduce((text, [theirs, name]) => text.replaceAll(theirs, name), body),
})
const here = await startTestService({ CORS_ORIGINS: proxy })
Object.assign(upstream, { origin: here.origin, key: (await here.organisation()).key })
const folder = await mkdtemp(join(tmpdir(), 'jobwright-conformance-'))
after(() => rm(folder, { recursive: true, force: true }))

const unneededExceptions = new Set(Object.keys(exceptions))

for (const revision of ['2025-11-25', '2026-07-28']) {
  test(`every scenario of ${revision} that applies to us passes`, { skip }, async (t) => {
    const output = join(folder, revision)
    const options = ['--url', `${proxy}/mcp`, '--spec-version', revision, '--suite', 'all', '-o', output]
    const log = await run(['server', ...options])
    const results = globSync(join(output, 'server-*', 'checks.json'))
    assert.ok(results.length > 30, log.slice(-2_000))
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
        unneededExceptions.delete(excepted)
      }
    }
    t.diagnostic(`${results.length} scenarios, ${passed} checks passed`)
  })
}

test('every exception is needed', { skip }, () => assert.deepEqual([...unneededExceptions], []))

const run = async (options: readonly string[]): Promise<string> =>
  (await runProgram(process.execPath, [suite, ...options])).output
