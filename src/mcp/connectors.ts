// The entries by which programs that speak MCP know the service, ready to be pasted.
import { mcpPath } from './endpoint.ts'

export const programs = ['messages-api', 'claude-desktop', 'vscode'] as const
export type Program = (typeof programs)[number]

const serverName = 'jobwright'

/** What stands for a key that is not known. */
export const keyPlaceholder = 'YOUR_API_KEY'

/** What each program reads, where it reads it. */
export function connectors(authUrl: string, key = keyPlaceholder): Readonly<Record<Program, object>> {
  const url = authUrl + mcpPath
  return {
    'messages-api': {
      mcp_servers: [{ type: 'url', url, name: serverName, authorization_token: key }],
      tools: [{ type: 'mcp_toolset', mcp_server_name: serverName }],
    },
    // It starts programs only: mcp-remote is the one that leads to an address. The value stands in the environment,
    // because arguments with spaces are taken apart on some systems.
    'claude-desktop': {
      mcpServers: {
        [serverName]: {
          command: 'npx',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: mcp-remote puts the value in
          args: ['-y', 'mcp-remote', url, '--header', 'Authorization:${AUTHORIZATION}'],
          env: { AUTHORIZATION: `Bearer ${key}` },
        },
      },
    },
    vscode: { servers: { [serverName]: { type: 'http', url, headers: { Authorization: `Bearer ${key}` } } } },
  }
}
