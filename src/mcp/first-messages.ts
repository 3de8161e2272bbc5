// The first message of each era: the protocol's library makes its schemas when it meets one, which takes as long as others should
// wait at most. So it meets ours, while it is being loaded and with pauses in between, and callers' messages find them made.

interface FirstMessage {
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

const modernVersion = '2026-07-28'
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** Both are answered by the library itself, without a caller. */
export const firstMessages: readonly FirstMessage[] = [
  { headers: json, body: { jsonrpc: '2.0', id: 1, method: 'ping' } },
  {
    headers: { ...json, 'mcp-protocol-version': modernVersion, 'mcp-method': 'server/discover' },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'server/discover',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': modernVersion,
          'io.modelcontextprotocol/clientInfo': { name: 'jobwright', version: '0.1.0' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
  },
]
