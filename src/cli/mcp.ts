// The command that writes the entry with which a program that speaks MCP connects to the service.
import { findKeyByValue } from '../identity/keys.ts'
import { connectors, programs } from '../mcp/connectors.ts'
import { oneOf, text } from '../operations/fields.ts'
import { command, UsageError } from './command.ts'
import { databaseWithOrganisation, organisationId } from './organisations.ts'

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
      const key = await findKeyByValue(await databaseWithOrganisation(org, ctx), org, value)
      if (!key) throw new UsageError('--key must be the whole value of an API key of the organisation, sk_live_…')
      if (key.status !== 'active') throw new UsageError(`--key is ${key.status}; an active key is needed`)
      if (!key.allowedUses.includes('mcp')) {
        throw new UsageError('--key may be used for REST only; make one with --uses rest,mcp')
      }
      const { authUrl } = ctx.config()
      return connectors(authUrl, value)[program]
    },
    render: (entry) => JSON.stringify(entry, null, 2) + httpsWarning(entry),
  }),
]

/** For people; a program is given the entry alone. */
function httpsWarning(entry: object): string {
  const isForMessages = 'mcp_servers' in entry
  const isHttps = JSON.stringify(entry).includes('"url":"https:')
  return isForMessages && !isHttps
    ? '\n\nThe messages API connects to https addresses only: set AUTH_URL to the public one.'
    : ''
}
