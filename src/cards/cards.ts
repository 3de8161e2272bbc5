// The cards that hosts of agents show beside a tool's answer, and the tools that have one.
import { readFile } from 'node:fs/promises'
import type { Card } from '../mcp/cards.ts'

const card = (name: string, title: string, operations: readonly string[]): Card => ({
  uri: `ui://jobwright/${name}`,
  name,
  title,
  operations,
  read: () => readFile(new URL(`./made/${name}.html`, import.meta.url), 'utf8'),
})

export const cards: readonly Card[] = [
  card('job', 'A job', ['getTicket', 'createTicket', 'updateTicket', 'setTicketStatus']),
  card('quote', 'A quote', ['getQuote', 'createQuote', 'updateQuote']),
  card('day', 'What is on', ['listCalendarEvents']),
]
