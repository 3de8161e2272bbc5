// A website's booking form: a visitor becomes a customer, or is recognised, and the job is on the board.
// JOBWRIGHT_URL, JOBWRIGHT_ORG, JOBWRIGHT_KEY (customers:write tickets:write), PORT
import { createServer } from 'node:http'
import { Jobwright, JobwrightError, NotFoundError } from 'jobwright-client'

const { JOBWRIGHT_URL: baseUrl, JOBWRIGHT_ORG: organisation, JOBWRIGHT_KEY: apiKey, PORT = '4000' } = process.env
const jobwright = new Jobwright({ baseUrl, organisation, apiKey })

const page = (text) => `<!doctype html><meta charset="utf-8"><title>Book a repair</title>${text}`
const form = () =>
  page(`<form method="post">
  <input type="hidden" name="booking" value="${crypto.randomUUID()}">
  <label>Name <input name="name" required maxlength="60"></label>
  <label>Email <input name="email" type="email" required></label>
  <label>What is broken? <textarea name="problem" required maxlength="500"></textarea></label>
  <button>Book</button>
</form>`)

/** Whoever was here before is not entered twice. */
async function findOrCreateCustomer({ name, email, booking }) {
  try {
    const { matches } = await jobwright.customers.lookup({ email })
    return matches[0]
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    return jobwright.customers.create({ firstName: name, email }, { idempotencyKey: booking })
  }
}

async function book(fields) {
  const { id: customerId } = await findOrCreateCustomer(fields)
  // The form has a name of its own: pressed twice, it books once.
  const options = { idempotencyKey: fields.booking }
  return jobwright.tickets.create({ customerId, serviceRequired: fields.problem }, options)
}

createServer(async (request, response) => {
  const answer = (status, text) => response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(text)
  if (request.method !== 'POST') return answer(200, form())
  try {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const ticket = await book(Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())))
    answer(200, page(`<p>Thank you. Your number is ${ticket.number}.</p>`))
  } catch (error) {
    const isTheirs = error instanceof JobwrightError && error.status === 400
    if (!isTheirs) console.error(error)
    answer(isTheirs ? 400 : 502, page(`<p>${isTheirs ? 'Please check what you typed.' : 'Please try again.'}</p>`))
  }
}).listen(Number(PORT), () => console.log(`http://127.0.0.1:${PORT}`))
