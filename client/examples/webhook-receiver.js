// Takes webhooks: what the service signed, once each, answered at once and worked on afterwards.
// WEBHOOK_SECRET (whsec_…), PORT
import { createServer } from 'node:http'
import { Jobwright, WebhookError } from 'jobwright-client'

const { WEBHOOK_SECRET = '', PORT = '4000' } = process.env
const seen = new Set() // yours is a table with the ids of the last days

/** Your work: one event after the other, in the order they came. */
async function work(event) {
  if (event.type === 'invoice.paid') console.log(`invoice ${event.data?.number} is paid`)
  else console.log(`${event.type} ${event.recordId}`)
}
let working = Promise.resolve()

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    // As it came: text that is parsed and written again is signed no more.
    const event = await Jobwright.verifyWebhook(Buffer.concat(chunks), request.headers, WEBHOOK_SECRET)
    if (!seen.has(event.id)) {
      seen.add(event.id)
      working = working.then(() => work(event)).catch(console.error)
    }
    response.writeHead(204).end() // within 15 seconds, or it is sent again
  } catch (error) {
    if (!(error instanceof WebhookError)) console.error(error)
    response.writeHead(error instanceof WebhookError ? 401 : 500).end()
  }
}).listen(Number(PORT), () => console.log(`http://127.0.0.1:${PORT}`))
