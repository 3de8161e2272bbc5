// The errands of a shop, done through the tools alone on the demo shop; what they cost a model is reported and bounded.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDemo } from '../src/demo/demo.ts'
import { vaultFrom } from '../src/identity/secrets.ts'
import { agent } from './agent.ts'
import { type Call, errands } from './errands.ts'
import { world } from './world.ts'

const here = await world()
const { key } = await makeDemo(here.database, await vaultFrom(here.config))
const { client, call } = await agent(here, key)

/** A token is about four bytes. */
const mostListBytes = 12_000 * 4
const mostAnswerBytes = 24_000

test('the list of tools leaves a model room to think', async (t) => {
  const bytes = Buffer.byteLength(JSON.stringify((await client.listTools()).tools))
  t.diagnostic(`tools/list: ${bytes} bytes, about ${Math.round(bytes / 4)} tokens`)
  assert.ok(bytes <= mostListBytes)
})

for (const { ask, does } of errands) {
  test(ask, async (t) => {
    const calls: string[] = []
    let total = 0
    const noted: Call = async (name, given) => {
      const answer = await call(name, given)
      const bytes = Buffer.byteLength(answer.text)
      calls.push(`${name} ${bytes}`)
      total += bytes
      assert.ok(bytes <= mostAnswerBytes, `${name} answered ${bytes} bytes`)
      return answer
    }
    await does(async (name, given) => {
      const { isError, text, data } = await noted(name, given)
      assert.equal(isError, false, `${name} ${JSON.stringify(given)}: ${text}`)
      return data
    }, noted)
    t.diagnostic(`${calls.length} calls, ${total} bytes: ${calls.join(', ')}`)
  })
}
