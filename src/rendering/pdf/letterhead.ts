// The head of a printed document: who sends it, to whom, the dates, and the one sum the reader looks for.
import { type DisplayStatus, kindLabel, relevantDates } from '../display-status.ts'
import { headlineAmount } from '../document-rows.ts'
import type { Format } from '../format.ts'
import type { PrintDocument } from '../print-document.ts'
import { oneLine } from '../sanitize-text.ts'
import { addElement, clampLines, colors, type Paper, type StyledLine, spacer, totalHeight } from './paper.ts'
import {
  amountStyle,
  bodyStyle,
  documentKindStyle,
  documentNumberStyle,
  labelStyle,
  organisationNameStyle,
  panelColors,
  smallStyle,
  strongStyle,
  toneColors,
} from './styles.ts'

export function drawLetterhead(
  paper: Paper,
  { organisation, ...document }: PrintDocument,
  logo: Uint8Array | undefined,
): void {
  const endWidth = paper.width * 0.4
  const startWidth = paper.width - endWidth - 20
  const endX = paper.right - endWidth
  const title = [
    ...paper.layout(kindLabel(document), documentKindStyle, endWidth),
    ...clampLines(paper.layout(oneLine(document.number), documentNumberStyle, endWidth), 3, paper),
  ]
  let y = paper.top
  const drawLogo = logo && prepareLogo(paper, logo, organisation.name)
  if (drawLogo) y = drawLogo(y) + 10
  const names = drawLogo
    ? paper.layout(oneLine(organisation.name), strongStyle, startWidth)
    : paper.layout(oneLine(organisation.name), organisationNameStyle, startWidth)
  const website = organisation.website?.replace(/^https?:\/\//, '').replace(/\/$/, '')
  const details = [
    ...clampLines(paper.layout(compactAddress(organisation.address), smallStyle, startWidth), 9, paper),
    ...clampLines(
      paper.layoutInline([organisation.phone, organisation.email, website], smallStyle, startWidth),
      6,
      paper,
    ),
    ...clampLines(
      paper.layout(organisation.taxNumber && oneLine(`Tax number ${organisation.taxNumber}`), smallStyle, startWidth),
      3,
      paper,
    ),
  ]

  addElement(paper, paper.root, 'P', () => {
    y = paper.drawText(names, paper.left, y, startWidth)
    y = paper.drawText(details, paper.left, y + 3, startWidth)
  })
  addElement(paper, paper.root, 'H1', () => paper.drawText(title, endX, paper.top, endWidth, 'end'))
  paper.y = Math.max(y, paper.top + totalHeight(title)) + 16
  paper.drawRule(paper.left, paper.y, paper.width)
  paper.y += 18
}

/** Sized to stand well beside any name: at most 160 by 52 points. */
function prepareLogo(paper: Paper, logo: Uint8Array, name: string): ((y: number) => number) | undefined {
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
export function drawParties(paper: Paper, document: PrintDocument, status: DisplayStatus, format: Format): void {
  const top = paper.y
  const panelWidth = 190
  const datesWidth = 110
  const customerWidth = paper.width - panelWidth - datesWidth - 30

  const { name, address, email } = document.customer
  const customer = [
    ...paper.layout(document.kind === 'quote' ? 'Prepared for' : 'Billed to', labelStyle, customerWidth),
    ...paper.layout(name && oneLine(name), strongStyle, customerWidth),
    ...clampLines(paper.layout(compactAddress(address), bodyStyle, customerWidth), 12, paper),
    ...clampLines(
      paper.layout(email && oneLine(email, 254), { ...bodyStyle, color: colors.muted }, customerWidth),
      4,
      paper,
    ),
  ]
  const dates: StyledLine[] = []
  for (const { term, at } of relevantDates(document)) {
    if (dates.length > 0) dates.push(spacer(5))
    dates.push(...paper.layout(term, labelStyle, datesWidth), ...paper.layout(format.date(at), bodyStyle, datesWidth))
  }

  const { label: caption, amount } = headlineAmount(document)
  const innerWidth = panelWidth - 28
  const fittedAmountStyle = paper.widthOf(amount, amountStyle) > innerWidth ? { ...amountStyle, size: 12 } : amountStyle
  const color = toneColors[status.tone]
  const panel = [
    ...paper.layout(
      status.tone === 'calm' ? caption : `${caption}  ·  ${status.label}`,
      { ...labelStyle, color },
      innerWidth,
    ),
    ...paper.layout(amount, { ...fittedAmountStyle, color }, innerWidth),
    ...clampLines(
      paper.layout(oneLine(status.sentence, 200), { ...smallStyle, color: colors.ink }, innerWidth),
      6,
      paper,
    ),
  ]

  addElement(paper, paper.root, 'P', () => paper.drawText(customer, paper.left, top, customerWidth))
  addElement(paper, paper.root, 'P', () => paper.drawText(dates, paper.left + customerWidth + 15, top, datesWidth))
  const panelHeight = totalHeight(panel) + 22
  paper.drawPanel(paper.right - panelWidth, top, panelWidth, panelHeight, panelColors[status.tone])
  addElement(paper, paper.root, 'P', () => paper.drawText(panel, paper.right - panelWidth + 14, top + 11, innerWidth))
  paper.y = Math.max(top + totalHeight(customer), top + totalHeight(dates), top + panelHeight) + 24
}

/** An address of very many lines is written in one, or it would fill the page. */
function compactAddress(address: string | null): string | null {
  const lines = (address ?? '').split(/\r\n?|\n/).filter((line) => line.trim())
  return lines.join(lines.length > 7 ? ', ' : '\n') || null
}
