// The entries by which programs know the service as an MCP server, ready to be pasted.

export const placeholder = 'YOUR_API_KEY'

/** What each program takes to know the service by. */
export const connectors = (authUrl: string, key = placeholder) => {
  const url = `${authUrl}/mcp`
  return {
    'claude-desktop': {
      mcpServers: {
        jobwright: { command: 'npx', args: ['-y', 'mcp-remote', url, '--header', `Authorization: Bearer ${key}`] },
      },
    },
    vscode: { servers: { jobwright: { type: 'http', url, headers: { Authorization: `Bearer ${key}` } } } },
    'messages-api': {
      mcp_servers: [{ type: 'url', url, name: 'jobwright', authorization_token: key }],
      tools: [{ type: 'mcp_toolset', mcp_server_name: 'jobwright' }],
    },
  }
}
