// Plots of reports as SVG from the server: columns over time, bars side by side with names. Their figures stand below as a table.
import { type Html, type HtmlPart, html } from '../http/html.ts'

export interface PlottedGroup {
  readonly label: string
  /** One for each series; null where there is nothing to measure. */
  readonly values: readonly (number | null)[]
}

interface Plot {
  readonly title: string
  /** What each value of a group is; a key is drawn where there are several. */
  readonly series: readonly string[]
  readonly groups: readonly PlottedGroup[]
  /** How a value of the scale is written. */
  readonly words: (value: number) => string
}

const width = 720
const height = 180
const left = 62
const labelWidth = 64

/** The next one, two or five times a power of ten: what four lines of a scale are apart. */
function stepFor(span: number): number {
  const rough = span / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= rough)!
}

/** 0.1 + 0.2 means 0.3. */
const withoutNoise = (value: number): number => Number(value.toFixed(6))

const fixed = (value: number): string => value.toFixed(1)

const key = (series: readonly string[]): HtmlPart =>
  series.length > 1 &&
  html`<p class="key">${series.map((name, index) => html`<span><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="s${index}" width="10" height="10" rx="2"/></svg>${name}</span>`)}</p>`

/** Columns from left to right; what is below zero hangs. */
export function columnPlot({ title, series, groups, words }: Plot): Html {
  const values = groups.flatMap((group) => group.values.map((value) => value ?? 0))
  const [most, least] = [Math.max(0, ...values), Math.min(0, ...values)]
  // There are no half jobs.
  const step = Math.max(stepFor(most - least || 1), values.every(Number.isInteger) ? 1 : 0)
  const [top, bottom] = [Math.ceil(most / step) * step || step, Math.floor(least / step) * step]
  const y = (value: number) => ((top - value) / (top - bottom)) * height
  const slot = (width - left) / groups.length
  const gap = Math.min(6, slot / 4)
  const wide = (slot - gap) / series.length
  const everyOther = Math.ceil((groups.length * labelWidth) / (width - left))
  const lines = Array.from({ length: Math.round((top - bottom) / step) + 1 }, (_, index) =>
    withoutNoise(bottom + index * step),
  )
  const column = (value: number | null, at: number, index: number): HtmlPart => {
    if (value === null || value === 0) return false
    const tall = Math.max(1.5, Math.abs(y(value) - y(0)))
    const x = left + at * slot + gap / 2 + index * wide
    return html`<rect class="s${index}" x="${fixed(x)}" y="${fixed(value > 0 ? y(0) - tall : y(0))}" width="${fixed(Math.max(0.5, wide - 1))}" height="${fixed(tall)}"/>`
  }
  return html`<figure class="plot"><figcaption>${title}</figcaption>${key(series)}
<div class="scroll" tabindex="0" role="region" aria-label="${title}, plotted"><svg viewBox="0 -8 ${width} ${height + 32}" aria-hidden="true">${lines.map((value) => html`<line x1="${left}" x2="${width}" y1="${fixed(y(value))}" y2="${fixed(y(value))}"/><text x="${left - 8}" y="${fixed(y(value) + 4)}" text-anchor="end">${words(value)}</text>`)}${groups.map(
    (group, at) =>
      html`${group.values.map((value, index) => column(value, at, index))}${at % everyOther === 0 && html`<text x="${fixed(left + (at + 0.5) * slot)}" y="${height + 20}" text-anchor="middle">${group.label}</text>`}`,
  )}</svg></div></figure>`
}

/** Narrower than columns, so that names can be read on a phone. */
const barsWidth = 480
const rowHeight = 26
const nameWidth = 150
const valueWidth = 96

/** One bar below the other, each with its name and value; what is below zero has none. */
export function barPlot({ title, groups, words }: Omit<Plot, 'series'>): Html {
  const most = Math.max(...groups.map(({ values }) => values[0] ?? 0), 0) || 1
  const room = barsWidth - nameWidth - valueWidth
  const bar = ({ label, values }: PlottedGroup, index: number): Html => {
    const value = values[0] ?? 0
    const wide = Math.max(0, (value / most) * room)
    const y = index * rowHeight
    return html`<text x="${nameWidth - 10}" y="${y + 17}" text-anchor="end">${shorten(label)}</text>${wide > 0 && html`<rect class="s0" x="${nameWidth}" y="${y + 4}" width="${fixed(Math.max(1.5, wide))}" height="${rowHeight - 8}"/>`}<text x="${fixed(nameWidth + wide + 8)}" y="${y + 17}">${words(value)}</text>`
  }
  return html`<figure class="plot side"><figcaption>${title}</figcaption><svg viewBox="0 0 ${barsWidth} ${groups.length * rowHeight}" aria-hidden="true">${groups.map(bar)}</svg></figure>`
}

const shorten = (label: string): string => (label.length > 20 ? `${label.slice(0, 19)}…` : label)
