// The entries that programs connect with, and the keys they are refused for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandLine, settingsFor } from '../../test/command-line.ts'
import { startTestService } from '../../test/test-service.ts'

const here = await startTestService()
const { orgId: org, key } = await here.organisation()
const at = (authUrl: string) => commandLine({ ...settingsFor(here), AUTH_URL: authUrl })
const secure = at('https://jobs.example')
const config = ['mcp', 'config', '--org', org, '--key', key]

test('the messages API is given one server, and the one toolset that goes with it', async () => {
  const { json, code } = await secure(...config, '--json')
  assert.equal(code, 0)
  assert.deepEqual(json, {
    mcp_servers: [{ type: 'url', url: 'https://jobs.example/mcp', name: 'jobwright', authorization_token: key }],
    tools: [{ type: 'mcp_toolset', mcp_server_name: 'jobwright' }],
  })
})

test('programs on a desk are given what they read, with the key where they look for it', async () => {
  const desktop = (await secure(...config, '--for', 'claude-desktop', '--json')).json.mcpServers.jobwright
  assert.ok(desktop.args.includes('https://jobs.example/mcp'))
  assert.deepEqual(desktop.env, { AUTHORIZATION: `Bearer ${key}` })
  const editor = (await secure(...config, '--for', 'vscode', '--json')).json.servers.jobwright
  assert.deepEqual(editor, {
    type: 'http',
    url: 'https://jobs.example/mcp',
    headers: { Authorization: `Bearer ${key}` },
  })
})

test('an entry that cannot work says so or is not written', async () => {
  const local = await at('http://127.0.0.1:3000')(...config)
  assert.match(local.stdout, /connects to https addresses only/, 'who reads it is told what it takes')
  assert.equal((await at('http://127.0.0.1:3000')(...config, '--for', 'vscode', '--json')).code, 0)

  const refused = async (value: string) => (await secure('mcp', 'config', '--org', org, '--key', value)).stderr
  const restOnly = await here.client(org, { scopes: ['read'], uses: ['rest'] })
  const elsewhere = await here.organisation()
  assert.match(await refused(restOnly.key), /REST only/)
  assert.match(await refused(elsewhere.key), /of the organisation/)
  assert.match(await refused(restOnly.keyId), /whole value/)
  await secure('key', 'pause', org, restOnly.keyId)
  assert.match(await refused(restOnly.key), /is paused/)
})
