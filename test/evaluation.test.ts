// What a shop asks of an agent, done through the tools alone on the demo shop; the bytes a model reads are reported and bounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDemo } from '../src/demo/demo.ts'
import { createVault } from '../src/identity/secrets.ts'
import { connectAgent } from './agent.ts'
import { moreErrands } from './evaluation-errands.ts'
import { type Call, evaluationScenarios } from './evaluation-scenarios.ts'
import { startTestService } from './test-service.ts'

const here = await startTestService()
const { key } = await makeDemo(here.database, await createVault(here.config))
const { client, call } = await connectAgent(here, key)

/** A token is about four bytes. */
const maxListBytes = 12_000 * 4
const maxAnswerBytes = 24_000

test('the list of tools leaves a model room to think', async (t) => {
  const bytes = Buffer.byteLength(JSON.stringify((await client.listTools()).tools))
  t.diagnostic(`tools/list: ${bytes} bytes, about ${Math.round(bytes / 4)} tokens`)
  assert.ok(bytes <= maxListBytes)
})

for (const { prompt, run } of [...evaluationScenarios, ...moreErrands]) {
  test(prompt, async (t) => {
    const calls: string[] = []
    let total = 0
    const recordedCall: Call = async (name, args) => {
      const answer = await call(name, args)
      const bytes = Buffer.byteLength(answer.text)
      calls.push(`${name} ${bytes}`)
      total += bytes
      assert.ok(bytes <= maxAnswerBytes, `${name} answered ${bytes} bytes`)
      return answer
    }
    await run(async (name, args) => {
      const { isError, text, data } = await recordedCall(name, args)
      assert.equal(isError, false, `${name} ${JSON.stringify(args)}: ${text}`)
      return data
    }, recordedCall)
    t.diagnostic(`${calls.length} calls, ${total} bytes: ${calls.join(', ')}`)
  })
}
