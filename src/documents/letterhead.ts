// The head of a printed document: who sends it, to whom, the dates, and the one sum the reader looks for.
import type { Format } from './format.ts'
import { clamped, colors, heightOf, type Paper, type SetLine, space, tagged } from './paper.ts'
import { oneLine } from './printable.ts'
import type { Sheet } from './sheet.ts'
import { daysOf, headline, kindName, type Standing } from './standing.ts'
import {
  amountStyle,
  body,
  documentKind,
  documentNumber,
  label,
  organisationName,
  panelColors,
  small,
  strong,
  toneColors,
} from './styles.ts'

export function letterhead(paper: Paper, { organisation, ...sheet }: Sheet, logo: Uint8Array | undefined): void {
  const endWidth = paper.width * 0.4
  const startWidth = paper.width - endWidth - 20
  const endX = paper.right - endWidth
  const title = [
    ...paper.set(kindName(sheet), documentKind, endWidth),
    ...clamped(paper.set(oneLine(sheet.number), documentNumber, endWidth), 3, paper),
  ]
  let y = paper.top
  const picture = logo && pictureOf(paper, logo, organisation.name)
  if (picture) y = picture(y) + 10
  const names = picture
    ? paper.set(oneLine(organisation.name), strong, startWidth)
    : paper.set(oneLine(organisation.name), organisationName, startWidth)
  const website = organisation.website?.replace(/^https?:\/\//, '').replace(/\/$/, '')
  const details = [
    ...clamped(paper.set(addressOf(organisation.address), small, startWidth), 9, paper),
    ...clamped(paper.setInARow([organisation.phone, organisation.email, website], small, startWidth), 6, paper),
    ...clamped(
      paper.set(organisation.taxNumber && oneLine(`Tax number ${organisation.taxNumber}`), small, startWidth),
      3,
      paper,
    ),
  ]

  tagged(paper, paper.root, 'P', () => {
    y = paper.put(names, paper.left, y, startWidth)
    y = paper.put(details, paper.left, y + 3, startWidth)
  })
  tagged(paper, paper.root, 'H1', () => paper.put(title, endX, paper.top, endWidth, 'end'))
  paper.y = Math.max(y, paper.top + heightOf(title)) + 16
  paper.rule(paper.left, paper.y, paper.width)
  paper.y += 18
}

/** Sized to stand well beside any name: at most 160 by 52 points. */
function pictureOf(paper: Paper, logo: Uint8Array, name: string): ((y: number) => number) | undefined {
  try {
    const image = (paper.doc as unknown as { openImage(src: Uint8Array): { width: number; height: number } }).openImage(
      Buffer.from(logo),
    )
    const scale = Math.min(160 / image.width, 52 / image.height)
    const [width, height] = [image.width * scale, image.height * scale]
    return (y) => {
      const figure = paper.doc.struct('Figure', { alt: name }, () => {
        paper.doc.image(image as unknown as string, paper.leftOf(paper.left, width), y, { width, height })
      })
      paper.root.add(figure)
      return y + height
    }
  } catch {
    return undefined
  }
}

/** Who it is for, the dates, and in a panel the one sum the reader looks for. */
export function parties(paper: Paper, sheet: Sheet, standing: Standing, format: Format): void {
  const top = paper.y
  const panelWidth = 190
  const datesWidth = 110
  const customerWidth = paper.width - panelWidth - datesWidth - 30

  const { name, address, email } = sheet.customer
  const customer = [
    ...paper.set(sheet.kind === 'quote' ? 'Prepared for' : 'Billed to', label, customerWidth),
    ...paper.set(name && oneLine(name), strong, customerWidth),
    ...clamped(paper.set(addressOf(address), body, customerWidth), 12, paper),
    ...clamped(paper.set(email && oneLine(email, 254), { ...body, color: colors.muted }, customerWidth), 4, paper),
  ]
  const dates: SetLine[] = []
  for (const { term, at } of daysOf(sheet)) {
    if (dates.length > 0) dates.push(space(5))
    dates.push(...paper.set(term, label, datesWidth), ...paper.set(format.date(at), body, datesWidth))
  }

  const { label: caption, amount } = headline(sheet)
  const inner = panelWidth - 28
  const shown = paper.widthOf(amount, amountStyle) > inner ? { ...amountStyle, size: 12 } : amountStyle
  const color = toneColors[standing.tone]
  const panel = [
    ...paper.set(standing.tone === 'calm' ? caption : `${caption}  ·  ${standing.label}`, { ...label, color }, inner),
    ...paper.set(amount, { ...shown, color }, inner),
    ...clamped(paper.set(oneLine(standing.sentence, 200), { ...small, color: colors.ink }, inner), 6, paper),
  ]

  tagged(paper, paper.root, 'P', () => paper.put(customer, paper.left, top, customerWidth))
  tagged(paper, paper.root, 'P', () => paper.put(dates, paper.left + customerWidth + 15, top, datesWidth))
  const panelHeight = heightOf(panel) + 22
  paper.panel(paper.right - panelWidth, top, panelWidth, panelHeight, panelColors[standing.tone])
  tagged(paper, paper.root, 'P', () => paper.put(panel, paper.right - panelWidth + 14, top + 11, inner))
  paper.y = Math.max(top + heightOf(customer), top + heightOf(dates), top + panelHeight) + 24
}

/** An address of very many lines is written in one, or it would fill the page. */
function addressOf(address: string | null): string | null {
  const lines = (address ?? '').split(/\r\n?|\n/).filter((line) => line.trim())
  return lines.join(lines.length > 7 ? ', ' : '\n') || null
}
