// The command that writes the entry with which a program that speaks MCP connects to the service.
import { oneOf, text } from '../api/fields.ts'
import { mcpPath } from '../api/mcp.ts'
import { keyWithValue } from '../identity/keys.ts'
import { command, UsageError } from './command.ts'
import { databaseWith, organisationId } from './organisations.ts'

const name = 'jobwright'
const programs = ['messages-api', 'claude-desktop', 'vscode'] as const
type Program = (typeof programs)[number]

/** What each program reads, where it reads it. */
const entries: Readonly<Record<Program, (url: string, key: string) => object>> = {
  'messages-api': (url, key) => ({
    mcp_servers: [{ type: 'url', url, name, authorization_token: key }],
    tools: [{ type: 'mcp_toolset', mcp_server_name: name }],
  }),
  // It starts programs only: mcp-remote is the one that leads to an address. The value stands in the environment, because
  // arguments with spaces are taken apart on some systems.
  'claude-desktop': (url, key) => ({
    mcpServers: {
      [name]: {
        command: 'npx',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: mcp-remote puts the value in
        args: ['-y', 'mcp-remote', url, '--header', 'Authorization:${AUTHORIZATION}'],
        env: { AUTHORIZATION: `Bearer ${key}` },
      },
    },
  }),
  vscode: (url, key) => ({
    servers: { [name]: { type: 'http', url, headers: { Authorization: `Bearer ${key}` } } },
  }),
}

export default [
  command('mcp config', {
    summary: 'Write the entry with which an agent connects by MCP',
    options: {
      org: organisationId,
      key: text(200, { description: 'the value of an API key that may be used for MCP' }),
      for: oneOf(programs, { default: 'messages-api', description: 'the program that reads the entry' }),
    },
    example: '--org org_01kbx5… --key sk_live_… --for vscode',
    async run({ org, key: value, for: program }, ctx) {
      const key = await keyWithValue(await databaseWith(org, ctx), org, value)
      if (!key) throw new UsageError('--key must be the whole value of an API key of the organisation, sk_live_…')
      if (key.status !== 'active') throw new UsageError(`--key is ${key.status}; an active key is needed`)
      if (!key.allowedUses.includes('mcp')) {
        throw new UsageError('--key may be used for REST only; make one with --uses rest,mcp')
      }
      const url = ctx.config().authUrl + mcpPath
      if (program === 'messages-api' && !url.startsWith('https:')) {
        throw new Error(`The messages API connects to https addresses only, and ours is ${url}; set AUTH_URL`)
      }
      return entries[program](url, value)
    },
    show: (entry) => JSON.stringify(entry, null, 2),
  }),
]
