// A spreadsheet of all jobs: written once, then kept up to date by what changed since the last run.
// JOBWRIGHT_URL, JOBWRIGHT_ORG, JOBWRIGHT_KEY (tickets:read events:read), and the file: node sync-to-spreadsheet.js jobs.csv
import { readFile, rename, writeFile } from 'node:fs/promises'
import { Jobwright } from 'jobwright-client'

const { JOBWRIGHT_URL: baseUrl, JOBWRIGHT_ORG: organisation, JOBWRIGHT_KEY: apiKey } = process.env
const jobwright = new Jobwright({ baseUrl, organisation, apiKey, isPaced: true })
const file = process.argv[2] ?? 'jobs.csv'
const columns = ['id', 'number', 'status', 'customerName', 'serviceRequired', 'updatedAt']

/** The rows of the last run, and where it stopped reading events. */
async function load() {
  try {
    const { cursor, tickets } = JSON.parse(await readFile(`${file}.state`, 'utf8'))
    return { cursor, tickets: new Map(tickets) }
  } catch {
    return { cursor: undefined, tickets: new Map() }
  }
}

async function save(path, text) {
  await writeFile(`${path}.new`, text)
  await rename(`${path}.new`, path) // whoever reads it never sees half
}

const keep = (ticket) => Object.fromEntries(columns.map((name) => [name, ticket[name]]))
// A spreadsheet would carry out what begins like a formula.
const cell = (value) =>
  `"${String(value ?? '')
    .replace(/^[=+\-@\t\r]/, "'$&")
    .replaceAll('"', '""')}"`

let { cursor, tickets } = await load()
if (cursor === undefined) {
  // Where the feed is now, before anything is read: what changes meanwhile is read again, and nothing is missed.
  cursor = (await jobwright.events.list({ startAfter: 'latest' }).page()).nextCursor ?? undefined
  for await (const ticket of jobwright.tickets.list({ limit: 100 })) tickets.set(ticket.id, keep(ticket))
} else {
  for (let hasMore = true; hasMore; ) {
    const query = { type: 'ticket.*', startAfter: cursor, limit: 100 }
    const page = await jobwright.events.list(query).page()
    for (const { recordId, data } of page.items) {
      if (data) tickets.set(recordId, keep(data))
      else tickets.delete(recordId)
    }
    cursor = page.nextCursor
    hasMore = page.hasMore
  }
}
const lines = [columns, ...[...tickets.values()].map((ticket) => columns.map((name) => ticket[name]))]
await save(file, lines.map((line) => `${line.map(cell).join(',')}\r\n`).join(''))
await save(`${file}.state`, JSON.stringify({ cursor, tickets: [...tickets] }))
console.log(`${tickets.size} jobs in ${file}`)
