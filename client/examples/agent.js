// An agent's morning over MCP: it finds the tools it may use, reads what is open, and leaves a note on the oldest job.
// A model would choose the calls; here they are written down. JOBWRIGHT_URL, JOBWRIGHT_KEY (tickets:write messages:write)
const { JOBWRIGHT_URL = '', JOBWRIGHT_KEY } = process.env
const endpoint = new URL('/mcp', JOBWRIGHT_URL) // where the service is; elsewhere it is AUTH_URL/mcp
let count = 0

/** JSON-RPC; the answer is JSON or a stream with one message. */
async function request(method, params = {}) {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${JOBWRIGHT_KEY}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ++count, method, params }),
  })
  const text = await response.text()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  const { result, error } = JSON.parse(isStream ? /^data: (.*)$/m.exec(text)[1] : text)
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

/** What a tool answers. A refusal is for the model to read: it says what to do next. */
async function call(name, args) {
  const { structuredContent, content, isError } = await request('tools/call', { name, arguments: args })
  if (isError) throw new Error(`${name}: ${content[0].text}`)
  return structuredContent ?? JSON.parse(content[0].text)
}

const { tools } = await request('tools/list')
console.log(
  `${tools.length} tools, among them ${tools
    .slice(0, 3)
    .map(({ name }) => name)
    .join(', ')}`,
)

const { tickets } = await call('list_tickets', { status: 'Open' })
const oldest = tickets.at(-1)
if (oldest) {
  await call('add_ticket_message', { ticketId: oldest.id, text: 'Has waited longest: please look at it today.' })
  console.log(`left a note on job ${oldest.number}`)
} else console.log('nothing is open')
