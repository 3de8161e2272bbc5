// A calendar as phones subscribe to it: iCalendar text (RFC 5545), folded and escaped.

export interface Entry {
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

export function icalendar(name: string, entries: readonly Entry[]): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Jobwright//Calendar feed//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${escaped(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT15M',
    'X-PUBLISHED-TTL:PT15M',
    ...entries.flatMap(linesOf),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${folded(line)}\r\n`).join('')
}

function linesOf({ uid, title, from, to, days, location, description, changedAt }: Entry): string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${escaped(uid)}`,
    // When the entry last changed: a feed that stays the same must read the same.
    `DTSTAMP:${utc(changedAt)}`,
    `LAST-MODIFIED:${utc(changedAt)}`,
    ...(days
      ? [`DTSTART;VALUE=DATE:${days.first}`, `DTEND;VALUE=DATE:${days.afterLast}`]
      : [`DTSTART:${utc(from)}`, `DTEND:${utc(to)}`]),
    `SUMMARY:${escaped(title)}`,
    ...(location ? [`LOCATION:${escaped(location)}`] : []),
    ...(description ? [`DESCRIPTION:${escaped(description)}`] : []),
    'END:VEVENT',
  ]
}

const utc = (moment: Date) => moment.toISOString().replace(/[-:]|\.\d+/g, '')

/** Text may hold anything; what ends a line, a value or a list in iCalendar is marked. */
const escaped = (text: string) =>
  text
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r\n|\r|\n/g, '\\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are not allowed in values
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')

const mostOctets = 75

/** No line is longer than 75 octets; the rest goes on in the next one, after a space. Characters stay whole. */
function folded(line: string): string {
  if (Buffer.byteLength(line) <= mostOctets) return line
  let text = ''
  let room = mostOctets
  for (const character of line) {
    const octets = Buffer.byteLength(character)
    if (octets > room) {
      text += '\r\n '
      room = mostOctets - 1
    }
    text += character
    room -= octets
  }
  return text
}
