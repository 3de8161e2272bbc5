// The portal where the authorization server is another process: there, away, or silent.
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'

const here = await startTestService()

async function askBeside(authUrl: string, path = '/portal') {
  const port = await freePort()
  const settings = { PORT: port, ROLE: 'rest', AUTH_URL: authUrl, INTROSPECTION_SECRET: 'a secret between the two' }
  const there = await startTestService(settings)
  const response = await fetch(`${there.origin}${path}`, { redirect: 'manual' })
  return { status: response.status, location: response.headers.get('location'), text: await response.text() }
}

test('leads to the authorization server where that is', async () => {
  for (const path of ['/portal', '/desk']) {
    const answer = await askBeside(here.config.authUrl, path)
    assert.deepEqual([answer.status, answer.location], [303, `${here.config.authUrl}${path}`])
  }
})

test('answers 502 where it cannot be reached', async () => {
  const answer = await askBeside(`http://127.0.0.1:${await freePort()}`)
  assert.equal(answer.status, 502)
  assert.match(answer.text, /cannot be reached/)
})

test('answers 504 where it does not answer', async () => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  after(() => void silent.close())
  const answer = await askBeside(`http://127.0.0.1:${(silent.address() as { port: number }).port}`)
  assert.equal(answer.status, 504)
  assert.match(answer.text, /does not answer in time/)
})
