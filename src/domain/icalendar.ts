// A calendar as phones subscribe to it: iCalendar text (RFC 5545), folded and escaped.
import { removeControlCharacters } from './text.ts'

export interface CalendarEntry {
  /** The same for ever, so that a phone knows the entry again. */
  readonly uid: string
  readonly title: string
  readonly from: Date
  readonly to: Date
  /** The days of an entry without times, `20261115` each, the second one after its end. */
  readonly days: { readonly first: string; readonly afterLast: string } | null
  readonly location: string | null
  readonly description: string | null
  readonly changedAt: Date
}

export function renderICalendar(name: string, entries: readonly CalendarEntry[]): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Jobwright//Calendar feed//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${escapeText(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT15M',
    'X-PUBLISHED-TTL:PT15M',
    ...entries.flatMap(eventLines),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${foldLine(line)}\r\n`).join('')
}

function eventLines({ uid, title, from, to, days, location, description, changedAt }: CalendarEntry): string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${escapeText(uid)}`,
    // When the entry last changed: a feed that stays the same must read the same.
    `DTSTAMP:${formatUtc(changedAt)}`,
    `LAST-MODIFIED:${formatUtc(changedAt)}`,
    ...(days
      ? [`DTSTART;VALUE=DATE:${days.first}`, `DTEND;VALUE=DATE:${days.afterLast}`]
      : [`DTSTART:${formatUtc(from)}`, `DTEND:${formatUtc(to)}`]),
    `SUMMARY:${escapeText(title)}`,
    ...(location ? [`LOCATION:${escapeText(location)}`] : []),
    ...(description ? [`DESCRIPTION:${escapeText(description)}`] : []),
    'END:VEVENT',
  ]
}

const formatUtc = (moment: Date) => moment.toISOString().replace(/[-:]|\.\d+/g, '')

/** Text may hold anything; what ends a line, a value or a list in iCalendar is marked. */
const escapeText = (text: string) =>
  removeControlCharacters(text.replace(/[\\;,]/g, '\\$&').replace(/\r\n|\r|\n/g, '\\n'))

const maxOctets = 75

/** No line is longer than 75 octets; the rest goes on in the next one, after a space. Characters stay whole. */
function foldLine(line: string): string {
  if (Buffer.byteLength(line) <= maxOctets) return line
  let text = ''
  let octetsLeft = maxOctets
  for (const character of line) {
    const octets = Buffer.byteLength(character)
    if (octets > octetsLeft) {
      text += '\r\n '
      octetsLeft = maxOctets - 1
    }
    text += character
    octetsLeft -= octets
  }
  return text
}
