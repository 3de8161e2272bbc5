// What a message lacks, in plain words; and answers that only look as if they told of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Attachment } from '../operations/answers.ts'
import { simplifyValidationErrors, toToolResult } from './results.ts'

test('an answer that holds a record with an error of its own stays as it is', () => {
  const answer = '{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"error":{"code":-32603}}}}'
  assert.equal(simplifyValidationErrors(answer), answer)
})

test('an error in words stays as it is', () => {
  const answer = '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool: [\\n]"}}'
  assert.equal(simplifyValidationErrors(answer), answer)
})

test('what goes on after its answer is told as such, and what has ended is not', async () => {
  const result = { data: '{"message":"Customer is being deleted"}', ignored: [], replayed: false }
  const sentences = async (status: number) =>
    (await toToolResult({ ...result, status }, undefined, true)).content.map((one) => 'text' in one && one.text)
  assert.deepEqual(await sentences(200), [result.data])
  assert.match(String((await sentences(202))[1]), /goes on with it/)
})

test('a file of text is answered as text, which a model can read', async () => {
  const attachment = new Attachment('jobs.csv', 'text/csv; charset=utf-8', async () => Buffer.from('a,b\r\n'))
  const result = { status: 200, data: '', ignored: [], replayed: false, attachment }
  assert.deepEqual(await toToolResult(result, undefined, true), {
    content: [{ type: 'text', text: 'a,b\r\n' }],
    structuredContent: { text: 'a,b\r\n' },
  })
})
